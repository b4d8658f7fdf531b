-- Lists of restaurants, and visits to them: each for its owner alone. A user_id of null is the placeholder's.

-- Each user has one list of each of the kinds want and favourites, and own ones.
CREATE TABLE lists (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('want', 'favourites', 'own')),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  name_key TEXT NOT NULL,
  description TEXT CHECK (length(description) BETWEEN 1 AND 1000),
  -- Those of its items that are there, counted by triggers.
  item_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX lists_by_name ON lists (coalesce(user_id, 0), name_key);
CREATE UNIQUE INDEX lists_built_in ON lists (coalesce(user_id, 0), kind) WHERE kind <> 'own';
CREATE INDEX lists_by_user ON lists (user_id, name_key);

-- An item stays while the deletion of its restaurant can be undone; is_there says whether the restaurant exists. user_id is
-- that of the list, so that all items of a user at a restaurant are found at once. Items are ordered by rank, then by
-- restaurant; ranks have gaps, so that an item moves without the others.
CREATE TABLE list_items (
  list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
  restaurant_id INTEGER NOT NULL,
  user_id INTEGER,
  rank INTEGER NOT NULL,
  is_there INTEGER NOT NULL DEFAULT 1 CHECK (is_there IN (0, 1)),
  note TEXT CHECK (length(note) BETWEEN 1 AND 1000),
  created_at TEXT NOT NULL,
  PRIMARY KEY (list_id, restaurant_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX list_items_by_rank ON list_items (list_id, rank, restaurant_id, is_there);
CREATE INDEX list_items_by_restaurant ON list_items (restaurant_id, user_id, list_id, is_there);

CREATE TRIGGER list_items_insert AFTER INSERT ON list_items WHEN new.is_there = 1 BEGIN
  UPDATE lists SET item_count = item_count + 1 WHERE id = new.list_id;
END;
CREATE TRIGGER list_items_delete AFTER DELETE ON list_items WHEN old.is_there = 1 BEGIN
  UPDATE lists SET item_count = item_count - 1 WHERE id = old.list_id;
END;
CREATE TRIGGER list_items_update AFTER UPDATE OF is_there ON list_items WHEN old.is_there <> new.is_there BEGIN
  UPDATE lists SET item_count = item_count + new.is_there - old.is_there WHERE id = new.list_id;
END;

-- restaurant_name is that of a deleted restaurant, and null otherwise; restaurant_id becomes null when the deletion can no
-- longer be undone. companions and dishes are JSON arrays.
CREATE TABLE visits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  restaurant_id INTEGER,
  restaurant_name TEXT,
  visited_on TEXT NOT NULL CHECK (length(visited_on) = 10),
  note TEXT CHECK (length(note) BETWEEN 1 AND 5000),
  companions TEXT NOT NULL DEFAULT '[]',
  total_minor INTEGER CHECK (total_minor BETWEEN 0 AND 1000000000000),
  currency TEXT CHECK (length(currency) = 3),
  dishes TEXT NOT NULL DEFAULT '[]',
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK (restaurant_id IS NOT NULL OR restaurant_name IS NOT NULL)
) STRICT;
-- With what tells where a user has been, so that it is read without the visits themselves.
CREATE INDEX visits_by_user ON visits (user_id, visited_on DESC, id DESC, restaurant_id, restaurant_name);
CREATE INDEX visits_by_restaurant ON visits (restaurant_id, user_id, visited_on DESC, id DESC);

-- A user's newest rating of a restaurant.
CREATE INDEX ratings_by_restaurant_and_user ON ratings (restaurant_id, user_id, created_at DESC, id DESC);

CREATE TRIGGER restaurants_personal_insert AFTER INSERT ON restaurants BEGIN
  UPDATE list_items SET is_there = 1 WHERE restaurant_id = new.id;
  UPDATE visits SET restaurant_name = NULL WHERE restaurant_id = new.id;
END;
CREATE TRIGGER restaurants_personal_delete AFTER DELETE ON restaurants BEGIN
  UPDATE list_items SET is_there = 0 WHERE restaurant_id = old.id;
  UPDATE visits SET restaurant_name = old.name WHERE restaurant_id = old.id;
END;

-- The deleted restaurants of which a deletion can be undone.
CREATE VIEW restorable_restaurants (id) AS
SELECT entity_id FROM changes WHERE kind = 'restaurant' AND action = 'delete' AND kept_until IS NOT NULL;

CREATE TRIGGER changes_release_personal AFTER UPDATE OF kept_until ON changes
WHEN old.kept_until IS NOT NULL AND new.kept_until IS NULL AND new.kind = 'restaurant'
  AND NOT EXISTS (SELECT 1 FROM restorable_restaurants WHERE id = new.entity_id) BEGIN
  DELETE FROM list_items WHERE restaurant_id = new.entity_id AND is_there = 0;
  UPDATE visits SET restaurant_id = NULL WHERE restaurant_id = new.entity_id AND restaurant_name IS NOT NULL;
END;
CREATE TRIGGER changes_forget_personal AFTER INSERT ON changes
WHEN new.kind = 'restaurant' AND new.action = 'delete' AND new.kept_until IS NULL
  AND NOT EXISTS (SELECT 1 FROM restorable_restaurants WHERE id = new.entity_id) BEGIN
  DELETE FROM list_items WHERE restaurant_id = new.entity_id AND is_there = 0;
  UPDATE visits SET restaurant_id = NULL WHERE restaurant_id = new.entity_id AND restaurant_name IS NOT NULL;
END;

-- Each account has both from its beginning.
CREATE TRIGGER users_built_in_lists AFTER INSERT ON users BEGIN
  INSERT INTO lists (user_id, kind, name, name_key, created_at, updated_at) VALUES
    (new.id, 'want', 'Want to go', 'want to go', new.created_at, new.created_at),
    (new.id, 'favourites', 'Favourites', 'favourites', new.created_at, new.created_at);
END;
INSERT INTO lists (user_id, kind, name, name_key, created_at, updated_at)
SELECT owner.id, built_in.kind, built_in.name, lower(built_in.name), now.at, now.at
FROM (SELECT NULL AS id UNION ALL SELECT id FROM users) AS owner,
  (SELECT 'want' AS kind, 'Want to go' AS name UNION ALL SELECT 'favourites', 'Favourites') AS built_in,
  (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AS at) AS now;
