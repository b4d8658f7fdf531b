-- name: insertRating
-- The placeholder user of mode none has no row: its ratings have no author.
INSERT INTO ratings (
  restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at, user_id
) VALUES (
  :restaurantId, :foodRating, :serviceRating, :ambianceRating, :comment, :createdAt, :createdAt,
  (SELECT id FROM users WHERE id = :userId)
)
RETURNING id

-- name: selectRating
SELECT ratings.id, restaurant_id, user_id AS author_id, username AS author_name, food_rating, service_rating,
  ambiance_rating, comment, ratings.created_at, ratings.updated_at

-- name: selectRestaurantName
  , (SELECT name FROM restaurants WHERE restaurants.id = restaurant_id) AS restaurant_name

-- name: fromRatings
-- Those of deleted restaurants are in the trash.
FROM ratings LEFT JOIN users ON users.id = user_id

-- name: whereId
WHERE ratings.id = :id AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id)

-- name: whereOfRestaurant
WHERE restaurant_id = :restaurantId AND (ratings.created_at, ratings.id) < (:createdAt, :id)
  AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = :restaurantId)

-- name: whereOfUser
WHERE user_id IS :userId AND (ratings.created_at, ratings.id) < (:createdAt, :id)
  AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id)

-- name: andOfUser
-- By the index of the restaurant: ratings without an author may be many.
AND +user_id IS :userId

-- name: orderNewest
ORDER BY ratings.created_at DESC, ratings.id DESC LIMIT :limit OFFSET :offset

-- name: getRestaurantName
SELECT name FROM restaurants WHERE id = :restaurantId

-- name: insertStoredRating
-- The author's account may be gone by now.
INSERT INTO ratings (
  id, restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at, user_id
) VALUES (
  :id, :restaurant_id, :food_rating, :service_rating, :ambiance_rating, :comment, :created_at, :updated_at,
  (SELECT id FROM users WHERE id = :author_id)
)

-- name: updateRating
UPDATE ratings SET
  food_rating = :food_rating, service_rating = :service_rating, ambiance_rating = :ambiance_rating,
  comment = :comment, updated_at = :updated_at
WHERE id = :id

-- name: deleteRating
DELETE FROM ratings WHERE id = :id
