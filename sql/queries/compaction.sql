-- name: listExpired
SELECT id FROM changes WHERE kept_until <= :now ORDER BY kept_until LIMIT :limit

-- name: expire
UPDATE changes SET before = NULL, kept_until = NULL WHERE id IN (SELECT value FROM json_each(:ids))

-- name: listOldest
-- The last change stays whatever its age: it is where cursors for what comes next stand.
SELECT id, at, kind, entity_id, action, request_id, kept_until FROM changes
WHERE id < (SELECT max(id) FROM changes) ORDER BY id LIMIT :limit

-- name: deleteUpTo
DELETE FROM changes WHERE id <= :id

-- name: setFloor
UPDATE change_floor SET change_id = :id, mark = :mark

-- name: deleteEmptyBatches
DELETE FROM batches WHERE NOT EXISTS (SELECT 1 FROM changes WHERE batch_id = batches.id)
