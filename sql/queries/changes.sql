-- name: selectChange
SELECT
  changes.id, at, kind, entity_id, restaurant_id, action, name, fields, before,
  CASE
    WHEN after = '[]' AND kind = 'rating' THEN (SELECT entity FROM logged_ratings WHERE id = entity_id)
    WHEN after = '[]' AND kind = 'restaurant' THEN (SELECT entity FROM logged_restaurants WHERE id = entity_id)
    ELSE after
  END AS after, owner_id, users.id AS actor_id,
  users.username, token_id, token_name, via, request_id, coalesce(write_id, changes.id) AS write_id, batch_id, reverts,
  reverted_by, kept_until, purged_at, purgers.id AS purged_by, purgers.username AS purger
FROM changes LEFT JOIN users ON users.id = changes.actor_id LEFT JOIN users AS purgers ON purgers.id = purged_by

-- name: wherePublic
WHERE reader = 0

-- name: whereOwn
-- A null reader owns none.
WHERE reader = :readerId

-- name: whereShared
-- Of the lists that the reader keeps with others.
WHERE reader IN (SELECT -list_id FROM list_members WHERE user_id = :readerId)

-- name: isShared
SELECT 1 FROM list_members WHERE list_id = -:ownerId AND user_id = :userId

-- name: andFilters
AND (:kind IS NULL OR kind IN (SELECT value FROM json_each(:kind)))
AND (:entity_id IS NULL OR entity_id IN (SELECT value FROM json_each(:entity_id)))
AND (:action IS NULL OR action IN (SELECT value FROM json_each(:action)))
AND (:actor_id IS NULL OR users.id IN (SELECT value FROM json_each(:actor_id)))
AND (:batch_id IS NULL OR batch_id IN (SELECT value FROM json_each(:batch_id)))

-- name: andCollapsed
-- Of the matching changes of a batch only the newest.
AND (NOT :collapsed OR batch_id IS NULL OR NOT EXISTS (
  SELECT 1 FROM changes AS later
  WHERE later.batch_id = changes.batch_id AND later.id > changes.id
    AND (later.reader IN (0, :readerId) OR later.reader IN (SELECT -list_id FROM list_members WHERE user_id = :readerId))
    AND (:kind IS NULL OR later.kind IN (SELECT value FROM json_each(:kind)))
    AND (:entity_id IS NULL OR later.entity_id IN (SELECT value FROM json_each(:entity_id)))
    AND (:action IS NULL OR later.action IN (SELECT value FROM json_each(:action)))
))

-- name: andAfter
AND changes.id > :from AND changes.id <= :to

-- name: andBefore
AND changes.id < :from AND changes.id >= :to

-- name: andAlso
UNION ALL

-- name: whereAfter
WHERE changes.id > :after

-- name: whereOfRestaurant
WHERE block = :block AND restaurant_id = :restaurantId AND changes.id < :before

-- name: whereId
WHERE changes.id = :id

-- name: whereWrite
WHERE (changes.id = :writeId OR write_id = :writeId)

-- name: whereBatch
WHERE batch_id = :batchId AND changes.id < :before

-- name: orderOldest
-- By number, since a name would stand for either part of a union.
ORDER BY 1 LIMIT :limit

-- name: orderNewest
ORDER BY 1 DESC LIMIT :limit

-- name: lastSearched
-- The end of one search: the last of the next :limit changes that the reader may see.
SELECT max(id) AS id FROM (
  SELECT id FROM changes WHERE reader = 0 AND id > :from
  UNION ALL
  SELECT id FROM changes WHERE reader = :readerId AND id > :from
  UNION ALL
  SELECT id FROM changes WHERE reader IN (SELECT -list_id FROM list_members WHERE user_id = :readerId) AND id > :from
  ORDER BY 1 LIMIT :limit
)

-- name: firstSearched
SELECT min(id) AS id FROM (
  SELECT id FROM changes WHERE reader = 0 AND id < :from
  UNION ALL
  SELECT id FROM changes WHERE reader = :readerId AND id < :from
  UNION ALL
  SELECT id FROM changes WHERE reader IN (SELECT -list_id FROM list_members WHERE user_id = :readerId) AND id < :from
  ORDER BY 1 DESC LIMIT :limit
)

-- name: lengthAfter
-- Bytes, which SQLite knows without reading the content. A new rating, which the log reads from its row, has some 200.
SELECT coalesce(sum(length), 0) AS length FROM (
  SELECT 400 + coalesce(octet_length(before), 0) + coalesce(max(octet_length(after), 200), 0) AS length
  FROM changes WHERE reader = 0 AND id > :after
  UNION ALL
  SELECT 400 + coalesce(octet_length(before), 0) + coalesce(max(octet_length(after), 200), 0)
  FROM changes WHERE reader = :readerId AND id > :after
  UNION ALL
  SELECT 400 + coalesce(octet_length(before), 0) + coalesce(max(octet_length(after), 200), 0)
  FROM changes WHERE reader IN (SELECT -list_id FROM list_members WHERE user_id = :readerId) AND id > :after
  LIMIT 2501
)

-- name: lastReadable
SELECT max(id) AS id FROM (
  SELECT max(id) AS id FROM changes WHERE reader = 0
  UNION ALL SELECT max(id) FROM changes WHERE reader = :readerId
  UNION ALL SELECT (SELECT max(id) FROM changes WHERE reader = -list_id) FROM list_members WHERE user_id = :readerId
)

-- name: firstReadable
SELECT min(id) AS id FROM (
  SELECT min(id) AS id FROM changes WHERE reader = 0
  UNION ALL SELECT min(id) FROM changes WHERE reader = :readerId
  UNION ALL SELECT (SELECT min(id) FROM changes WHERE reader = -list_id) FROM list_members WHERE user_id = :readerId
)

-- name: lastId
SELECT max(id) AS id FROM changes

-- name: getFloor
-- The newest removed change that the reader could see.
SELECT change_id AS id, mark FROM change_floor
WHERE reader IN (0, :readerId) OR reader IN (SELECT -list_id FROM list_members WHERE user_id = :readerId)
ORDER BY change_id DESC LIMIT 1

-- name: blocksOfRestaurant
-- Those that hold a change of the restaurant before the change :before, in the order of the view.
SELECT block FROM change_blocks AS blocks WHERE EXISTS (
  SELECT 1 FROM changes WHERE changes.block = blocks.block AND restaurant_id = :restaurantId AND id < :before
) LIMIT :limit

-- name: findDeletion
SELECT max(id) AS id FROM changes WHERE kind = :kind AND entity_id = :entityId AND action = 'delete'

-- name: forgetDeletion
UPDATE changes SET
  before = NULL, kept_until = NULL, purged_at = coalesce(purged_at, :at),
  purged_by = CASE WHEN purged_at IS NULL THEN :by ELSE purged_by END
WHERE id = :id

-- name: listHeldInBlock
-- The newest changes before the change :before, with the bytes that they hold.
-- Not those of ratings and photos that a merge moved.
SELECT id, coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0) AS bytes FROM changes
WHERE block = :block AND restaurant_id = :restaurantId AND id < :before
  AND NOT (kind = 'rating' AND EXISTS (
    SELECT 1 FROM ratings WHERE ratings.id = entity_id AND ratings.restaurant_id <> :restaurantId
  ))
  AND NOT (kind = 'photo' AND EXISTS (
    SELECT 1 FROM photos WHERE photos.id = entity_id AND photos.restaurant_id <> :restaurantId
  ))
ORDER BY id DESC LIMIT :limit

-- name: listHeldOfPart
-- The same for a rating or photo.
SELECT id, coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0) AS bytes FROM changes
WHERE kind IN ('rating', 'photo') AND kind = :kind AND entity_id = :entityId AND id < :before
ORDER BY id DESC LIMIT :limit

-- name: listHeldOfEntity
-- The same for other entities.
SELECT id, coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0) AS bytes FROM changes
WHERE restaurant_id IS NULL AND kind = :kind AND entity_id = :entityId AND id < :before
ORDER BY id DESC LIMIT :limit

-- name: forgetHeld
UPDATE changes SET before = NULL, after = NULL, kept_until = NULL WHERE id IN (SELECT value FROM json_each(:ids))

-- name: findNewestOfPart
SELECT max(id) AS id FROM changes WHERE kind IN ('rating', 'photo') AND kind = :kind AND entity_id = :entityId

-- name: nextPurge
SELECT change_id AS changeId, before_id AS before FROM purges ORDER BY change_id LIMIT 1

-- name: setPurge
INSERT INTO purges (change_id, before_id) VALUES (:changeId, :before)
ON CONFLICT (change_id) DO UPDATE SET before_id = excluded.before_id

-- name: deletePurge
DELETE FROM purges WHERE change_id = :changeId

-- name: belongsToOthers
-- Whether something of others was deleted with restaurants, moved away from them by a merge, and possibly further by later ones,
-- or can still be restored: it was deleted before them, or at a restaurant that was merged into them, or after it had moved.
WITH RECURSIVE gone (id) AS (
  SELECT value FROM json_each(:ids)
  UNION SELECT merged.id FROM gone CROSS JOIN merged_restaurants AS merged ON merged.into_id = gone.id
),
chain (from_id, id) AS (
  SELECT value, value FROM json_each(:ids)
  UNION SELECT from_id, into_id FROM chain CROSS JOIN merged_restaurants AS merged ON merged.id = chain.id
)
SELECT 1 FROM chain WHERE id = from_id AND (
  EXISTS (SELECT 1 FROM ratings WHERE restaurant_id = from_id AND user_id IS NOT :userId)
  OR EXISTS (SELECT 1 FROM photos WHERE restaurant_id = from_id AND user_id IS NOT :userId)
  OR EXISTS (SELECT 1 FROM visits WHERE restaurant_id = from_id AND user_id IS NOT :userId)
)
UNION ALL
SELECT 1 FROM gone CROSS JOIN changes ON restaurant_id = gone.id
WHERE kept_until IS NOT NULL AND kind IN ('rating', 'photo') AND owner_id IS NOT :userId
UNION ALL
SELECT 1 FROM chain CROSS JOIN list_items ON restaurant_id = chain.id
WHERE (user_id IS NOT :userId OR added_by <> :userId)
  AND (chain.id = from_id OR (from_id, 'item', list_id) IN (SELECT from_id, kind, id FROM moved))
UNION ALL
-- Looking at more than that one by one would take too long, so that it counts as that of others.
SELECT 1 FROM (SELECT 1 FROM gone CROSS JOIN moved ON from_id = gone.id LIMIT 1 OFFSET 10000)
UNION ALL
SELECT 1 FROM gone CROSS JOIN moved ON from_id = gone.id
WHERE
  CASE kind
    WHEN 'rating' THEN EXISTS (SELECT 1 FROM ratings WHERE id = moved.id AND user_id IS NOT :userId)
    WHEN 'photo' THEN EXISTS (SELECT 1 FROM photos WHERE id = moved.id AND user_id IS NOT :userId)
    WHEN 'visit' THEN EXISTS (SELECT 1 FROM visits WHERE id = moved.id AND user_id IS NOT :userId)
    WHEN 'suggestion' THEN EXISTS (SELECT 1 FROM suggestions WHERE id = moved.id AND user_id IS NOT :userId)
  END
  OR EXISTS (
    SELECT 1 FROM changes
    WHERE kind = moved.kind AND entity_id = moved.id AND action = 'delete' AND kept_until IS NOT NULL
      AND owner_id IS NOT :userId
  )
LIMIT 1

-- name: ratingsAmong
-- As the log holds them. A reader who does not see all gets them without the words of others, and without those that were
-- deleted separately since.
SELECT coalesce(
  (
    SELECT json_object(
      'id', id, 'restaurant_id', restaurant_id, 'author_id', user_id, 'food_rating', food_rating, 'service_rating',
      service_rating, 'ambiance_rating', ambiance_rating,
      'comment', CASE WHEN :seesAll OR user_id = :readerId THEN comment END,
      'created_at', created_at, 'updated_at', iif(updated_at = '', created_at, updated_at)
    ) FROM ratings WHERE id = wanted.value
  ),
  (
    SELECT json_set(before, '$.deleted', json('true')) FROM changes
    WHERE :seesAll AND kind = 'rating' AND entity_id = wanted.value AND action = 'delete' AND kept_until IS NOT NULL
    ORDER BY id DESC LIMIT 1
  )
) FROM json_each(:ids) AS wanted

-- name: photosAmong
SELECT coalesce(
  (
    SELECT json_object(
      'id', id, 'restaurant_id', restaurant_id, 'author_id', user_id, 'filename', filename,
      'original_filename', CASE WHEN :seesAll OR user_id = :readerId THEN original_filename END,
      'caption', CASE WHEN :seesAll OR user_id = :readerId THEN caption END, 'file_size', file_size, 'mime_type', mime_type, 'width', width, 'height',
      height, 'thumbnail_filename', thumbnail_filename, 'thumbnail_size', thumbnail_size, 'thumbnail_type',
      thumbnail_type, 'thumbnail_width', thumbnail_width, 'thumbnail_height', thumbnail_height, 'created_at',
      created_at, 'updated_at', updated_at
    ) FROM photos WHERE id = wanted.value
  ),
  (
    SELECT json_set(before, '$.deleted', json('true')) FROM changes
    WHERE :seesAll AND kind = 'photo' AND entity_id = wanted.value AND action = 'delete' AND kept_until IS NOT NULL
    ORDER BY id DESC LIMIT 1
  )
) FROM json_each(:ids) AS wanted

-- name: itemsAmong
SELECT json_object(
  'restaurant_id', restaurant_id, 'position', :at + wanted.key + 1, 'note', note, 'created_at', created_at,
  'author_id', added_by
)
FROM json_each(:ids) AS wanted CROSS JOIN list_items ON list_id = :listId AND restaurant_id = wanted.value

-- name: restaurantIsKnown
SELECT 1 WHERE EXISTS (SELECT 1 FROM restaurants WHERE id = :id)
  OR EXISTS (SELECT 1 FROM changes WHERE kind = 'restaurant' AND entity_id = :id AND action = 'delete')

-- name: selectBatch
-- A file that fills a list is named after it, and only its owner knows of the list.
SELECT batches.id, at,
  CASE WHEN batches.actor_id = :readerId
    OR NOT EXISTS (SELECT 1 FROM changes WHERE batch_id = batches.id AND kind = 'list') THEN file END AS file,
  users.id AS actor_id, users.username, reverts, reverted_by,
  (SELECT count(*) FROM changes WHERE batch_id = batches.id) AS changes
FROM batches LEFT JOIN users ON users.id = batches.actor_id

-- name: whereBatchBefore
WHERE batches.id < :before AND (:isOfAll OR batches.actor_id = :readerId) ORDER BY batches.id DESC LIMIT :limit

-- name: whereBatchId
WHERE batches.id = :id

-- name: batchHead
-- A batch as a reader sees it: without the private changes of others, and without the name of a file that fills their list.
SELECT batches.id, at,
  CASE WHEN batches.actor_id = :readerId
    OR NOT EXISTS (SELECT 1 FROM changes WHERE batch_id = :id AND kind = 'list') THEN file END AS file,
  users.id AS actor_id, users.username, reverts, reverted_by, changes, places
FROM batches LEFT JOIN users ON users.id = batches.actor_id CROSS JOIN (
  SELECT count(*) AS changes, count(*) FILTER (WHERE kind = 'restaurant') AS places
  FROM changes WHERE batch_id = :id
    AND (reader IN (0, :readerId) OR reader IN (SELECT -list_id FROM list_members WHERE user_id = :readerId))
)
WHERE batches.id = :id

-- name: countBatches
SELECT count(*) AS total FROM batches WHERE :isOfAll OR actor_id = :readerId
