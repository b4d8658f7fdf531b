-- Names are searched in memory: their index goes, and with it the time that it takes to write one.

DROP TRIGGER restaurants_search_insert;
DROP TRIGGER restaurants_search_name;
DROP TRIGGER restaurants_search_delete;
DROP TRIGGER suggestions_search_insert;
DROP TRIGGER suggestions_search_enter;
DROP TRIGGER suggestions_search_leave;
DROP TRIGGER suggestions_search_delete;
DROP TABLE search_names;

CREATE TRIGGER restaurants_search_insert AFTER INSERT ON restaurants BEGIN
  INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM search_documents WHERE id = new.id;
END;
CREATE TRIGGER restaurants_search_delete AFTER DELETE ON restaurants BEGIN
  DELETE FROM search_texts WHERE rowid = old.id;
END;
CREATE TRIGGER suggestions_search_insert AFTER INSERT ON suggestions WHEN new.status = 'pending' BEGIN
  INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM pending_documents WHERE id = new.id;
END;
CREATE TRIGGER suggestions_search_enter AFTER UPDATE OF status ON suggestions
WHEN old.status <> 'pending' AND new.status = 'pending' BEGIN
  INSERT INTO search_texts (rowid, text) SELECT id, text || tokens FROM pending_documents WHERE id = new.id;
END;
CREATE TRIGGER suggestions_search_leave AFTER UPDATE OF status ON suggestions
WHEN old.status = 'pending' AND new.status <> 'pending' BEGIN
  DELETE FROM search_texts WHERE rowid = old.id;
END;
CREATE TRIGGER suggestions_search_delete AFTER DELETE ON suggestions WHEN old.status = 'pending' BEGIN
  DELETE FROM search_texts WHERE rowid = old.id;
END;
