-- name: ping
SELECT 1

-- name: sqliteVersion
SELECT sqlite_version() AS version

-- name: countRecords
-- Uses indexes only. Photos of deleted restaurants count as trash.
SELECT
  (SELECT count(*) FROM restaurants) AS restaurants,
  (SELECT count(*) FROM suggestions WHERE status = 'pending') AS pending,
  (SELECT count(*) FROM photos WHERE +restaurant_id IN (SELECT id FROM restaurants)) AS photos

-- name: describeChanges
-- Changes are only ever removed from the beginning.
SELECT coalesce(max(id) - (SELECT max(change_id) FROM change_floor), 0) AS changes,
  (SELECT at FROM changes WHERE id = (SELECT min(id) FROM changes)) AS since
FROM changes

-- name: sumTrash
-- Deleted records awaiting removal.
SELECT count(*) AS photos, coalesce(sum(size), 0) AS bytes FROM (
  SELECT file_size AS size FROM photo_trash
  UNION ALL
  SELECT file.value
  FROM photos CROSS JOIN json_each(json_array(file_size, thumbnail_size)) AS file
  WHERE file.value IS NOT NULL AND photos.id IN (
    SELECT id FROM photos WHERE restaurant_id NOT IN (SELECT id FROM restaurants)
  )
)
