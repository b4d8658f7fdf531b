-- name: ping
SELECT 1

-- name: sqliteVersion
SELECT sqlite_version() AS version

-- name: countRecords
-- Each from a row that is kept up, or from an index alone. Changes are removed from the beginning alone.
SELECT
  (SELECT restaurants FROM totals WHERE scope = 'all' AND scope_id = 0) AS restaurants,
  (SELECT count(*) FROM suggestions WHERE status = 'pending') AS pending,
  (SELECT count(*) FROM photos) AS photos,
  (SELECT coalesce(max(id) - (SELECT change_id FROM change_floor), 0) FROM changes) AS changes

-- name: sumTrash
-- What was deleted in some days.
SELECT count(*) AS photos, coalesce(sum(file_size), 0) AS bytes FROM photo_trash
