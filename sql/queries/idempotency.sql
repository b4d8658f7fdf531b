-- name: findAnswer
SELECT request_hash AS hash, status, location, change_id AS changeId, body
FROM idempotency_keys
WHERE user_id = :userId AND key = :key AND created_at > :after;

-- name: storeAnswer
INSERT INTO idempotency_keys (user_id, key, number, request_hash, status, location, change_id, body, created_at)
VALUES (
  :userId,
  :key,
  (SELECT ifnull(max(number), 0) + 1 FROM idempotency_keys WHERE user_id = :userId),
  :hash, :status, :location, :changeId, :body, :createdAt
)
ON CONFLICT (user_id, key) DO UPDATE SET
  number = excluded.number,
  request_hash = excluded.request_hash,
  status = excluded.status,
  location = excluded.location,
  change_id = excluded.change_id,
  body = excluded.body,
  created_at = excluded.created_at
RETURNING number;

-- name: removeOldAnswers
DELETE FROM idempotency_keys
WHERE rowid IN (
  SELECT rowid FROM idempotency_keys WHERE created_at <= :until ORDER BY created_at LIMIT :limit
);

-- name: removeSurplusAnswers
DELETE FROM idempotency_keys WHERE user_id = :userId AND number <= :upTo;
