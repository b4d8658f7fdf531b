-- name: findAnswer
-- A body waiting to be cleared counts as empty.
SELECT request_hash AS hash, status, location, change_id AS changeId,
  CASE WHEN EXISTS (SELECT 1 FROM answers_to_clear AS clearing WHERE answers.rowid > cleared AND answers.rowid <= up_to)
    THEN x'' ELSE body END AS body
FROM idempotency_keys AS answers
WHERE user_id = :userId AND key = :key AND created_at > :after;

-- name: storeAnswer
INSERT INTO idempotency_keys (user_id, key, bytes_so_far, request_hash, status, location, change_id, body, created_at)
VALUES (
  :userId,
  :key,
  (SELECT ifnull(max(bytes_so_far), 0) + :bytes FROM idempotency_keys WHERE user_id = :userId),
  :hash, :status, :location, :changeId, :body, :createdAt
)
ON CONFLICT (user_id, key) DO UPDATE SET
  bytes_so_far = excluded.bytes_so_far,
  request_hash = excluded.request_hash,
  status = excluded.status,
  location = excluded.location,
  change_id = excluded.change_id,
  body = excluded.body,
  created_at = excluded.created_at
RETURNING bytes_so_far;

-- name: removeSurplusAnswers
-- Removes at most :atOnce bytes plus one answer, oldest first.
DELETE FROM idempotency_keys WHERE user_id = :userId AND bytes_so_far <= min(
  :upTo,
  (SELECT min(bytes_so_far) + :atOnce FROM idempotency_keys WHERE user_id = :userId)
);

-- name: listOldAnswers
SELECT rowid AS id, length(body) AS bytes FROM idempotency_keys
WHERE created_at <= :until ORDER BY created_at LIMIT :limit;

-- name: removeOldAnswers
-- A listed key may have been reused since.
DELETE FROM idempotency_keys WHERE rowid IN (SELECT value FROM json_each(:ids)) AND created_at <= :until;

-- name: clearAllAnswers
-- Starts at the first row: answers cleared earlier may have been replaced under the same keys.
INSERT INTO answers_to_clear (cleared, up_to) SELECT 0, ifnull(max(rowid), 0) FROM idempotency_keys;

-- name: dropClearing
DELETE FROM answers_to_clear;

-- name: findClearing
SELECT id, cleared, up_to AS upTo FROM answers_to_clear;

-- name: listAnswersToClear
SELECT rowid AS id, length(body) AS bytes FROM idempotency_keys
WHERE rowid > :cleared AND rowid <= :upTo ORDER BY rowid LIMIT :limit;

-- name: clearAnswers
UPDATE idempotency_keys SET body = x'' WHERE rowid IN (SELECT value FROM json_each(:ids));

-- name: setCleared
UPDATE answers_to_clear SET cleared = :cleared;

-- name: endClearing
-- Keeps a clearing that was started meanwhile.
DELETE FROM answers_to_clear WHERE id = :id;
