-- Removes up to :limit references to a deleted category or food type.

-- name: restaurantsFromCategory
UPDATE restaurants SET category_id = NULL
WHERE id IN (SELECT id FROM restaurants WHERE category_id = :id LIMIT :limit)

-- name: suggestionsFromCategory
UPDATE suggestions SET suggested_category_id = NULL
WHERE id IN (SELECT id FROM suggestions WHERE suggested_category_id = :id LIMIT :limit)

-- name: restaurantsFromFoodType
DELETE FROM restaurant_food_types WHERE food_type_id = :id
  AND restaurant_id IN (SELECT restaurant_id FROM restaurant_food_types WHERE food_type_id = :id LIMIT :limit)

-- name: suggestionsFromFoodType
DELETE FROM suggestion_food_types WHERE food_type_id = :id
  AND suggestion_id IN (SELECT suggestion_id FROM suggestion_food_types WHERE food_type_id = :id LIMIT :limit)
