-- name: newestRecord
SELECT max(
  coalesce((SELECT max(created_at) FROM restaurants), ''),
  coalesce((SELECT max(created_at) FROM suggestions), ''),
  coalesce((SELECT created_at FROM photos WHERE id = (SELECT max(id) FROM photos)), '')
) AS newest

-- name: sumPhotos
SELECT count(*) AS photos, coalesce(sum(file_size), 0) AS bytes FROM photos

-- name: describeChanges
-- They are removed from the beginning alone.
SELECT coalesce(max(id) - (SELECT change_id FROM change_floor), 0) AS changes,
  (SELECT at FROM changes WHERE id = (SELECT min(id) FROM changes)) AS since
FROM changes

-- name: sizeOfChanges
-- The table and its indexes.
SELECT sum(pgsize) AS bytes FROM dbstat
WHERE aggregate = TRUE AND name IN (SELECT name FROM sqlite_schema WHERE tbl_name = 'changes')
