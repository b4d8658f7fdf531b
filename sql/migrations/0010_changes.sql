-- The change log: a row for each entity that a write has changed, written in the transaction of that write.

-- restaurant_id: of a restaurant, its ratings and its photos, so that its history is found together. owner_id: whose the
-- entity is. token_name is a copy, since a token may be gone. write_id: the first change of the same write; null in that
-- one itself. reverted_by is null again once that change was reverted in turn. kept_until: how long a deletion can be
-- undone; null once it cannot. fields is null unless it is an update.
CREATE TABLE changes (
  -- No id is used twice, since the last row is never removed.
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  kind TEXT NOT NULL,
  entity_id INTEGER NOT NULL,
  restaurant_id INTEGER,
  action TEXT NOT NULL CHECK (action IN ('create', 'update', 'delete', 'restore')),
  name TEXT NOT NULL,
  fields TEXT,
  before TEXT,
  after TEXT,
  owner_id INTEGER,
  actor_id INTEGER,
  token_id INTEGER,
  token_name TEXT,
  via TEXT NOT NULL CHECK (via IN ('api', 'cli')),
  request_id TEXT,
  write_id INTEGER,
  batch_id INTEGER,
  reverts INTEGER,
  reverted_by INTEGER,
  kept_until TEXT,
  block INTEGER GENERATED ALWAYS AS (id / 2048) VIRTUAL
) STRICT;

-- The history of a restaurant is read block by block. New rows are in the last block, so that writes to many restaurants
-- change few pages: by restaurant alone, each would change one of its own, which took longer than all else of the row.
CREATE INDEX changes_by_block ON changes (block, restaurant_id) WHERE restaurant_id IS NOT NULL;
-- The newest first: a recursion returns its rows in the order in which it makes them.
CREATE VIEW change_blocks AS
WITH RECURSIVE blocks (block) AS (
  SELECT block FROM changes WHERE id = (SELECT max(id) FROM changes)
  UNION ALL SELECT block - 1 FROM blocks
  WHERE block > (SELECT block FROM changes WHERE id = (SELECT min(id) FROM changes))
)
SELECT block FROM blocks;
CREATE INDEX changes_by_deletion ON changes (kind, entity_id) WHERE action = 'delete';
CREATE INDEX changes_by_entity ON changes (kind, entity_id) WHERE restaurant_id IS NULL;
CREATE INDEX changes_by_write ON changes (write_id) WHERE write_id IS NOT NULL;
CREATE INDEX changes_by_batch ON changes (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX changes_by_kept_until ON changes (kept_until) WHERE kept_until IS NOT NULL;

-- Imports, and the reverts of whole imports. file: the name of what was imported.
CREATE TABLE batches (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  file TEXT,
  actor_id INTEGER,
  reverts INTEGER,
  reverted_by INTEGER
) STRICT;

-- The newest change that was removed for its age, and what tells it from another one of the same id. Cursors that stand
-- behind it are valid, those before it are not.
CREATE TABLE change_floor (change_id INTEGER NOT NULL, mark TEXT NOT NULL) STRICT;
INSERT INTO change_floor (change_id, mark) VALUES (0, '');

-- A file of a deleted photo is removed when due_at has passed; it is null as long as the deletion, change_id, can be undone.
CREATE TABLE kept_photo_trash (
  filename TEXT PRIMARY KEY,
  file_size INTEGER NOT NULL,
  change_id INTEGER,
  due_at TEXT,
  CHECK (due_at IS NOT NULL OR change_id IS NOT NULL)
) STRICT, WITHOUT ROWID;
INSERT INTO kept_photo_trash (filename, file_size, due_at)
SELECT filename, 0, strftime('%Y-%m-%dT%H:%M:%fZ', deleted_at, '+15 minutes') FROM photo_trash;
DROP TRIGGER photos_delete;
DROP TABLE photo_trash;
ALTER TABLE kept_photo_trash RENAME TO photo_trash;
CREATE INDEX photo_trash_due ON photo_trash (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX photo_trash_by_change ON photo_trash (change_id) WHERE change_id IS NOT NULL;

-- A backup that read the rows before has a quarter of an hour to take the file.
CREATE TRIGGER photos_delete AFTER DELETE ON photos BEGIN
  INSERT INTO photo_trash (filename, file_size, due_at)
  VALUES (old.filename, old.file_size, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+15 minutes'));
END;

-- The deletion that can still be undone. Until then the rows that refer to a deleted category or food type stay as they
-- are, since nothing reads them.
ALTER TABLE categories ADD COLUMN change_id INTEGER;
ALTER TABLE food_types ADD COLUMN change_id INTEGER;

CREATE TRIGGER changes_keep_photo AFTER INSERT ON changes
WHEN new.kept_until IS NOT NULL AND new.kind = 'photo' BEGIN
  UPDATE photo_trash SET change_id = new.id, due_at = NULL WHERE filename = new.before ->> 'filename';
END;
CREATE TRIGGER changes_keep_photos AFTER INSERT ON changes
WHEN new.kept_until IS NOT NULL AND new.kind = 'restaurant' BEGIN
  UPDATE photo_trash SET change_id = new.id, due_at = NULL
  WHERE filename IN (SELECT value ->> 'filename' FROM json_each(new.before, '$.photos'));
END;
CREATE TRIGGER changes_keep_category AFTER INSERT ON changes
WHEN new.kept_until IS NOT NULL AND new.kind = 'category' BEGIN
  UPDATE categories SET change_id = new.id WHERE id = new.entity_id;
END;
CREATE TRIGGER changes_keep_food_type AFTER INSERT ON changes
WHEN new.kept_until IS NOT NULL AND new.kind = 'food_type' BEGIN
  UPDATE food_types SET change_id = new.id WHERE id = new.entity_id;
END;
CREATE TRIGGER changes_release AFTER UPDATE OF kept_until ON changes
WHEN old.kept_until IS NOT NULL AND new.kept_until IS NULL BEGIN
  UPDATE photo_trash SET due_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE change_id = new.id AND due_at IS NULL;
  UPDATE categories SET change_id = NULL WHERE change_id = new.id;
  UPDATE food_types SET change_id = NULL WHERE change_id = new.id;
END;

CREATE TRIGGER categories_totals_restore AFTER UPDATE OF deleted_at ON categories
WHEN old.deleted_at IS NOT NULL AND new.deleted_at IS NULL BEGIN
  INSERT INTO totals (scope, scope_id, restaurants)
  SELECT 'category', new.id, count(*) FROM restaurants WHERE category_id = new.id;
END;
CREATE TRIGGER food_types_totals_restore AFTER UPDATE OF deleted_at ON food_types
WHEN old.deleted_at IS NOT NULL AND new.deleted_at IS NULL BEGIN
  INSERT INTO totals (scope, scope_id, restaurants)
  SELECT 'food_type', new.id, count(*) FROM restaurant_food_types WHERE food_type_id = new.id;
END;

CREATE TRIGGER changes_revert AFTER INSERT ON changes WHEN new.reverts IS NOT NULL BEGIN
  UPDATE changes SET reverted_by = new.id WHERE id = new.reverts;
  -- A deletion that is done again can be undone no longer than the last time, since the files of photos go then.
  UPDATE changes SET reverted_by = NULL, kept_until = min(kept_until, new.kept_until),
    before = CASE WHEN action = 'delete' AND new.kept_until IS NULL THEN NULL ELSE before END
  WHERE id = (SELECT reverts FROM changes WHERE id = new.reverts);
END;
CREATE TRIGGER batches_revert AFTER INSERT ON batches WHEN new.reverts IS NOT NULL BEGIN
  UPDATE batches SET reverted_by = new.id WHERE id = new.reverts;
  UPDATE batches SET reverted_by = NULL WHERE id = (SELECT reverts FROM batches WHERE id = new.reverts);
END;
