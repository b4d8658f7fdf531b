-- name: countRecords
SELECT 'restaurant' AS noun, count(*) AS count FROM restaurants
UNION ALL SELECT 'searched place',
  (SELECT count(*) FROM restaurants) + (SELECT count(*) FROM suggestions WHERE status = 'pending')
UNION ALL SELECT 'change', count(*) FROM changes
UNION ALL SELECT 'list', count(*) FROM lists
UNION ALL SELECT 'visit', count(*) FROM visits
UNION ALL SELECT 'merged restaurant', count(*) FROM merged_restaurants

-- name: listTrashSizes
-- Skips trash that cannot be restored, since its file may be gone before its row. Photos of deleted restaurants
-- count as well; their rows stay in photos.
SELECT filename, file_size FROM photo_trash WHERE due_at IS NULL
UNION ALL
SELECT photo_files.filename, size FROM deleted_restaurants CROSS JOIN photos ON restaurant_id = deleted_restaurants.id
CROSS JOIN photo_files ON photo_id = photos.id
ORDER BY filename

-- name: listPhotoSizes
SELECT photo_id AS id, filename, size AS file_size FROM photo_files
WHERE EXISTS (SELECT 1 FROM photos JOIN restaurants ON restaurants.id = restaurant_id WHERE photos.id = photo_id)
ORDER BY filename

-- name: findWrongRatings
-- Includes deleted restaurants that can be restored.
SELECT known.id FROM (
  SELECT id, rating_count, food_sum, service_sum, ambiance_sum FROM restaurants
  UNION ALL SELECT id, rating_count, food_sum, service_sum, ambiance_sum FROM deleted_restaurants
) AS known LEFT JOIN (
  SELECT restaurant_id, count(*) AS ratings, sum(food_rating) AS food, sum(service_rating) AS service,
    sum(ambiance_rating) AS ambiance
  FROM ratings GROUP BY restaurant_id
) AS actual ON actual.restaurant_id = known.id
WHERE (rating_count, food_sum, service_sum, ambiance_sum)
  <> (coalesce(ratings, 0), coalesce(food, 0), coalesce(service, 0), coalesce(ambiance, 0))

-- name: findWrongSearch
WITH searched (id) AS (SELECT id FROM restaurants UNION ALL SELECT id FROM suggestions WHERE status = 'pending')
SELECT id FROM (SELECT id FROM searched EXCEPT SELECT rowid FROM search_texts)
UNION ALL SELECT * FROM (SELECT rowid FROM search_texts EXCEPT SELECT id FROM searched)

-- name: findWrongExistence
-- Not every deletion is logged separately: records deleted with their restaurant, lists and visits deleted with
-- their owner's account, and ratings and photos erased from the trash, of which the log retains nothing.
WITH known AS (
  SELECT kind, entity_id, action, restaurant_id, after IS NULL AS is_forgotten, CASE kind
    WHEN 'restaurant' THEN EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = entity_id)
    WHEN 'category' THEN EXISTS (SELECT 1 FROM categories WHERE categories.id = entity_id AND deleted_at IS NULL)
    WHEN 'food_type' THEN EXISTS (SELECT 1 FROM food_types WHERE food_types.id = entity_id AND deleted_at IS NULL)
    WHEN 'suggestion' THEN EXISTS (SELECT 1 FROM suggestions WHERE suggestions.id = entity_id)
    WHEN 'rating' THEN EXISTS (SELECT 1 FROM ratings WHERE ratings.id = entity_id)
    WHEN 'photo' THEN EXISTS (SELECT 1 FROM photos WHERE photos.id = entity_id)
    WHEN 'list' THEN EXISTS (SELECT 1 FROM lists WHERE lists.id = entity_id)
    WHEN 'visit' THEN EXISTS (SELECT 1 FROM visits WHERE visits.id = entity_id)
  END AS is_there
  FROM changes WHERE id IN (SELECT max(id) FROM changes GROUP BY kind, entity_id) AND (
    kind NOT IN ('list', 'visit') OR (owner_id IS NOT NULL AND owner_id NOT IN (SELECT user_id FROM erasures))
  )
)
SELECT replace(kind, '_', ' ') || ' ' || entity_id AS id FROM known
WHERE is_there = (action = 'delete') AND (
  is_there OR kind NOT IN ('rating', 'photo')
  OR (NOT is_forgotten AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id))
)

-- name: findWrongTimes
WITH known AS (
  SELECT kind, entity_id, after ->> 'updated_at' AS updated_at, CASE kind
    WHEN 'restaurant' THEN (SELECT updated_at FROM restaurants WHERE restaurants.id = entity_id)
    WHEN 'category' THEN (SELECT updated_at FROM categories WHERE categories.id = entity_id AND deleted_at IS NULL)
    WHEN 'food_type' THEN (SELECT updated_at FROM food_types WHERE food_types.id = entity_id AND deleted_at IS NULL)
    WHEN 'suggestion' THEN (SELECT updated_at FROM suggestions WHERE suggestions.id = entity_id)
    WHEN 'rating' THEN (SELECT iif(updated_at = '', created_at, updated_at) FROM ratings WHERE ratings.id = entity_id)
    WHEN 'photo' THEN (SELECT updated_at FROM photos WHERE photos.id = entity_id)
    WHEN 'list' THEN (SELECT updated_at FROM lists WHERE lists.id = entity_id)
    WHEN 'visit' THEN (SELECT updated_at FROM visits WHERE visits.id = entity_id)
  END AS stored
  FROM changes WHERE id IN (SELECT max(id) FROM changes GROUP BY kind, entity_id)
)
SELECT replace(kind, '_', ' ') || ' ' || entity_id AS id FROM known WHERE updated_at <> stored

-- name: findTrashTables
-- Older databases enforce all references in SQLite.
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'deleted_restaurants'

-- name: findLost
-- Ratings and photos of a restaurant that neither exists, nor can be restored, nor is being removed.
SELECT 'ratings ' || id AS id FROM ratings
WHERE NOT EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id)
  AND NOT EXISTS (
    SELECT 1 FROM deleted_restaurants AS deleted
    WHERE deleted.id = restaurant_id AND (change_id IS NOT NULL OR due_at IS NOT NULL)
  )
UNION ALL
SELECT 'photos ' || id FROM photos
WHERE NOT EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id)
  AND NOT EXISTS (
    SELECT 1 FROM deleted_restaurants AS deleted
    WHERE deleted.id = restaurant_id AND (change_id IS NOT NULL OR due_at IS NOT NULL)
  )

-- name: findWrongTrash
-- Rows that would never be removed, and rows that could not be restored completely.
SELECT 'file ' || filename AS id FROM photo_trash WHERE due_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.id = change_id AND kept_until IS NOT NULL)
UNION ALL
SELECT 'category ' || id FROM categories WHERE deleted_at IS NOT NULL AND change_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.id = change_id AND kept_until IS NOT NULL)
UNION ALL
SELECT 'food type ' || id FROM food_types WHERE deleted_at IS NOT NULL AND change_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.id = change_id AND kept_until IS NOT NULL)
UNION ALL
SELECT 'file ' || filename FROM (
  SELECT before ->> name.value AS filename FROM changes, json_each('["filename","thumbnail_filename"]') AS name
  WHERE kept_until IS NOT NULL AND reverted_by IS NULL AND kind = 'photo'
) AS stored WHERE filename IS NOT NULL AND NOT EXISTS (SELECT 1 FROM photo_trash WHERE photo_trash.filename = stored.filename AND due_at IS NULL)
UNION ALL
SELECT 'restaurant ' || id FROM deleted_restaurants WHERE id IN (SELECT id FROM restaurants)
  OR (change_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM changes WHERE changes.id = change_id AND kept_until IS NOT NULL
  ))
UNION ALL
SELECT 'list ' || id FROM deleted_lists WHERE id IN (SELECT id FROM lists)
  OR (change_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM changes WHERE changes.id = change_id AND kept_until IS NOT NULL
  ))

-- name: findWrongLists
-- Lists with a wrong count or wrong items, and users without the built-in lists.
SELECT 'list ' || id AS id FROM lists
WHERE item_count <> (SELECT count(*) FROM list_items WHERE list_id = lists.id AND is_there = 1)
UNION
SELECT 'list ' || list_id FROM list_items LEFT JOIN lists ON lists.id = list_id
LEFT JOIN deleted_lists ON deleted_lists.id = list_id
WHERE (lists.id IS NULL AND deleted_lists.id IS NULL)
  OR list_items.user_id IS NOT coalesce(lists.user_id, deleted_lists.user_id)
  OR (lists.id IS NOT NULL AND is_there <> EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id))
  OR NOT EXISTS (
    SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id
    UNION ALL
    SELECT 1 FROM deleted_restaurants AS deleted
    WHERE deleted.id = restaurant_id AND (deleted.change_id IS NOT NULL OR deleted.due_at IS NOT NULL)
  )
UNION
SELECT 'lists of user ' || id FROM users
WHERE (SELECT count(*) FROM lists WHERE lists.user_id = users.id AND kind <> 'own') <> 2

-- name: findWrongMerges
-- What still belongs to a restaurant that was merged into another one, and ratings and photos that were moved nowhere.
SELECT merged.id FROM merged_restaurants AS merged
WHERE EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = merged.id)
  OR EXISTS (SELECT 1 FROM ratings WHERE restaurant_id = merged.id)
  OR EXISTS (SELECT 1 FROM photos WHERE restaurant_id = merged.id)
  OR EXISTS (
    SELECT 1 FROM list_items AS items WHERE restaurant_id = merged.id
      AND NOT EXISTS (SELECT 1 FROM united_items WHERE from_id = merged.id AND list_id = items.list_id)
  )
UNION
SELECT from_id FROM (SELECT DISTINCT from_id FROM moved UNION SELECT from_id FROM united_items)
WHERE from_id NOT IN (SELECT id FROM deleted_restaurants)

-- name: findWrongVisits
SELECT id FROM visits
WHERE (restaurant_id IS NULL) <> (restaurant_name IS NOT NULL)
  OR (
    restaurant_id IS NOT NULL AND restaurant_id NOT IN (SELECT id FROM restaurants)
    AND restaurant_id NOT IN (SELECT id FROM deleted_restaurants)
  )
