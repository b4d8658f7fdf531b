-- name: ping
SELECT 1

-- name: sqliteVersion
SELECT sqlite_version() AS version

-- name: countRecords
-- Each from an index alone.
SELECT
  (SELECT count(*) FROM restaurants) AS restaurants,
  (SELECT count(*) FROM suggestions WHERE status = 'pending') AS pending,
  (SELECT count(*) FROM photos) AS photos

-- name: describeChanges
-- They are removed from the beginning alone.
SELECT coalesce(max(id) - (SELECT change_id FROM change_floor), 0) AS changes,
  (SELECT at FROM changes WHERE id = (SELECT min(id) FROM changes)) AS since
FROM changes

-- name: sumTrash
-- Records that were deleted in some days.
SELECT count(*) AS photos, coalesce(sum(file_size), 0) AS bytes FROM photo_trash
