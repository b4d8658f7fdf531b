-- name: insertChange
INSERT INTO changes (
  at, kind, entity_id, restaurant_id, action, name, fields, before, after, owner_id, actor_id, token_id, token_name, via,
  request_id, write_id, batch_id, reverts, kept_until
) VALUES (
  :at, :kind, :id, :restaurantId, :action, :name, :fields, :before, :after, :ownerId, :actorId, :tokenId, :tokenName,
  :via, :requestId, :writeId, :batchId, :reverts, :keptUntil
)

-- name: insertBatch
INSERT INTO batches (at, file, actor_id, reverts) VALUES (:at, :file, :actorId, :reverts) RETURNING id
