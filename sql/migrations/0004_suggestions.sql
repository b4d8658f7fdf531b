-- Restaurants that somebody suggests. They draw their ids from id_sequence, like restaurants.
-- identity_key, search_name and search_text are made like those of restaurants. Two that are the same place may stand
-- here side by side, since a rejected one may be taken up again.
CREATE TABLE suggestions (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  address TEXT CHECK (length(address) <= 500),
  phone TEXT CHECK (length(phone) <= 50),
  website TEXT CHECK (length(website) <= 500),
  latitude REAL CHECK (latitude BETWEEN -90 AND 90),
  longitude REAL CHECK (longitude BETWEEN -180 AND 180),
  google_place_id TEXT CHECK (length(google_place_id) BETWEEN 1 AND 255),
  suggested_category_id INTEGER REFERENCES categories (id) ON DELETE SET NULL,
  notes TEXT CHECK (length(notes) <= 5000),
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'tested', 'rejected', 'converted')),
  identity_key TEXT NOT NULL,
  search_name TEXT NOT NULL,
  search_text TEXT NOT NULL,
  -- Who suggested. Null: the placeholder, or somebody whose account is gone.
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((latitude IS NULL) = (longitude IS NULL))
) STRICT;

CREATE INDEX suggestions_by_newest ON suggestions (created_at DESC, id DESC);
CREATE INDEX suggestions_by_status ON suggestions (status, created_at DESC, id DESC);
CREATE INDEX suggestions_open ON suggestions (created_at DESC, id DESC) WHERE status <> 'converted';
CREATE INDEX suggestions_by_status_and_id ON suggestions (status, id);
CREATE INDEX suggestions_by_status_and_name ON suggestions (status, search_name, id);
CREATE INDEX suggestions_by_category ON suggestions (suggested_category_id);
CREATE INDEX suggestions_by_place ON suggestions (google_place_id) WHERE google_place_id IS NOT NULL;
CREATE INDEX suggestions_by_identity ON suggestions (identity_key);
CREATE INDEX suggestions_by_user ON suggestions (user_id);

-- The suggestion may follow its food types within one transaction, so that the search row is written once.
CREATE TABLE suggestion_food_types (
  suggestion_id INTEGER NOT NULL REFERENCES suggestions (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  food_type_id INTEGER NOT NULL REFERENCES food_types (id) ON DELETE CASCADE,
  PRIMARY KEY (suggestion_id, food_type_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX suggestion_food_types_by_food_type ON suggestion_food_types (food_type_id, suggestion_id);

-- What a restaurant was made from; the one place where the two are tied together.
ALTER TABLE restaurants ADD COLUMN suggestion_id INTEGER REFERENCES suggestions (id) ON DELETE SET NULL;
CREATE UNIQUE INDEX restaurants_by_suggestion ON restaurants (suggestion_id) WHERE suggestion_id IS NOT NULL;

-- Pending suggestions with the columns that lists of restaurants filter and sort by.
CREATE VIEW pending_restaurants AS
SELECT
  id, search_name, latitude, longitude, suggested_category_id AS category_id, 0.0 AS overall, status, created_at
FROM suggestions WHERE status = 'pending';

-- Pending suggestions are found by words and by place like restaurants, in indexes of their own.
CREATE VIRTUAL TABLE pending_names USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1'
);
CREATE VIRTUAL TABLE pending_texts USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1'
);
CREATE VIRTUAL TABLE pending_locations USING rtree (id, min_latitude, max_latitude, min_longitude, max_longitude);

CREATE VIEW pending_documents (id, name, text) AS
SELECT
  suggestions.id,
  '  ' || replace(replace(suggestions.search_name, ' ', '  '), char(127), ' ') || ' ',
  '  ' || replace(replace(
    concat_ws(' ', suggestions.search_name, suggestions.search_text, categories.search_name, (
      SELECT group_concat(food_types.search_name, ' ')
      FROM suggestion_food_types JOIN food_types ON food_types.id = suggestion_food_types.food_type_id
      WHERE suggestion_food_types.suggestion_id = suggestions.id
    )), ' ', '  '), char(127), ' ') || ' '
FROM suggestions LEFT JOIN categories ON categories.id = suggestions.suggested_category_id
WHERE suggestions.status = 'pending';

CREATE TRIGGER suggestions_pending_insert AFTER INSERT ON suggestions WHEN new.status = 'pending' BEGIN
  INSERT INTO pending_names (rowid, text) SELECT id, name FROM pending_documents WHERE id = new.id;
  INSERT INTO pending_texts (rowid, text) SELECT id, text FROM pending_documents WHERE id = new.id;
  INSERT INTO pending_locations
    SELECT new.id, new.latitude, new.latitude, new.longitude, new.longitude WHERE new.latitude IS NOT NULL;
END;
CREATE TRIGGER suggestions_pending_enter AFTER UPDATE OF status ON suggestions
WHEN old.status <> 'pending' AND new.status = 'pending' BEGIN
  INSERT INTO pending_names (rowid, text) SELECT id, name FROM pending_documents WHERE id = new.id;
  INSERT INTO pending_texts (rowid, text) SELECT id, text FROM pending_documents WHERE id = new.id;
  INSERT INTO pending_locations
    SELECT new.id, new.latitude, new.latitude, new.longitude, new.longitude WHERE new.latitude IS NOT NULL;
END;
CREATE TRIGGER suggestions_pending_leave AFTER UPDATE OF status ON suggestions
WHEN old.status = 'pending' AND new.status <> 'pending' BEGIN
  DELETE FROM pending_names WHERE rowid = old.id;
  DELETE FROM pending_texts WHERE rowid = old.id;
  DELETE FROM pending_locations WHERE id = old.id;
END;
CREATE TRIGGER suggestions_pending_delete AFTER DELETE ON suggestions WHEN old.status = 'pending' BEGIN
  DELETE FROM pending_names WHERE rowid = old.id;
  DELETE FROM pending_texts WHERE rowid = old.id;
  DELETE FROM pending_locations WHERE id = old.id;
END;
CREATE TRIGGER suggestions_pending_category AFTER UPDATE OF suggested_category_id ON suggestions
WHEN new.status = 'pending' BEGIN
  DELETE FROM pending_texts WHERE rowid = new.id;
  INSERT INTO pending_texts (rowid, text) SELECT id, text FROM pending_documents WHERE id = new.id;
END;
CREATE TRIGGER suggestion_food_types_pending_delete AFTER DELETE ON suggestion_food_types
WHEN EXISTS (SELECT 1 FROM suggestions WHERE id = old.suggestion_id AND status = 'pending') BEGIN
  DELETE FROM pending_texts WHERE rowid = old.suggestion_id;
  INSERT INTO pending_texts (rowid, text) SELECT id, text FROM pending_documents WHERE id = old.suggestion_id;
END;
CREATE TRIGGER categories_pending AFTER UPDATE OF search_name ON categories
WHEN old.search_name <> new.search_name BEGIN
  DELETE FROM pending_texts WHERE rowid IN
    (SELECT id FROM suggestions WHERE suggested_category_id = new.id AND status = 'pending');
  INSERT INTO pending_texts (rowid, text) SELECT id, text FROM pending_documents
    WHERE id IN (SELECT id FROM suggestions WHERE suggested_category_id = new.id);
END;
CREATE TRIGGER food_types_pending AFTER UPDATE OF search_name ON food_types
WHEN old.search_name <> new.search_name BEGIN
  DELETE FROM pending_texts WHERE rowid IN (
    SELECT suggestion_id FROM suggestion_food_types JOIN suggestions ON suggestions.id = suggestion_id
    WHERE food_type_id = new.id AND status = 'pending'
  );
  INSERT INTO pending_texts (rowid, text) SELECT id, text FROM pending_documents
    WHERE id IN (SELECT suggestion_id FROM suggestion_food_types WHERE food_type_id = new.id);
END;
