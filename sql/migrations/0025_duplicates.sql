-- Restaurants that are found twice: merged into one, or known to be different.

-- A deleted restaurant that was merged into another, for as long as the log has its deletion.
CREATE TABLE merged_restaurants (
  id INTEGER PRIMARY KEY,
  into_id INTEGER NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE TRIGGER changes_forget_merge AFTER DELETE ON changes
WHEN old.kind = 'restaurant' AND old.action = 'delete' BEGIN
  DELETE FROM merged_restaurants WHERE id = old.entity_id AND NOT EXISTS (
    SELECT 1 FROM changes WHERE kind = 'restaurant' AND entity_id = old.entity_id AND action = 'delete'
  );
END;

-- What a merge moved from a restaurant, so that it can go back. The id of an item is that of its list.
CREATE TABLE moved (
  from_id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('rating', 'photo', 'visit', 'suggestion', 'item')),
  id INTEGER NOT NULL,
  PRIMARY KEY (from_id, kind, id)
) STRICT, WITHOUT ROWID;

-- Where a list had both restaurants: the two notes became one, and the item that stays took the place of the other one if that
-- is earlier, which then has the place of the first. It is hidden as that of any deleted restaurant.
CREATE TABLE united_items (
  from_id INTEGER NOT NULL,
  list_id INTEGER NOT NULL,
  is_swapped INTEGER NOT NULL CHECK (is_swapped IN (0, 1)),
  other_note TEXT,
  whole_note TEXT,
  PRIMARY KEY (from_id, list_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX united_items_by_list ON united_items (list_id);
CREATE TRIGGER deleted_lists_united AFTER DELETE ON deleted_lists
WHEN NOT EXISTS (SELECT 1 FROM lists WHERE id = old.id) BEGIN
  DELETE FROM united_items WHERE list_id = old.id;
END;

-- Pairs that a user found to be different, until one of them has another name or place.
CREATE TABLE dismissed_pairs (
  a INTEGER NOT NULL,
  b INTEGER NOT NULL,
  PRIMARY KEY (a, b),
  CHECK (a < b)
) STRICT, WITHOUT ROWID;
CREATE INDEX dismissed_pairs_by_second ON dismissed_pairs (b);
CREATE TRIGGER restaurants_dismissed_update AFTER UPDATE OF name, address, latitude, longitude ON restaurants
WHEN (old.name, old.address, old.latitude, old.longitude) IS NOT (new.name, new.address, new.latitude, new.longitude)
BEGIN
  DELETE FROM dismissed_pairs WHERE a = new.id OR b = new.id;
END;
CREATE TRIGGER deleted_restaurants_dismissed AFTER DELETE ON deleted_restaurants
WHEN NOT EXISTS (SELECT 1 FROM restaurants WHERE id = old.id) BEGIN
  DELETE FROM dismissed_pairs WHERE a = old.id OR b = old.id;
END;

-- Without a limit: where two items become one, their notes are joined.
ALTER TABLE list_items ADD COLUMN whole_note TEXT CHECK (whole_note <> '');
UPDATE list_items SET whole_note = note WHERE note IS NOT NULL;
ALTER TABLE list_items DROP COLUMN note;
ALTER TABLE list_items RENAME COLUMN whole_note TO note;

DROP TRIGGER ratings_fixed;
CREATE TRIGGER ratings_fixed BEFORE UPDATE OF id, created_at ON ratings BEGIN
  SELECT raise(ABORT, 'a rating keeps its id and time');
END;
CREATE TRIGGER ratings_move AFTER UPDATE OF restaurant_id ON ratings BEGIN
  UPDATE restaurants SET rating_count = rating_count - 1,
    food_sum = food_sum - old.food_rating,
    service_sum = service_sum - old.service_rating,
    ambiance_sum = ambiance_sum - old.ambiance_rating
  WHERE id = old.restaurant_id;
  UPDATE restaurants SET rating_count = rating_count + 1,
    food_sum = food_sum + new.food_rating,
    service_sum = service_sum + new.service_rating,
    ambiance_sum = ambiance_sum + new.ambiance_rating
  WHERE id = new.restaurant_id;
END;
