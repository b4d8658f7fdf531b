-- name: insertPhoto
-- The account of a restored photo's author may be gone.
INSERT INTO photos (id, {fields}, created_at, updated_at, user_id)
VALUES (:id, {values}, :created_at, :updated_at, (SELECT id FROM users WHERE id = :author_id))
RETURNING id

-- name: selectPhoto
SELECT photos.id, {fields}, photos.created_at, photos.updated_at, user_id AS author_id, username AS author_name
FROM photos LEFT JOIN users ON users.id = user_id

-- name: whereId
-- Photos of deleted restaurants are in the trash.
WHERE photos.id = :id AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id)

-- name: whereOfRestaurant
WHERE restaurant_id = :restaurantId AND (photos.created_at, photos.id) < (:createdAt, :id)
  AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = :restaurantId)
ORDER BY photos.created_at DESC, photos.id DESC LIMIT :limit OFFSET :offset

-- name: getPhotoRestaurant
SELECT name FROM restaurants WHERE id = :restaurantId

-- name: leaveTrash
DELETE FROM photo_trash WHERE filename IN (:filename, :thumbnail_filename)

-- name: setCaption
UPDATE photos SET caption = :caption, updated_at = :now WHERE id = :id

-- name: deletePhoto
DELETE FROM photos WHERE id = :id

-- name: getPhotoType
SELECT type FROM photo_files JOIN photos ON photos.id = photo_id JOIN restaurants ON restaurants.id = restaurant_id
WHERE photo_files.filename = :filename

-- name: findFilesWithoutRow
SELECT value AS filename FROM json_each(:filenames)
WHERE NOT EXISTS (SELECT 1 FROM photo_files WHERE filename = value)
  AND NOT EXISTS (SELECT 1 FROM photo_trash WHERE filename = value)

-- name: findRowsWithoutFile
SELECT photo_id AS id, filename FROM photo_files
WHERE filename >= :first AND filename < :behind
  AND filename NOT IN (SELECT value FROM json_each(:filenames))

-- name: listTrash
SELECT filename FROM photo_trash WHERE due_at <= :now ORDER BY due_at LIMIT :limit

-- name: deleteTrash
DELETE FROM photo_trash WHERE filename IN (SELECT value FROM json_each(:filenames))

-- name: listCovers
-- By restaurant, as the JSON of `cover`; `:folder` is the path that file names follow in addresses.
SELECT
  restaurant_id,
  json_object(
    'thumbnail_url', :folder || thumbnail_filename, 'width', thumbnail_width, 'height', thumbnail_height
  )
FROM json_each(:ids) AS wanted CROSS JOIN restaurants ON restaurants.id = wanted.value CROSS JOIN photos ON photos.id = (
  SELECT id FROM photos WHERE restaurant_id = wanted.value AND thumbnail_filename IS NOT NULL
  ORDER BY created_at DESC, id DESC LIMIT 1
)
