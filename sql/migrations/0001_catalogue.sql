-- The catalogue: restaurants, their ratings, and the two lookup tables.
-- Timestamps are ISO 8601 UTC text with milliseconds, so that they sort as they read.

-- Restaurants and suggestions draw their ids from one sequence, so that no id means both.
CREATE TABLE id_sequence (last_id INTEGER NOT NULL) STRICT;
INSERT INTO id_sequence (last_id) VALUES (0);

-- Keys that the service makes for itself once, such as the one that seals page cursors.
CREATE TABLE generated_keys (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- name_key: the name in lower case (unique without case). search_name: also without diacritics and punctuation.
CREATE TABLE categories (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  name_key TEXT NOT NULL UNIQUE,
  search_name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE food_types (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  name_key TEXT NOT NULL UNIQUE,
  search_name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- identity_key: what makes two restaurants the same one, name and address in lower case.
-- search_name, search_text: name; address and description; in lower case without diacritics and punctuation.
-- overall is the mean of the three averages, computed in the same order as the API does.
CREATE TABLE restaurants (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  description TEXT CHECK (length(description) <= 5000),
  address TEXT CHECK (length(address) <= 500),
  phone TEXT CHECK (length(phone) <= 50),
  website TEXT CHECK (length(website) <= 500),
  latitude REAL CHECK (latitude BETWEEN -90 AND 90),
  longitude REAL CHECK (longitude BETWEEN -180 AND 180),
  google_place_id TEXT CHECK (length(google_place_id) BETWEEN 1 AND 255),
  category_id INTEGER REFERENCES categories (id) ON DELETE SET NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'temporarily_closed', 'closed')),
  rating_count INTEGER NOT NULL DEFAULT 0 CHECK (rating_count >= 0),
  food_sum INTEGER NOT NULL DEFAULT 0,
  service_sum INTEGER NOT NULL DEFAULT 0,
  ambiance_sum INTEGER NOT NULL DEFAULT 0,
  overall REAL NOT NULL GENERATED ALWAYS AS (
    CASE WHEN rating_count = 0 THEN 0.0 ELSE
      (1.0 * food_sum / rating_count + 1.0 * service_sum / rating_count + 1.0 * ambiance_sum / rating_count) / 3.0
    END
  ) STORED,
  identity_key TEXT NOT NULL UNIQUE,
  search_name TEXT NOT NULL,
  search_text TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((latitude IS NULL) = (longitude IS NULL))
) STRICT;

CREATE UNIQUE INDEX restaurants_by_place ON restaurants (google_place_id) WHERE google_place_id IS NOT NULL;
CREATE INDEX restaurants_by_newest ON restaurants (created_at DESC, id DESC);
CREATE INDEX restaurants_by_name ON restaurants (search_name, id);
CREATE INDEX restaurants_by_rating ON restaurants (overall DESC, id DESC);
CREATE INDEX restaurants_by_category ON restaurants (category_id, created_at DESC, id DESC);
CREATE INDEX restaurants_by_status ON restaurants (status, created_at DESC, id DESC);

-- The restaurant may follow its food types within one transaction, so that the search row is written once.
CREATE TABLE restaurant_food_types (
  restaurant_id INTEGER NOT NULL REFERENCES restaurants (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  food_type_id INTEGER NOT NULL REFERENCES food_types (id) ON DELETE CASCADE,
  PRIMARY KEY (restaurant_id, food_type_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX restaurant_food_types_by_food_type ON restaurant_food_types (food_type_id, restaurant_id);

CREATE TABLE ratings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  restaurant_id INTEGER NOT NULL REFERENCES restaurants (id) ON DELETE CASCADE,
  food_rating INTEGER NOT NULL CHECK (food_rating BETWEEN 1 AND 5),
  service_rating INTEGER NOT NULL CHECK (service_rating BETWEEN 1 AND 5),
  ambiance_rating INTEGER NOT NULL CHECK (ambiance_rating BETWEEN 1 AND 5),
  comment TEXT CHECK (length(comment) <= 5000),
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX ratings_by_restaurant ON ratings (restaurant_id, created_at DESC, id DESC);

-- Rating sums, so that an average costs the same with 1 or 100,000 ratings.
CREATE TRIGGER ratings_insert AFTER INSERT ON ratings BEGIN
  UPDATE restaurants SET rating_count = rating_count + 1,
    food_sum = food_sum + new.food_rating,
    service_sum = service_sum + new.service_rating,
    ambiance_sum = ambiance_sum + new.ambiance_rating
  WHERE id = new.restaurant_id;
END;

CREATE TRIGGER ratings_delete AFTER DELETE ON ratings BEGIN
  UPDATE restaurants SET rating_count = rating_count - 1,
    food_sum = food_sum - old.food_rating,
    service_sum = service_sum - old.service_rating,
    ambiance_sum = ambiance_sum - old.ambiance_rating
  WHERE id = old.restaurant_id;
END;

-- Ratings are written and removed, never changed.
CREATE TRIGGER ratings_update BEFORE UPDATE ON ratings BEGIN
  SELECT raise(ABORT, 'ratings are never changed');
END;

-- How many restaurants there are: in all (scope_id 0), of a category, of a food type.
CREATE TABLE totals (
  scope TEXT NOT NULL CHECK (scope IN ('all', 'category', 'food_type')),
  scope_id INTEGER NOT NULL,
  restaurants INTEGER NOT NULL DEFAULT 0 CHECK (restaurants >= 0),
  PRIMARY KEY (scope, scope_id)
) STRICT, WITHOUT ROWID;
INSERT INTO totals (scope, scope_id) VALUES ('all', 0);

CREATE TRIGGER categories_totals_insert AFTER INSERT ON categories BEGIN
  INSERT INTO totals (scope, scope_id) VALUES ('category', new.id);
END;
CREATE TRIGGER categories_totals_delete AFTER DELETE ON categories BEGIN
  DELETE FROM totals WHERE scope = 'category' AND scope_id = old.id;
END;
CREATE TRIGGER food_types_totals_insert AFTER INSERT ON food_types BEGIN
  INSERT INTO totals (scope, scope_id) VALUES ('food_type', new.id);
END;
CREATE TRIGGER food_types_totals_delete AFTER DELETE ON food_types BEGIN
  DELETE FROM totals WHERE scope = 'food_type' AND scope_id = old.id;
END;
CREATE TRIGGER restaurants_totals_insert AFTER INSERT ON restaurants BEGIN
  UPDATE totals SET restaurants = restaurants + 1 WHERE scope = 'all' AND scope_id = 0;
  UPDATE totals SET restaurants = restaurants + 1 WHERE scope = 'category' AND scope_id = new.category_id;
END;
CREATE TRIGGER restaurants_totals_delete AFTER DELETE ON restaurants BEGIN
  UPDATE totals SET restaurants = restaurants - 1 WHERE scope = 'all' AND scope_id = 0;
  UPDATE totals SET restaurants = restaurants - 1 WHERE scope = 'category' AND scope_id = old.category_id;
END;
CREATE TRIGGER restaurants_totals_category AFTER UPDATE OF category_id ON restaurants
WHEN old.category_id IS NOT new.category_id BEGIN
  UPDATE totals SET restaurants = restaurants - 1 WHERE scope = 'category' AND scope_id = old.category_id;
  UPDATE totals SET restaurants = restaurants + 1 WHERE scope = 'category' AND scope_id = new.category_id;
END;
CREATE TRIGGER restaurant_food_types_totals_insert AFTER INSERT ON restaurant_food_types BEGIN
  UPDATE totals SET restaurants = restaurants + 1 WHERE scope = 'food_type' AND scope_id = new.food_type_id;
END;
CREATE TRIGGER restaurant_food_types_totals_delete AFTER DELETE ON restaurant_food_types BEGIN
  UPDATE totals SET restaurants = restaurants - 1 WHERE scope = 'food_type' AND scope_id = old.food_type_id;
END;

-- Where restaurants are: an R*Tree of points (32-bit floats, rounded outwards; exact distances come from the table).
CREATE VIRTUAL TABLE restaurant_locations USING rtree (id, min_latitude, max_latitude, min_longitude, max_longitude);

CREATE TRIGGER restaurants_location_insert AFTER INSERT ON restaurants WHEN new.latitude IS NOT NULL BEGIN
  INSERT INTO restaurant_locations VALUES (new.id, new.latitude, new.latitude, new.longitude, new.longitude);
END;
CREATE TRIGGER restaurants_location_update AFTER UPDATE OF latitude, longitude ON restaurants BEGIN
  DELETE FROM restaurant_locations WHERE id = old.id;
  INSERT INTO restaurant_locations
    SELECT new.id, new.latitude, new.latitude, new.longitude, new.longitude WHERE new.latitude IS NOT NULL;
END;
CREATE TRIGGER restaurants_location_delete AFTER DELETE ON restaurants BEGIN
  DELETE FROM restaurant_locations WHERE id = old.id;
END;

-- What search reads. Two blanks stand before every word and one behind the text, so that a word's start is a
-- trigram even for words of one or two letters. The index keeps no copy of the text.
CREATE VIRTUAL TABLE search_names USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1'
);
CREATE VIRTUAL TABLE search_texts USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1'
);
CREATE VIRTUAL TABLE search_texts_terms USING fts5vocab (search_texts, row);

CREATE VIEW search_documents (id, name, text) AS
SELECT
  restaurants.id,
  '  ' || replace(restaurants.search_name, ' ', '  ') || ' ',
  '  ' || replace(
    concat_ws(' ', restaurants.search_name, restaurants.search_text, categories.search_name, (
      SELECT group_concat(food_types.search_name, ' ')
      FROM restaurant_food_types JOIN food_types ON food_types.id = restaurant_food_types.food_type_id
      WHERE restaurant_food_types.restaurant_id = restaurants.id
    )), ' ', '  ') || ' '
FROM restaurants LEFT JOIN categories ON categories.id = restaurants.category_id;

CREATE TRIGGER restaurants_search_insert AFTER INSERT ON restaurants BEGIN
  INSERT INTO search_names (rowid, text) SELECT id, name FROM search_documents WHERE id = new.id;
  INSERT INTO search_texts (rowid, text) SELECT id, text FROM search_documents WHERE id = new.id;
END;
CREATE TRIGGER restaurants_search_name AFTER UPDATE OF search_name ON restaurants
WHEN old.search_name <> new.search_name BEGIN
  DELETE FROM search_names WHERE rowid = old.id;
  INSERT INTO search_names (rowid, text) SELECT id, name FROM search_documents WHERE id = new.id;
END;
CREATE TRIGGER restaurants_search_text AFTER UPDATE OF search_name, search_text, category_id ON restaurants
WHEN old.search_name <> new.search_name OR old.search_text <> new.search_text
  OR old.category_id IS NOT new.category_id BEGIN
  DELETE FROM search_texts WHERE rowid = old.id;
  INSERT INTO search_texts (rowid, text) SELECT id, text FROM search_documents WHERE id = new.id;
END;
CREATE TRIGGER restaurants_search_delete AFTER DELETE ON restaurants BEGIN
  DELETE FROM search_names WHERE rowid = old.id;
  DELETE FROM search_texts WHERE rowid = old.id;
END;
CREATE TRIGGER restaurant_food_types_search_insert AFTER INSERT ON restaurant_food_types
WHEN EXISTS (SELECT 1 FROM restaurants WHERE id = new.restaurant_id) BEGIN
  DELETE FROM search_texts WHERE rowid = new.restaurant_id;
  INSERT INTO search_texts (rowid, text) SELECT id, text FROM search_documents WHERE id = new.restaurant_id;
END;
CREATE TRIGGER restaurant_food_types_search_delete AFTER DELETE ON restaurant_food_types
WHEN EXISTS (SELECT 1 FROM restaurants WHERE id = old.restaurant_id) BEGIN
  DELETE FROM search_texts WHERE rowid = old.restaurant_id;
  INSERT INTO search_texts (rowid, text) SELECT id, text FROM search_documents WHERE id = old.restaurant_id;
END;
CREATE TRIGGER categories_search AFTER UPDATE OF search_name ON categories
WHEN old.search_name <> new.search_name BEGIN
  DELETE FROM search_texts WHERE rowid IN (SELECT id FROM restaurants WHERE category_id = new.id);
  INSERT INTO search_texts (rowid, text)
    SELECT id, text FROM search_documents WHERE id IN (SELECT id FROM restaurants WHERE category_id = new.id);
END;
CREATE TRIGGER food_types_search AFTER UPDATE OF search_name ON food_types
WHEN old.search_name <> new.search_name BEGIN
  DELETE FROM search_texts WHERE rowid IN
    (SELECT restaurant_id FROM restaurant_food_types WHERE food_type_id = new.id);
  INSERT INTO search_texts (rowid, text) SELECT id, text FROM search_documents
    WHERE id IN (SELECT restaurant_id FROM restaurant_food_types WHERE food_type_id = new.id);
END;

-- What a new catalogue starts with. Their keys are the names in lower case.
INSERT INTO categories (name, name_key, search_name, created_at, updated_at)
SELECT value, lower(value), lower(value), strftime('%Y-%m-%dT%H:%M:%fZ'), strftime('%Y-%m-%dT%H:%M:%fZ')
FROM json_each('["Italian","Asian","Mexican","American","French","Indian","Mediterranean","Japanese","Chinese","Thai"]');

INSERT INTO food_types (name, name_key, search_name, created_at, updated_at)
SELECT value, lower(value), lower(value), strftime('%Y-%m-%dT%H:%M:%fZ'), strftime('%Y-%m-%dT%H:%M:%fZ')
FROM json_each('["Pizza","Pasta","Sushi","Burgers","Tacos","Curry","Steak","Seafood","Salads","Desserts"]');
