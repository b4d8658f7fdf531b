-- name: selectChange
SELECT
  changes.id, at, kind, entity_id, restaurant_id, action, name, fields, before, after, owner_id, users.id AS actor_id,
  users.username, token_id, token_name, via, request_id, coalesce(write_id, changes.id) AS write_id, batch_id, reverts,
  reverted_by, kept_until
FROM changes LEFT JOIN users ON users.id = changes.actor_id

-- name: andReadable
-- Private kinds are their owner's; a null reader owns none.
AND (kind NOT IN ('list', 'visit') OR owner_id = :readerId)

-- name: andFilters
AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))
AND (:entityIds IS NULL OR entity_id IN (SELECT value FROM json_each(:entityIds)))
AND (:actions IS NULL OR action IN (SELECT value FROM json_each(:actions)))
AND (:actors IS NULL OR users.id IN (SELECT value FROM json_each(:actors)))
AND (:batchIds IS NULL OR batch_id IN (SELECT value FROM json_each(:batchIds)))

-- name: whereAfter
WHERE changes.id > :after AND changes.id <= :upTo

-- name: whereBefore
WHERE changes.id < :before AND changes.id >= :downTo

-- name: whereOfRestaurant
WHERE block = :block AND restaurant_id = :restaurantId AND changes.id < :before

-- name: whereId
WHERE changes.id = :id

-- name: whereWrite
WHERE (changes.id = :writeId OR write_id = :writeId)

-- name: whereBatch
WHERE batch_id = :batchId AND changes.id < :before

-- name: orderOldest
ORDER BY changes.id LIMIT :limit

-- name: orderNewest
ORDER BY changes.id DESC LIMIT :limit

-- name: lastOf
-- The last change of a part of the log: where the reading of a part in which nothing was found ends.
SELECT max(id) AS id FROM changes WHERE id > :after AND id <= :upTo

-- name: firstOf
SELECT min(id) AS id FROM changes WHERE id < :before AND id >= :downTo

-- name: lengthAfter
SELECT coalesce(sum(length), 0) AS length FROM (
  SELECT 400 + coalesce(length(before), 0) + coalesce(length(after), 0) AS length
  FROM changes WHERE id > :after ORDER BY id LIMIT 10000
)

-- name: lastId
SELECT max(id) AS id FROM changes

-- name: firstId
SELECT min(id) AS id FROM changes

-- name: getFloor
SELECT change_id AS id, mark FROM change_floor

-- name: blocksOfRestaurant
-- Those that hold a change of the restaurant before the change :before, in the order of the view.
SELECT block FROM change_blocks AS blocks WHERE EXISTS (
  SELECT 1 FROM changes WHERE changes.block = blocks.block AND restaurant_id = :restaurantId AND id < :before
) LIMIT :limit

-- name: findDeletion
SELECT max(id) AS id FROM changes WHERE kind = :kind AND entity_id = :entityId AND action = 'delete'

-- name: forgetDeletion
UPDATE changes SET before = NULL, kept_until = NULL WHERE id = :id

-- name: listAtRestaurant
-- Changes of a restaurant before the change :id; of all kinds when :kind is null.
SELECT id FROM change_blocks AS blocks CROSS JOIN changes USING (block)
WHERE restaurant_id = :restaurantId AND id < :id AND (:kind IS NULL OR (kind = :kind AND entity_id = :entityId))

-- name: forgetHeld
UPDATE changes SET before = NULL, after = NULL, kept_until = NULL WHERE id IN (SELECT value FROM json_each(:ids))

-- name: forgetWithinRestaurant
-- Removes an entity from the deletions and restores of its restaurant, where it stands in the list at :list.
UPDATE changes SET
  before = json_replace(before, :list, (
    SELECT json_group_array(json(value)) FROM json_each(before, :list) WHERE value ->> 'id' <> :entityId
  )),
  after = json_replace(after, :list, (
    SELECT json_group_array(json(value)) FROM json_each(after, :list) WHERE value ->> 'id' <> :entityId
  ))
WHERE id IN (SELECT value FROM json_each(:ids)) AND action IN ('delete', 'restore')

-- name: forgetEntity
UPDATE changes SET before = NULL, after = NULL, kept_until = NULL
WHERE restaurant_id IS NULL AND kind = :kind AND entity_id = :entityId AND id < :id

-- name: restaurantIsKnown
SELECT 1 WHERE EXISTS (SELECT 1 FROM restaurants WHERE id = :id)
  OR EXISTS (SELECT 1 FROM changes WHERE kind = 'restaurant' AND entity_id = :id AND action = 'delete')

-- name: selectBatch
SELECT batches.id, at, file, users.id AS actor_id, users.username, reverts, reverted_by,
  (SELECT count(*) FROM changes WHERE batch_id = batches.id) AS changes
FROM batches LEFT JOIN users ON users.id = batches.actor_id

-- name: whereBatchBefore
WHERE batches.id < :before ORDER BY batches.id DESC LIMIT :limit

-- name: whereBatchId
WHERE batches.id = :id

-- name: firstOfBatch
SELECT min(id) AS id FROM changes WHERE batch_id = :batchId

-- name: countBatches
SELECT count(*) AS total FROM batches
