-- name: insertSuggestion
INSERT INTO suggestions (
  id, {fields}, suggested_category_id, notes, status, restaurant_id, identity_key, search_name, search_text, user_id,
  created_at, updated_at
) VALUES (
  :id, {values}, :suggested_category_id, :notes, :status,
  (SELECT id FROM restaurants WHERE id = :restaurant_id), :identityKey, :searchName, :searchText,
  (SELECT id FROM users WHERE id = :author_id), :created_at, :updated_at
)

-- name: insertSuggestionFoodType
INSERT INTO suggestion_food_types (suggestion_id, food_type_id) VALUES (:suggestionId, :foodTypeId)

-- name: getSuggestion
SELECT
  id, {fields}, notes, status, user_id AS author_id, restaurant_id, created_at, updated_at,
  (SELECT username FROM users WHERE users.id = user_id) AS author_name,
  (SELECT id FROM categories WHERE id = suggested_category_id AND deleted_at IS NULL) AS suggested_category_id,
  (
    SELECT json_group_array(food_type_id ORDER BY food_type_id)
    FROM suggestion_food_types CROSS JOIN food_types ON food_types.id = food_type_id AND deleted_at IS NULL
    WHERE suggestion_id = suggestions.id
  ) AS food_type_ids
FROM suggestions WHERE id = :id

-- name: listOpen
SELECT id FROM suggestions
WHERE status <> 'converted' AND (created_at, id) < (:createdAt, :id)
ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset

-- name: listAll
SELECT id FROM suggestions
WHERE (created_at, id) < (:createdAt, :id)
ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset

-- name: listWithStatus
SELECT id FROM suggestions
WHERE status = :status AND (created_at, id) < (:createdAt, :id)
ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset

-- name: countPending
SELECT count(*) FROM suggestions WHERE status = 'pending'

-- name: setStatus
UPDATE suggestions SET status = :status, restaurant_id = :restaurantId, updated_at = :now WHERE id = :id

-- name: restaurantsMadeOf
SELECT id FROM restaurants WHERE suggestion_id = :id

-- name: relinkRestaurants
UPDATE restaurants SET suggestion_id = :id
WHERE suggestion_id IS NULL AND id IN (SELECT value FROM json_each(:ids))

-- name: deleteSuggestion
DELETE FROM suggestions WHERE id = :id

-- name: findSuggestionByPlace
SELECT id, name FROM suggestions WHERE google_place_id = :google_place_id AND status <> 'rejected' AND id IS NOT :except
ORDER BY id LIMIT 1

-- name: findSuggestionByIdentity
SELECT id, name FROM suggestions WHERE identity_key = :identityKey AND status <> 'rejected' AND id IS NOT :except
ORDER BY id LIMIT 1
