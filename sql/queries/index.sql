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
