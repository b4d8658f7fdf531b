-- name: insertChange
INSERT INTO changes (
  at, kind, entity_id, restaurant_id, action, name, fields, before, after, owner_id, actor_id, token_id, token_name, via,
  request_id, write_id, batch_id, reverts, kept_until
) VALUES (
  :at, :kind, :id, :restaurantId, :action, :name, :fields, :before, :after, :ownerId, :actorId, :tokenId, :tokenName,
  :via, :requestId, :writeId, :batchId, :reverts, :keptUntil
)

-- name: countAdded
-- Not of administrators, who have no limit, and not of the placeholder of mode none.
INSERT INTO user_additions (user_id, day, bytes) SELECT id, :day, :bytes FROM users WHERE id = :userId AND is_admin = 0
ON CONFLICT (user_id) DO UPDATE SET bytes = iif(day = excluded.day, bytes, 0) + excluded.bytes, day = excluded.day

-- name: addedToday
SELECT bytes FROM user_additions CROSS JOIN users ON users.id = user_id
WHERE user_id = :userId AND day = :day AND is_admin = 0

-- name: insertBatch
INSERT INTO batches (at, file, actor_id, reverts) VALUES (:at, :file, :actorId, :reverts) RETURNING id
