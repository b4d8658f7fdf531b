-- name: countRows
SELECT (SELECT count(*) FROM restaurants) + (SELECT count(*) FROM suggestions WHERE status = 'pending') AS total

-- name: countRestaurants
SELECT count(*) FROM restaurants

-- name: listNewest
SELECT created_at, id FROM restaurants ORDER BY created_at DESC, id DESC LIMIT :limit

-- name: readRestaurants
-- Food types are read separately, as two arrays: rows take five times as long.
SELECT NULL, id, created_at, search_name, overall, category_id, status, {fields}
FROM restaurants WHERE id > :after ORDER BY id LIMIT :limit

-- name: readRestaurantFoodTypes
SELECT json_group_array(restaurant_id) AS owners, json_group_array(food_type_id) AS ids
FROM restaurant_food_types WHERE restaurant_id > :after AND restaurant_id <= :upTo

-- name: readPending
SELECT NULL, id, created_at, search_name, 0, suggested_category_id, status, {fields}
FROM suggestions WHERE status = 'pending' AND id > :after ORDER BY id LIMIT :limit

-- name: readPendingFoodTypes
SELECT json_group_array(suggestion_id) AS owners, json_group_array(food_type_id) AS ids
FROM suggestion_food_types WHERE suggestion_id > :after AND suggestion_id <= :upTo

-- name: getRestaurants
SELECT (SELECT json_group_array(food_type_id) FROM restaurant_food_types WHERE restaurant_id = restaurants.id),
  restaurants.id, created_at, search_name, overall, category_id, status, {fields}
FROM json_each(:ids) AS wanted CROSS JOIN restaurants ON restaurants.id = wanted.value

-- name: getPending
SELECT (SELECT json_group_array(food_type_id) FROM suggestion_food_types WHERE suggestion_id = suggestions.id),
  suggestions.id, created_at, search_name, 0, suggested_category_id, status, {fields}
FROM json_each(:ids) AS wanted CROSS JOIN suggestions ON suggestions.id = wanted.value WHERE status = 'pending'

-- name: listLookups
SELECT kind, id, name, search_name, created_at, updated_at FROM (
  SELECT 'category' AS kind, * FROM categories UNION ALL SELECT 'food_type', * FROM food_types
) WHERE deleted_at IS NULL ORDER BY search_name, name_key

-- name: listChanges
-- Changes since the last one seen, with the ids of the restaurants and suggestions that they may affect. A restored category
-- or food type names the records that have it again, the deletion or restoration of a restaurant the one into which it was
-- merged.
SELECT id, kind, entity_id, CASE
  WHEN kind = 'suggestion' THEN json_array(entity_id)
  WHEN kind IN ('photo', 'list', 'visit') THEN '[]'
  WHEN kind = 'restaurant' AND action IN ('delete', 'restore') THEN json_array(restaurant_id, coalesce(
    (SELECT into_id FROM merged_restaurants WHERE id = restaurant_id), after ->> 'merged_into', restaurant_id
  ))
  WHEN restaurant_id IS NOT NULL THEN json_array(restaurant_id)
  WHEN action = 'restore' THEN (
    SELECT json_group_array(value) FROM (
      SELECT value FROM json_each(after, '$.restaurant_ids')
      UNION ALL
      SELECT value FROM json_each(after, '$.suggestion_ids')
    )
  )
  ELSE '[]'
END AS row_ids
FROM changes WHERE id > :after ORDER BY id LIMIT :limit

-- name: lastChange
SELECT max(id) AS id FROM changes
