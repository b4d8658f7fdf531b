-- name: insertRating
INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at)
VALUES (:restaurantId, :foodRating, :serviceRating, :ambianceRating, :comment, :createdAt)
RETURNING *

-- name: deleteRating
DELETE FROM ratings WHERE id = :id

-- name: restaurantExists
SELECT 1 FROM restaurants WHERE id = :restaurantId

-- name: listRatings
SELECT * FROM ratings WHERE restaurant_id = :restaurantId
ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset

-- name: listRatingsAfter
SELECT * FROM ratings WHERE restaurant_id = :restaurantId AND (created_at, id) < (:createdAt, :id)
ORDER BY created_at DESC, id DESC LIMIT :limit
