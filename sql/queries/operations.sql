-- name: ping
SELECT 1

-- name: sqliteVersion
SELECT sqlite_version() AS version

-- name: countRecords
-- Each from a row that is kept up, or from an index alone. The trash is small: deletions of some days. Changes are removed
-- from the beginning alone.
SELECT
  (SELECT restaurants FROM totals WHERE scope = 'all' AND scope_id = 0) AS restaurants,
  (SELECT count(*) FROM suggestions WHERE status = 'pending') AS pending,
  (SELECT count(*) FROM photos) AS photos,
  (SELECT coalesce(max(id) - (SELECT change_id FROM change_floor), 0) FROM changes) AS changes,
  (SELECT count(*) FROM photo_trash) AS trashFiles,
  (SELECT coalesce(sum(file_size), 0) FROM photo_trash) AS trashBytes
