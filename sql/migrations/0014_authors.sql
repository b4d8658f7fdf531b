-- Ratings may be changed by their authors, and photos have thumbnails.

ALTER TABLE ratings ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
DROP TRIGGER ratings_update;
UPDATE ratings SET updated_at = created_at;
CREATE TRIGGER ratings_fixed BEFORE UPDATE OF id, restaurant_id, created_at ON ratings BEGIN
  SELECT raise(ABORT, 'a rating stays at its restaurant');
END;
CREATE TRIGGER ratings_update AFTER UPDATE OF food_rating, service_rating, ambiance_rating ON ratings BEGIN
  UPDATE restaurants SET food_sum = food_sum + new.food_rating - old.food_rating,
    service_sum = service_sum + new.service_rating - old.service_rating,
    ambiance_sum = ambiance_sum + new.ambiance_rating - old.ambiance_rating
  WHERE id = new.restaurant_id;
END;

-- A user's ratings, newest first.
DROP INDEX ratings_by_user;
CREATE INDEX ratings_by_user ON ratings (user_id, created_at DESC, id DESC);

-- A small file of its own next to a photo's; null where none was uploaded.
ALTER TABLE photos ADD COLUMN thumbnail_filename TEXT;
ALTER TABLE photos ADD COLUMN thumbnail_size INTEGER CHECK (thumbnail_size BETWEEN 1 AND 153600);
ALTER TABLE photos ADD COLUMN thumbnail_type TEXT CHECK (thumbnail_type IN ('image/jpeg', 'image/webp'));
ALTER TABLE photos ADD COLUMN thumbnail_width INTEGER CHECK (thumbnail_width BETWEEN 1 AND 640);
ALTER TABLE photos ADD COLUMN thumbnail_height INTEGER CHECK (thumbnail_height BETWEEN 1 AND 640);
CREATE UNIQUE INDEX photos_by_thumbnail ON photos (thumbnail_filename) WHERE thumbnail_filename IS NOT NULL;

-- All files of photos.
CREATE VIEW photo_files (filename, photo_id, size, type) AS
SELECT filename, id, file_size, mime_type FROM photos
UNION ALL
SELECT thumbnail_filename, id, thumbnail_size, thumbnail_type FROM photos WHERE thumbnail_filename IS NOT NULL;

-- A thumbnail shares the fate of its photo.
DROP TRIGGER photos_delete;
CREATE TRIGGER photos_delete AFTER DELETE ON photos BEGIN
  INSERT INTO photo_trash (filename, file_size, due_at)
  VALUES (old.filename, old.file_size, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+15 minutes'));
  INSERT INTO photo_trash (filename, file_size, due_at)
  SELECT old.thumbnail_filename, old.thumbnail_size, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+15 minutes')
  WHERE old.thumbnail_filename IS NOT NULL;
END;
DROP TRIGGER changes_keep_photo;
CREATE TRIGGER changes_keep_photo AFTER INSERT ON changes
WHEN new.kept_until IS NOT NULL AND new.kind = 'photo' BEGIN
  UPDATE photo_trash SET change_id = new.id, due_at = NULL
  WHERE filename IN (new.before ->> 'filename', new.before ->> 'thumbnail_filename');
END;
DROP TRIGGER changes_keep_photos;
CREATE TRIGGER changes_keep_photos AFTER INSERT ON changes
WHEN new.kept_until IS NOT NULL AND new.kind = 'restaurant' BEGIN
  UPDATE photo_trash SET change_id = new.id, due_at = NULL WHERE filename IN (
    SELECT value ->> 'filename' FROM json_each(new.before, '$.photos')
    UNION ALL SELECT value ->> 'thumbnail_filename' FROM json_each(new.before, '$.photos')
  );
END;
