-- Removes what belongs to deleted restaurants and lists whose deletion can no longer be undone.

-- name: nextRestaurant
SELECT id FROM deleted_restaurants WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1

-- name: listRatings
SELECT id, coalesce(octet_length(comment), 0) AS bytes FROM ratings WHERE restaurant_id = :id LIMIT :limit

-- name: deleteRatings
DELETE FROM ratings WHERE id IN (SELECT value FROM json_each(:ids))

-- name: deletePhotos
DELETE FROM photos WHERE id IN (SELECT id FROM photos WHERE restaurant_id = :id LIMIT :limit)

-- name: deleteItemsOfRestaurant
DELETE FROM list_items WHERE (list_id, restaurant_id) IN (
  SELECT list_id, restaurant_id FROM list_items WHERE restaurant_id = :id LIMIT :limit
)

-- name: forgetMoved
DELETE FROM moved WHERE (from_id, kind, id) IN (SELECT from_id, kind, id FROM moved WHERE from_id = :id LIMIT :limit)

-- name: forgetUnited
DELETE FROM united_items WHERE (from_id, list_id) IN (
  SELECT from_id, list_id FROM united_items WHERE from_id = :id LIMIT :limit
)

-- name: keepName
-- Visits still need it.
UPDATE deleted_restaurants SET due_at = NULL
WHERE id = :id AND EXISTS (SELECT 1 FROM visits WHERE restaurant_id = :id)

-- name: deleteRestaurant
DELETE FROM deleted_restaurants WHERE id = :id AND due_at IS NOT NULL

-- name: nextList
SELECT id FROM deleted_lists WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1

-- name: deleteItemsOfList
DELETE FROM list_items WHERE (list_id, restaurant_id) IN (
  SELECT list_id, restaurant_id FROM list_items WHERE list_id = :id LIMIT :limit
)

-- name: deleteList
DELETE FROM deleted_lists WHERE id = :id
