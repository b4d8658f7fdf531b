-- Reads and restores references to a category or food type. There may be 100,000 restaurants; reading their ids as one
-- text is faster than row by row.

-- name: restaurantsOfCategory
SELECT json_group_array(id) AS ids FROM (SELECT id FROM restaurants WHERE category_id = :id ORDER BY id)

-- name: suggestionsOfCategory
SELECT json_group_array(id) AS ids FROM (SELECT id FROM suggestions WHERE suggested_category_id = :id ORDER BY id)

-- name: restaurantsOfFoodType
SELECT json_group_array(restaurant_id) AS ids FROM (
  SELECT restaurant_id FROM restaurant_food_types WHERE food_type_id = :id ORDER BY restaurant_id
)

-- name: suggestionsOfFoodType
SELECT json_group_array(suggestion_id) AS ids FROM (
  SELECT suggestion_id FROM suggestion_food_types WHERE food_type_id = :id ORDER BY suggestion_id
)

-- name: attachCategoryToRestaurants
UPDATE restaurants SET category_id = :id WHERE category_id IS NULL AND id IN (SELECT value FROM json_each(:ids))

-- name: attachCategoryToSuggestions
UPDATE suggestions SET suggested_category_id = :id
WHERE suggested_category_id IS NULL AND id IN (SELECT value FROM json_each(:ids))

-- name: attachFoodTypeToRestaurants
INSERT OR IGNORE INTO restaurant_food_types (restaurant_id, food_type_id)
SELECT restaurants.id, :id FROM json_each(:ids) AS wanted CROSS JOIN restaurants ON restaurants.id = wanted.value

-- name: attachFoodTypeToSuggestions
INSERT OR IGNORE INTO suggestion_food_types (suggestion_id, food_type_id)
SELECT suggestions.id, :id FROM json_each(:ids) AS wanted CROSS JOIN suggestions ON suggestions.id = wanted.value
