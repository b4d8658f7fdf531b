-- Menu photos. The file of each is in the data folder, under the name that is unique here.
CREATE TABLE photos (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  restaurant_id INTEGER NOT NULL REFERENCES restaurants (id) ON DELETE CASCADE,
  filename TEXT NOT NULL UNIQUE,
  original_filename TEXT CHECK (length(original_filename) BETWEEN 1 AND 255),
  caption TEXT NOT NULL CHECK (length(caption) <= 255),
  file_size INTEGER NOT NULL CHECK (file_size > 0),
  mime_type TEXT NOT NULL CHECK (mime_type IN ('image/jpeg', 'image/png', 'image/webp')),
  -- As a viewer shows it, orientation applied.
  width INTEGER NOT NULL CHECK (width > 0),
  height INTEGER NOT NULL CHECK (height > 0),
  -- Who uploaded it. Null: the placeholder, or somebody whose account is gone.
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX photos_by_restaurant ON photos (restaurant_id, created_at DESC, id DESC);
CREATE INDEX photos_by_user ON photos (user_id);

-- Files whose photo was deleted, alone or with its restaurant. Nobody is served them any more, but a backup that read
-- the rows before may still want them, so that they are removed only some time later.
CREATE TABLE photo_trash (
  filename TEXT PRIMARY KEY,
  deleted_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX photo_trash_by_age ON photo_trash (deleted_at);

CREATE TRIGGER photos_delete AFTER DELETE ON photos BEGIN
  INSERT INTO photo_trash (filename, deleted_at) VALUES (old.filename, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;
