-- Names of categories and food types are no longer in the index of texts: it has a token for each of them, made of its id,
-- so that a rename or a deletion changes no entry. A deleted one stays as a row until nothing refers to it any more, and
-- everything that reads takes it for gone.

ALTER TABLE categories ADD COLUMN deleted_at TEXT;
ALTER TABLE food_types ADD COLUMN deleted_at TEXT;
CREATE INDEX categories_deleted ON categories (id) WHERE deleted_at IS NOT NULL;
CREATE INDEX food_types_deleted ON food_types (id) WHERE deleted_at IS NOT NULL;

CREATE TRIGGER categories_totals_retire AFTER UPDATE OF deleted_at ON categories WHEN new.deleted_at IS NOT NULL BEGIN
  DELETE FROM totals WHERE scope = 'category' AND scope_id = new.id;
END;
CREATE TRIGGER food_types_totals_retire AFTER UPDATE OF deleted_at ON food_types WHEN new.deleted_at IS NOT NULL BEGIN
  DELETE FROM totals WHERE scope = 'food_type' AND scope_id = new.id;
END;

DROP TRIGGER restaurants_search_insert;
DROP TRIGGER restaurants_search_name;
DROP TRIGGER restaurants_search_text;
DROP TRIGGER restaurant_food_types_search_insert;
DROP TRIGGER restaurant_food_types_search_delete;
DROP TRIGGER categories_search;
DROP TRIGGER food_types_search;
DROP TRIGGER suggestions_pending_insert;
DROP TRIGGER suggestions_pending_enter;
DROP TRIGGER suggestions_pending_category;
DROP TRIGGER suggestion_food_types_pending_delete;
DROP TRIGGER categories_pending;
DROP TRIGGER food_types_pending;
DROP VIEW search_documents;
DROP VIEW pending_documents;

-- Invisible format characters no longer count, neither in search nor in what makes two places or names the same. Where
-- two that were told apart by them are the same now, both stay.
UPDATE OR IGNORE categories SET name_key = case_key_of(name) WHERE name_key <> case_key_of(name);
UPDATE OR IGNORE food_types SET name_key = case_key_of(name) WHERE name_key <> case_key_of(name);
UPDATE categories SET search_name = search_name_of(name) WHERE search_name <> search_name_of(name);
UPDATE food_types SET search_name = search_name_of(name) WHERE search_name <> search_name_of(name);
UPDATE restaurants SET search_name = search_name_of(name) WHERE search_name <> search_name_of(name);
UPDATE restaurants SET search_text = search_text_of(concat(address, ' ', description))
WHERE search_text <> search_text_of(concat(address, ' ', description));
UPDATE OR IGNORE restaurants SET identity_key = identity_key_of(name, address, latitude, longitude)
WHERE identity_key <> identity_key_of(name, address, latitude, longitude);
UPDATE suggestions SET
  search_name = search_name_of(name),
  search_text = search_text_of(concat(address)),
  identity_key = identity_key_of(name, address, latitude, longitude);

-- tokens: three characters each, which are one trigram. The first one tells a category from a food type; no text of a
-- person has any of them next to another one, since search takes private use characters out of it.
CREATE VIEW search_documents (id, name, text, category_id, tokens) AS
SELECT
  id,
  '  ' || replace(replace(search_name, ' ', '  '), char(127), ' ') || ' ',
  '  ' || replace(replace(concat_ws(' ', search_name, search_text), ' ', '  '), char(127), ' ') || ' ',
  category_id,
  concat(
    iif(category_id IS NULL, '', char(1048576, 983040 + category_id / 60000, 983040 + category_id % 60000)),
    (
      SELECT group_concat(char(1048577, 983040 + food_type_id / 60000, 983040 + food_type_id % 60000), '')
      FROM restaurant_food_types WHERE restaurant_id = restaurants.id
    )
  )
FROM restaurants;

CREATE VIEW pending_documents (id, name, text, category_id, tokens) AS
SELECT
  id,
  '  ' || replace(replace(search_name, ' ', '  '), char(127), ' ') || ' ',
  '  ' || replace(replace(concat_ws(' ', search_name, search_text), ' ', '  '), char(127), ' ') || ' ',
  suggested_category_id,
  concat(
    iif(
      suggested_category_id IS NULL, '',
      char(1048576, 983040 + suggested_category_id / 60000, 983040 + suggested_category_id % 60000)
    ),
    (
      SELECT group_concat(char(1048577, 983040 + food_type_id / 60000, 983040 + food_type_id % 60000), '')
      FROM suggestion_food_types WHERE suggestion_id = suggestions.id
    )
  )
FROM suggestions WHERE status = 'pending';

INSERT INTO search_names (search_names) VALUES ('delete-all');
INSERT INTO search_texts (search_texts) VALUES ('delete-all');
INSERT INTO pending_names (pending_names) VALUES ('delete-all');
INSERT INTO pending_texts (pending_texts) VALUES ('delete-all');
INSERT INTO search_names (rowid, text) SELECT id, name FROM search_documents;
INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM search_documents;
INSERT INTO pending_names (rowid, text) SELECT id, name FROM pending_documents;
INSERT INTO pending_texts (rowid, text) SELECT id, text || tokens FROM pending_documents;

CREATE TRIGGER restaurants_search_insert AFTER INSERT ON restaurants BEGIN
  INSERT INTO search_names (rowid, text) SELECT id, name FROM search_documents WHERE id = new.id;
  INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM search_documents WHERE id = new.id;
END;
CREATE TRIGGER restaurants_search_name AFTER UPDATE OF search_name ON restaurants
WHEN old.search_name <> new.search_name BEGIN
  DELETE FROM search_names WHERE rowid = old.id;
  INSERT INTO search_names (rowid, text) SELECT id, name FROM search_documents WHERE id = new.id;
END;
-- The token of a deleted category is never looked for again, so that detaching it changes no entry.
CREATE TRIGGER restaurants_search_text AFTER UPDATE OF search_name, search_text, category_id ON restaurants
WHEN old.search_name <> new.search_name OR old.search_text <> new.search_text
  OR (old.category_id IS NOT new.category_id AND NOT (
    new.category_id IS NULL
    AND EXISTS (SELECT 1 FROM categories WHERE id = old.category_id AND deleted_at IS NOT NULL)
  )) BEGIN
  DELETE FROM search_texts WHERE rowid = old.id;
  INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM search_documents WHERE id = new.id;
END;
CREATE TRIGGER restaurant_food_types_search_insert AFTER INSERT ON restaurant_food_types
WHEN EXISTS (SELECT 1 FROM restaurants WHERE id = new.restaurant_id) BEGIN
  DELETE FROM search_texts WHERE rowid = new.restaurant_id;
  INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM search_documents WHERE id = new.restaurant_id;
END;
CREATE TRIGGER restaurant_food_types_search_delete AFTER DELETE ON restaurant_food_types
WHEN EXISTS (SELECT 1 FROM restaurants WHERE id = old.restaurant_id)
  AND NOT EXISTS (SELECT 1 FROM food_types WHERE id = old.food_type_id AND deleted_at IS NOT NULL) BEGIN
  DELETE FROM search_texts WHERE rowid = old.restaurant_id;
  INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM search_documents WHERE id = old.restaurant_id;
END;

CREATE TRIGGER suggestions_pending_insert AFTER INSERT ON suggestions WHEN new.status = 'pending' BEGIN
  INSERT INTO pending_names (rowid, text) SELECT id, name FROM pending_documents WHERE id = new.id;
  INSERT INTO pending_texts (rowid, text) SELECT id, text || tokens FROM pending_documents WHERE id = new.id;
  INSERT INTO pending_locations
    SELECT new.id, new.latitude, new.latitude, new.longitude, new.longitude WHERE new.latitude IS NOT NULL;
END;
CREATE TRIGGER suggestions_pending_enter AFTER UPDATE OF status ON suggestions
WHEN old.status <> 'pending' AND new.status = 'pending' BEGIN
  INSERT INTO pending_names (rowid, text) SELECT id, name FROM pending_documents WHERE id = new.id;
  INSERT INTO pending_texts (rowid, text) SELECT id, text || tokens FROM pending_documents WHERE id = new.id;
  INSERT INTO pending_locations
    SELECT new.id, new.latitude, new.latitude, new.longitude, new.longitude WHERE new.latitude IS NOT NULL;
END;
CREATE TRIGGER suggestions_pending_category AFTER UPDATE OF suggested_category_id ON suggestions
WHEN new.status = 'pending' AND new.suggested_category_id IS NOT NULL BEGIN
  DELETE FROM pending_texts WHERE rowid = new.id;
  INSERT INTO pending_texts (rowid, text) SELECT id, text || tokens FROM pending_documents WHERE id = new.id;
END;
CREATE TRIGGER suggestion_food_types_pending_delete AFTER DELETE ON suggestion_food_types
WHEN EXISTS (SELECT 1 FROM suggestions WHERE id = old.suggestion_id AND status = 'pending')
  AND NOT EXISTS (SELECT 1 FROM food_types WHERE id = old.food_type_id AND deleted_at IS NOT NULL) BEGIN
  DELETE FROM pending_texts WHERE rowid = old.suggestion_id;
  INSERT INTO pending_texts (rowid, text) SELECT id, text || tokens FROM pending_documents WHERE id = old.suggestion_id;
END;

-- Several suggestions may have become one restaurant. The oldest of them is what the restaurant names in turn.
ALTER TABLE suggestions ADD COLUMN restaurant_id INTEGER REFERENCES restaurants (id) ON DELETE SET NULL;
CREATE INDEX suggestions_by_restaurant ON suggestions (restaurant_id) WHERE restaurant_id IS NOT NULL;
UPDATE suggestions SET restaurant_id = restaurants.id FROM restaurants WHERE restaurants.suggestion_id = suggestions.id;
