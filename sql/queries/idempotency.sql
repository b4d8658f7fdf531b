-- name: findAnswer
SELECT request_hash AS hash, status, location, change_id AS changeId, body FROM idempotency_keys
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

-- name: clearAnswersTo
-- The bodies of the answers to the writes with these changes. Their user is the one who made the change, which is faster to find.
UPDATE idempotency_keys SET body = x''
WHERE user_id IN (SELECT actor_id FROM changes WHERE id IN (SELECT value FROM json_each(:ids)))
  AND change_id IN (SELECT ifnull(write_id, id) FROM changes WHERE id IN (SELECT value FROM json_each(:ids)))
  AND body <> x'';

-- name: addClearing
-- Only the id counts; the other columns are of a time when answers were cleared later.
INSERT INTO answers_to_clear (cleared, up_to) VALUES (0, 0);

-- name: dropClearing
DELETE FROM answers_to_clear;

-- name: findClearing
SELECT id FROM answers_to_clear;

-- name: endClearing
-- Keeps one that was added meanwhile.
DELETE FROM answers_to_clear WHERE id = :id;
