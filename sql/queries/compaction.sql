-- name: listExpired
SELECT id, coalesce(octet_length(before), 0) AS bytes FROM changes
WHERE kept_until <= :now ORDER BY kept_until LIMIT :limit

-- name: expire
UPDATE changes SET before = NULL, kept_until = NULL WHERE id IN (SELECT value FROM json_each(:ids))

-- name: listOldest
-- The last change stays whatever its age, because cursors at the end of the log point to it.
SELECT id, at, kind, entity_id, action, request_id, kept_until, reader,
  coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0) AS bytes
FROM changes
WHERE id < (SELECT max(id) FROM changes) ORDER BY id LIMIT :limit

-- name: deleteUpTo
DELETE FROM changes WHERE id <= :id

-- name: setFloor
INSERT INTO change_floor (reader, change_id, mark) VALUES (:reader, :id, :mark)
ON CONFLICT (reader) DO UPDATE SET change_id = excluded.change_id, mark = excluded.mark

-- name: deleteEmptyBatches
DELETE FROM batches WHERE NOT EXISTS (SELECT 1 FROM changes WHERE batch_id = batches.id)
