-- What a deletion takes along stays in its own table under the id of the deleted restaurant or list, which is never used
-- again, so that a deletion and its revert take the same time whatever belongs to it. Nothing reads these rows until the
-- restaurant or list is there again; they are removed in the background once the deletion can no longer be undone.

DROP TRIGGER restaurants_personal_insert;
DROP TRIGGER restaurants_personal_delete;
DROP TRIGGER changes_release_personal;
DROP TRIGGER changes_forget_personal;
DROP TRIGGER changes_keep_photos;
DROP TRIGGER changes_release;
DROP VIEW restorable_restaurants;
DROP VIEW photo_files;

-- The tables without references that cascade. Long texts come last, so that the other columns are read without them.

CREATE TABLE new_ratings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  restaurant_id INTEGER NOT NULL,
  -- Null: an import, the placeholder, or an account that is gone.
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  food_rating INTEGER NOT NULL CHECK (food_rating BETWEEN 1 AND 5),
  service_rating INTEGER NOT NULL CHECK (service_rating BETWEEN 1 AND 5),
  ambiance_rating INTEGER NOT NULL CHECK (ambiance_rating BETWEEN 1 AND 5),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  comment TEXT CHECK (length(comment) <= 5000)
) STRICT;
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_ratings', seq FROM sqlite_sequence WHERE name = 'ratings';
INSERT INTO new_ratings (
  id, restaurant_id, user_id, food_rating, service_rating, ambiance_rating, created_at, updated_at, comment
)
SELECT id, restaurant_id, user_id, food_rating, service_rating, ambiance_rating, created_at, updated_at, comment
FROM ratings;
DROP TABLE ratings;
ALTER TABLE new_ratings RENAME TO ratings;
CREATE INDEX ratings_by_restaurant ON ratings (restaurant_id, created_at DESC, id DESC);
CREATE INDEX ratings_by_restaurant_and_user ON ratings (restaurant_id, user_id, created_at DESC, id DESC);
-- With the restaurant, so that those of deleted restaurants are passed over without reading them.
CREATE INDEX ratings_by_user ON ratings (user_id, created_at DESC, id DESC, restaurant_id);

CREATE TABLE new_photos (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  restaurant_id INTEGER NOT NULL,
  filename TEXT NOT NULL UNIQUE,
  original_filename TEXT CHECK (length(original_filename) BETWEEN 1 AND 255),
  caption TEXT NOT NULL CHECK (length(caption) <= 255),
  file_size INTEGER NOT NULL CHECK (file_size > 0),
  mime_type TEXT NOT NULL CHECK (mime_type IN ('image/jpeg', 'image/png', 'image/webp')),
  -- As a viewer shows it, orientation applied.
  width INTEGER NOT NULL CHECK (width > 0),
  height INTEGER NOT NULL CHECK (height > 0),
  -- Who uploaded it. Null: the placeholder, or an account that is gone.
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  -- A small file of its own next to a photo's; null where none was uploaded.
  thumbnail_filename TEXT,
  thumbnail_size INTEGER CHECK (thumbnail_size BETWEEN 1 AND 153600),
  thumbnail_type TEXT CHECK (thumbnail_type IN ('image/jpeg', 'image/webp')),
  thumbnail_width INTEGER CHECK (thumbnail_width BETWEEN 1 AND 640),
  thumbnail_height INTEGER CHECK (thumbnail_height BETWEEN 1 AND 640)
) STRICT;
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_photos', seq FROM sqlite_sequence WHERE name = 'photos';
INSERT INTO new_photos (
  id, restaurant_id, filename, original_filename, caption, file_size, mime_type, width, height, user_id, created_at,
  updated_at, thumbnail_filename, thumbnail_size, thumbnail_type, thumbnail_width, thumbnail_height
)
SELECT id, restaurant_id, filename, original_filename, caption, file_size, mime_type, width, height, user_id,
  created_at, updated_at, thumbnail_filename, thumbnail_size, thumbnail_type, thumbnail_width, thumbnail_height
FROM photos;
DROP TABLE photos;
ALTER TABLE new_photos RENAME TO photos;
CREATE INDEX photos_by_restaurant ON photos (restaurant_id, created_at DESC, id DESC);
CREATE INDEX photos_by_user ON photos (user_id);
CREATE UNIQUE INDEX photos_by_thumbnail ON photos (thumbnail_filename) WHERE thumbnail_filename IS NOT NULL;

-- All files of photos, those of deleted restaurants as well.
CREATE VIEW photo_files (filename, photo_id, size, type) AS
SELECT filename, id, file_size, mime_type FROM photos
UNION ALL
SELECT thumbnail_filename, id, thumbnail_size, thumbnail_type FROM photos WHERE thumbnail_filename IS NOT NULL;

-- user_id is that of the list, so that all items of a user at a restaurant are found at once. Items are ordered by rank,
-- then by restaurant; ranks have gaps, so that an item moves without the others. is_there: whether the restaurant exists;
-- in a deleted list it is not up to date.
CREATE TABLE new_list_items (
  list_id INTEGER NOT NULL,
  restaurant_id INTEGER NOT NULL,
  user_id INTEGER,
  rank INTEGER NOT NULL,
  is_there INTEGER NOT NULL DEFAULT 1 CHECK (is_there IN (0, 1)),
  note TEXT CHECK (length(note) BETWEEN 1 AND 1000),
  created_at TEXT NOT NULL,
  PRIMARY KEY (list_id, restaurant_id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_list_items (list_id, restaurant_id, user_id, rank, is_there, note, created_at)
SELECT list_id, restaurant_id, user_id, rank, is_there, note, created_at FROM list_items;
DROP TABLE list_items;
ALTER TABLE new_list_items RENAME TO list_items;
CREATE INDEX list_items_by_rank ON list_items (list_id, rank, restaurant_id, is_there);
CREATE INDEX list_items_by_restaurant ON list_items (restaurant_id, user_id, list_id, is_there);

-- Deleted restaurants to which something still belongs, with the sums of their ratings. change_id: the deletion that can
-- be undone. due_at: set once it cannot, until all that belongs to it is removed; files of photos may go from then on. With
-- neither only visits are left, which need the name.
CREATE TABLE deleted_restaurants (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  rating_count INTEGER NOT NULL DEFAULT 0,
  food_sum INTEGER NOT NULL DEFAULT 0,
  service_sum INTEGER NOT NULL DEFAULT 0,
  ambiance_sum INTEGER NOT NULL DEFAULT 0,
  change_id INTEGER,
  due_at TEXT,
  CHECK (change_id IS NULL OR due_at IS NULL)
) STRICT;
CREATE INDEX deleted_restaurants_by_change ON deleted_restaurants (change_id) WHERE change_id IS NOT NULL;
CREATE INDEX deleted_restaurants_due ON deleted_restaurants (due_at) WHERE due_at IS NOT NULL;

-- The same for lists.
CREATE TABLE deleted_lists (
  id INTEGER PRIMARY KEY,
  user_id INTEGER,
  change_id INTEGER,
  due_at TEXT,
  CHECK ((change_id IS NULL) <> (due_at IS NULL))
) STRICT;
CREATE INDEX deleted_lists_by_change ON deleted_lists (change_id) WHERE change_id IS NOT NULL;
CREATE INDEX deleted_lists_by_user ON deleted_lists (user_id);
CREATE INDEX deleted_lists_due ON deleted_lists (due_at) WHERE due_at IS NOT NULL;

-- Purged deletions of which the log still holds something: in changes of the same entity before before_id.
CREATE TABLE purges (change_id INTEGER PRIMARY KEY, before_id INTEGER NOT NULL) STRICT;

ALTER TABLE changes ADD COLUMN purged_at TEXT;
ALTER TABLE changes ADD COLUMN purged_by INTEGER;
CREATE INDEX changes_of_ratings_and_photos ON changes (kind, entity_id) WHERE kind IN ('rating', 'photo');
CREATE INDEX changes_in_trash_by_owner ON changes (owner_id) WHERE kept_until IS NOT NULL AND owner_id IS NOT NULL;
CREATE INDEX changes_in_trash_by_restaurant ON changes (restaurant_id, kind, owner_id)
WHERE kept_until IS NOT NULL AND restaurant_id IS NOT NULL;

-- Brings what the log holds of deleted restaurants and lists back into the tables.

INSERT INTO deleted_restaurants (id, name, change_id)
SELECT entity_id, name, id FROM changes
WHERE id IN (SELECT max(id) FROM changes WHERE kind = 'restaurant' AND action = 'delete' GROUP BY entity_id)
  AND kept_until IS NOT NULL AND entity_id NOT IN (SELECT id FROM restaurants);

INSERT OR IGNORE INTO ratings (
  id, restaurant_id, user_id, food_rating, service_rating, ambiance_rating, created_at, updated_at, comment
)
SELECT
  rating.value ->> 'id', deleted_restaurants.id, (SELECT id FROM users WHERE id = rating.value ->> 'author_id'),
  rating.value ->> 'food_rating', rating.value ->> 'service_rating', rating.value ->> 'ambiance_rating',
  rating.value ->> 'created_at', coalesce(rating.value ->> 'updated_at', rating.value ->> 'created_at'),
  rating.value ->> 'comment'
FROM deleted_restaurants CROSS JOIN changes ON changes.id = change_id, json_each(before, '$.ratings') AS rating;

INSERT OR IGNORE INTO photos (
  id, restaurant_id, filename, original_filename, caption, file_size, mime_type, width, height, user_id, created_at,
  updated_at, thumbnail_filename, thumbnail_size, thumbnail_type, thumbnail_width, thumbnail_height
)
SELECT
  photo.value ->> 'id', deleted_restaurants.id, photo.value ->> 'filename', photo.value ->> 'original_filename',
  coalesce(photo.value ->> 'caption', ''), photo.value ->> 'file_size', photo.value ->> 'mime_type',
  photo.value ->> 'width', photo.value ->> 'height', (SELECT id FROM users WHERE id = photo.value ->> 'author_id'),
  photo.value ->> 'created_at', photo.value ->> 'updated_at', photo.value ->> 'thumbnail_filename',
  photo.value ->> 'thumbnail_size', photo.value ->> 'thumbnail_type', photo.value ->> 'thumbnail_width',
  photo.value ->> 'thumbnail_height'
FROM deleted_restaurants CROSS JOIN changes ON changes.id = change_id, json_each(before, '$.photos') AS photo;

DELETE FROM photo_trash WHERE filename IN (SELECT filename FROM photo_files);

UPDATE deleted_restaurants SET
  rating_count = sums.ratings, food_sum = sums.food, service_sum = sums.service, ambiance_sum = sums.ambiance
FROM (
  SELECT restaurant_id, count(*) AS ratings, sum(food_rating) AS food, sum(service_rating) AS service,
    sum(ambiance_rating) AS ambiance
  FROM deleted_restaurants AS deleted CROSS JOIN ratings ON restaurant_id = deleted.id GROUP BY restaurant_id
) AS sums
WHERE sums.restaurant_id = deleted_restaurants.id;

-- A visit finds the name of a deleted restaurant by its id; it has a copy only where that is lost.
UPDATE visits SET restaurant_name = NULL
WHERE restaurant_name IS NOT NULL AND restaurant_id IN (SELECT id FROM deleted_restaurants);

INSERT INTO deleted_lists (id, user_id, change_id)
SELECT entity_id, before ->> 'author_id', id FROM changes
WHERE id IN (SELECT max(id) FROM changes WHERE kind = 'list' AND action = 'delete' GROUP BY entity_id)
  AND kept_until IS NOT NULL AND entity_id NOT IN (SELECT id FROM lists);

INSERT OR IGNORE INTO list_items (list_id, restaurant_id, user_id, rank, is_there, note, created_at)
SELECT
  deleted_lists.id, item.value ->> 'restaurant_id', user_id, (item.key + 1) * 1048576,
  item.value ->> 'restaurant_id' IN (SELECT id FROM restaurants), item.value ->> 'note', item.value ->> 'created_at'
FROM deleted_lists CROSS JOIN changes ON changes.id = change_id, json_each(before, '$.items') AS item
WHERE item.value ->> 'restaurant_id' IN (SELECT id FROM restaurants)
  OR item.value ->> 'restaurant_id' IN (SELECT id FROM deleted_restaurants);

-- The log names the first hundred of them, and how many they were. With more than that, those with an id above the last
-- one are known to have come later.

UPDATE changes SET before = json_set(
  json_remove(before, '$.ratings', '$.photos'),
  '$.rating_ids', json((SELECT json_group_array(id) FROM (SELECT value ->> 'id' AS id FROM json_each(before, '$.ratings') LIMIT 100))),
  '$.ratings_total', json_array_length(before, '$.ratings'),
  '$.last_rating_id', (SELECT coalesce(max(value ->> 'id'), 0) FROM json_each(before, '$.ratings')),
  '$.photo_ids', json((SELECT json_group_array(id) FROM (SELECT value ->> 'id' AS id FROM json_each(before, '$.photos') LIMIT 100))),
  '$.photos_total', json_array_length(before, '$.photos'),
  '$.last_photo_id', (SELECT coalesce(max(value ->> 'id'), 0) FROM json_each(before, '$.photos'))
)
WHERE kind = 'restaurant' AND action = 'delete' AND before IS NOT NULL
  AND json_type(before, '$.ratings') = 'array' AND json_type(before, '$.photos') = 'array';

UPDATE changes SET after = json_set(
  json_remove(after, '$.ratings', '$.photos'),
  '$.rating_ids', json((SELECT json_group_array(id) FROM (SELECT value ->> 'id' AS id FROM json_each(after, '$.ratings') LIMIT 100))),
  '$.ratings_total', json_array_length(after, '$.ratings'),
  '$.last_rating_id', (SELECT coalesce(max(value ->> 'id'), 0) FROM json_each(after, '$.ratings')),
  '$.photo_ids', json((SELECT json_group_array(id) FROM (SELECT value ->> 'id' AS id FROM json_each(after, '$.photos') LIMIT 100))),
  '$.photos_total', json_array_length(after, '$.photos'),
  '$.last_photo_id', (SELECT coalesce(max(value ->> 'id'), 0) FROM json_each(after, '$.photos'))
)
WHERE kind = 'restaurant' AND action = 'restore' AND after IS NOT NULL
  AND json_type(after, '$.ratings') = 'array' AND json_type(after, '$.photos') = 'array';

UPDATE changes SET before = json_set(
  json_remove(before, '$.items'),
  '$.item_ids', json((
    SELECT json_group_array(id) FROM (SELECT value ->> 'restaurant_id' AS id FROM json_each(before, '$.items') LIMIT 100)
  )),
  '$.items_total', json_array_length(before, '$.items')
)
WHERE kind = 'list' AND action = 'delete' AND before IS NOT NULL AND json_type(before, '$.items') = 'array';

UPDATE changes SET after = json_set(
  json_remove(after, '$.items'),
  '$.item_ids', json((
    SELECT json_group_array(id) FROM (SELECT value ->> 'restaurant_id' AS id FROM json_each(after, '$.items') LIMIT 100)
  )),
  '$.items_total', json_array_length(after, '$.items')
)
WHERE kind = 'list' AND action = 'restore' AND after IS NOT NULL AND json_type(after, '$.items') = 'array';

-- The sums of a restaurant, deleted or not.

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
  UPDATE deleted_restaurants SET rating_count = rating_count - 1,
    food_sum = food_sum - old.food_rating,
    service_sum = service_sum - old.service_rating,
    ambiance_sum = ambiance_sum - old.ambiance_rating
  WHERE id = old.restaurant_id;
END;
CREATE TRIGGER ratings_fixed BEFORE UPDATE OF id, restaurant_id, created_at ON ratings BEGIN
  SELECT raise(ABORT, 'a rating stays at its restaurant');
END;
CREATE TRIGGER ratings_update AFTER UPDATE OF food_rating, service_rating, ambiance_rating ON ratings BEGIN
  UPDATE restaurants SET food_sum = food_sum + new.food_rating - old.food_rating,
    service_sum = service_sum + new.service_rating - old.service_rating,
    ambiance_sum = ambiance_sum + new.ambiance_rating - old.ambiance_rating
  WHERE id = new.restaurant_id;
END;

-- A thumbnail shares the fate of its photo. A backup that read the row before has a quarter of an hour to take the files,
-- which is over where the restaurant was deleted before that.
CREATE TRIGGER photos_delete AFTER DELETE ON photos BEGIN
  INSERT INTO photo_trash (filename, file_size, due_at)
  SELECT file.value ->> 0, file.value ->> 1, coalesce(
    (
      SELECT coalesce(due_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
      FROM deleted_restaurants WHERE id = old.restaurant_id
    ),
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+15 minutes')
  )
  FROM json_each(json_array(
    json_array(old.filename, old.file_size), json_array(old.thumbnail_filename, old.thumbnail_size)
  )) AS file
  WHERE file.value ->> 0 IS NOT NULL;
END;

CREATE TRIGGER list_items_insert AFTER INSERT ON list_items WHEN new.is_there = 1 BEGIN
  UPDATE lists SET item_count = item_count + 1 WHERE id = new.list_id;
END;
CREATE TRIGGER list_items_delete AFTER DELETE ON list_items WHEN old.is_there = 1 BEGIN
  UPDATE lists SET item_count = item_count - 1 WHERE id = old.list_id;
END;
CREATE TRIGGER list_items_update AFTER UPDATE OF is_there ON list_items WHEN old.is_there <> new.is_there BEGIN
  UPDATE lists SET item_count = item_count + new.is_there - old.is_there WHERE id = new.list_id;
END;

-- A deletion that is not logged, or cannot be undone, is due at once, but for a backup that is under way.
CREATE TRIGGER restaurants_trash_delete AFTER DELETE ON restaurants BEGIN
  INSERT INTO deleted_restaurants (id, name, rating_count, food_sum, service_sum, ambiance_sum, due_at)
  VALUES (
    old.id, old.name, old.rating_count, old.food_sum, old.service_sum, old.ambiance_sum,
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+15 minutes')
  );
  UPDATE list_items SET is_there = 0 WHERE restaurant_id = old.id AND list_id IN (SELECT id FROM lists);
END;
CREATE TRIGGER restaurants_trash_insert AFTER INSERT ON restaurants
WHEN EXISTS (SELECT 1 FROM deleted_restaurants WHERE id = new.id) BEGIN
  UPDATE restaurants SET
    rating_count = deleted.rating_count, food_sum = deleted.food_sum, service_sum = deleted.service_sum,
    ambiance_sum = deleted.ambiance_sum
  FROM deleted_restaurants AS deleted WHERE deleted.id = new.id AND restaurants.id = new.id;
  DELETE FROM deleted_restaurants WHERE id = new.id;
  UPDATE list_items SET is_there = 1 WHERE restaurant_id = new.id AND list_id IN (SELECT id FROM lists);
END;

CREATE TRIGGER lists_trash_delete AFTER DELETE ON lists BEGIN
  INSERT INTO deleted_lists (id, user_id, due_at)
  VALUES (old.id, old.user_id, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;
CREATE TRIGGER lists_trash_insert AFTER INSERT ON lists
WHEN EXISTS (SELECT 1 FROM deleted_lists WHERE id = new.id) BEGIN
  DELETE FROM deleted_lists WHERE id = new.id;
  UPDATE list_items SET is_there = 1 - is_there
  WHERE list_id = new.id AND is_there <> EXISTS (SELECT 1 FROM restaurants WHERE id = restaurant_id);
  UPDATE lists SET item_count = (SELECT count(*) FROM list_items WHERE list_id = new.id AND is_there = 1)
  WHERE id = new.id;
END;

CREATE TRIGGER changes_keep_restaurant AFTER INSERT ON changes
WHEN new.kept_until IS NOT NULL AND new.kind = 'restaurant' BEGIN
  UPDATE deleted_restaurants SET change_id = new.id, due_at = NULL WHERE id = new.entity_id;
END;
CREATE TRIGGER changes_keep_list AFTER INSERT ON changes
WHEN new.kept_until IS NOT NULL AND new.kind = 'list' BEGIN
  UPDATE deleted_lists SET change_id = new.id, due_at = NULL WHERE id = new.entity_id;
END;
CREATE TRIGGER changes_release AFTER UPDATE OF kept_until ON changes
WHEN old.kept_until IS NOT NULL AND new.kept_until IS NULL BEGIN
  UPDATE photo_trash SET due_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE change_id = new.id AND due_at IS NULL;
  UPDATE categories SET change_id = NULL WHERE change_id = new.id;
  UPDATE food_types SET change_id = NULL WHERE change_id = new.id;
  UPDATE deleted_restaurants SET change_id = NULL, due_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  WHERE change_id = new.id;
  UPDATE deleted_lists SET change_id = NULL, due_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE change_id = new.id;
END;

-- It may have been the last one that needed the name of a deleted restaurant.
CREATE TRIGGER visits_delete AFTER DELETE ON visits WHEN old.restaurant_id IS NOT NULL BEGIN
  UPDATE deleted_restaurants SET due_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  WHERE id = old.restaurant_id AND change_id IS NULL AND due_at IS NULL;
END;
