-- name: ping
SELECT 1

-- name: sqliteVersion
SELECT sqlite_version() AS version

-- name: countRecords
-- Each from a row that is kept up, or from an index alone.
SELECT
  (SELECT restaurants FROM totals WHERE scope = 'all' AND scope_id = 0) AS restaurants,
  (SELECT count(*) FROM suggestions WHERE status = 'pending') AS pending,
  (SELECT count(*) FROM photos) AS photos
