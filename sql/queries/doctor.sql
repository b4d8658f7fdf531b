-- name: newestRecord
SELECT max(
  coalesce((SELECT max(created_at) FROM restaurants), ''),
  coalesce((SELECT max(created_at) FROM suggestions), ''),
  coalesce((SELECT created_at FROM photos WHERE id = (SELECT max(id) FROM photos)), '')
) AS newest

-- name: sumPhotos
SELECT count(*) AS photos, coalesce(sum(file_size + coalesce(thumbnail_size, 0)), 0) AS bytes
FROM photos JOIN restaurants ON restaurants.id = restaurant_id

-- name: sizeOfChanges
-- The table and its indexes.
SELECT sum(pgsize) AS bytes FROM dbstat
WHERE aggregate = TRUE AND name IN (SELECT name FROM sqlite_schema WHERE tbl_name = 'changes')
