-- name: insertRating
-- The placeholder user of mode none has no row: its ratings have no author.
INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, user_id)
VALUES (
  :restaurantId, :foodRating, :serviceRating, :ambianceRating, :comment, :createdAt,
  (SELECT id FROM users WHERE id = :userId)
)
RETURNING id, restaurant_id, user_id AS author_id, food_rating, service_rating, ambiance_rating, comment, created_at

-- name: getRating
SELECT id, restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at FROM ratings WHERE id = :id

-- name: getRestaurantName
SELECT name FROM restaurants WHERE id = :restaurantId

-- name: getStoredRating
SELECT id, restaurant_id, user_id AS author_id, food_rating, service_rating, ambiance_rating, comment, created_at
FROM ratings WHERE id = :id

-- name: insertStoredRating
-- Who rated may be gone by now.
INSERT INTO ratings (id, restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, user_id)
VALUES (
  :id, :restaurant_id, :food_rating, :service_rating, :ambiance_rating, :comment, :created_at,
  (SELECT id FROM users WHERE id = :author_id)
)

-- name: deleteRating
DELETE FROM ratings WHERE id = :id

-- name: listRatings
SELECT id, restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at
FROM ratings WHERE restaurant_id = :restaurantId
ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset

-- name: listRatingsAfter
SELECT id, restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at
FROM ratings WHERE restaurant_id = :restaurantId AND (created_at, id) < (:createdAt, :id)
ORDER BY created_at DESC, id DESC LIMIT :limit
