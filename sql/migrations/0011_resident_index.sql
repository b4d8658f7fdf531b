-- Lists, circles, boxes, totals and names are answered from the index in memory: the indexes here that did so go, and with
-- them most of the time of a write. Restaurants and pending suggestions, which share their ids, share the index of texts.

DROP INDEX restaurants_by_newest;
DROP INDEX restaurants_by_name;
DROP INDEX restaurants_by_rating;
DROP INDEX restaurants_by_status;
DROP INDEX restaurants_by_category;
CREATE INDEX restaurants_by_category ON restaurants (category_id);
DROP INDEX suggestions_by_status_and_name;
DROP VIEW pending_restaurants;

DROP TRIGGER restaurants_location_insert;
DROP TRIGGER restaurants_location_update;
DROP TRIGGER restaurants_location_delete;
DROP TABLE restaurant_locations;

DROP TRIGGER categories_totals_insert;
DROP TRIGGER categories_totals_delete;
DROP TRIGGER categories_totals_retire;
DROP TRIGGER categories_totals_restore;
DROP TRIGGER food_types_totals_insert;
DROP TRIGGER food_types_totals_delete;
DROP TRIGGER food_types_totals_retire;
DROP TRIGGER food_types_totals_restore;
DROP TRIGGER restaurants_totals_insert;
DROP TRIGGER restaurants_totals_delete;
DROP TRIGGER restaurants_totals_category;
DROP TRIGGER restaurant_food_types_totals_insert;
DROP TRIGGER restaurant_food_types_totals_delete;
DROP TABLE totals;

DROP TRIGGER suggestions_pending_insert;
DROP TRIGGER suggestions_pending_enter;
DROP TRIGGER suggestions_pending_leave;
DROP TRIGGER suggestions_pending_delete;
DROP TRIGGER suggestions_pending_category;
DROP TRIGGER suggestion_food_types_pending_delete;
DROP TABLE pending_locations;
DROP TABLE pending_names;
DROP TABLE pending_texts;

INSERT INTO search_names (rowid, text) SELECT id, name FROM pending_documents;
INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM pending_documents;

CREATE TRIGGER suggestions_search_insert AFTER INSERT ON suggestions WHEN new.status = 'pending' BEGIN
  INSERT INTO search_names (rowid, text) SELECT id, name FROM pending_documents WHERE id = new.id;
  INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM pending_documents WHERE id = new.id;
END;
CREATE TRIGGER suggestions_search_enter AFTER UPDATE OF status ON suggestions
WHEN old.status <> 'pending' AND new.status = 'pending' BEGIN
  INSERT INTO search_names (rowid, text) SELECT id, name FROM pending_documents WHERE id = new.id;
  INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM pending_documents WHERE id = new.id;
END;
CREATE TRIGGER suggestions_search_leave AFTER UPDATE OF status ON suggestions
WHEN old.status = 'pending' AND new.status <> 'pending' BEGIN
  DELETE FROM search_names WHERE rowid = old.id;
  DELETE FROM search_texts WHERE rowid = old.id;
END;
CREATE TRIGGER suggestions_search_delete AFTER DELETE ON suggestions WHEN old.status = 'pending' BEGIN
  DELETE FROM search_names WHERE rowid = old.id;
  DELETE FROM search_texts WHERE rowid = old.id;
END;
CREATE TRIGGER suggestions_search_category AFTER UPDATE OF suggested_category_id ON suggestions
WHEN new.status = 'pending' AND new.suggested_category_id IS NOT NULL BEGIN
  DELETE FROM search_texts WHERE rowid = new.id;
  INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM pending_documents WHERE id = new.id;
END;
CREATE TRIGGER suggestion_food_types_search_delete AFTER DELETE ON suggestion_food_types
WHEN EXISTS (SELECT 1 FROM suggestions WHERE id = old.suggestion_id AND status = 'pending')
  AND NOT EXISTS (SELECT 1 FROM food_types WHERE id = old.food_type_id AND deleted_at IS NOT NULL) BEGIN
  DELETE FROM search_texts WHERE rowid = old.suggestion_id;
  INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM pending_documents WHERE id = old.suggestion_id;
END;
