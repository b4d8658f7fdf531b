-- name: insertRating
-- The placeholder user of mode none has no row, and the account of a restored rating's author may be gone.
INSERT INTO ratings (id, {fields}, created_at, updated_at, user_id)
VALUES (
  :id, {values}, :created_at, iif(:updated_at = :created_at, '', :updated_at), (SELECT id FROM users WHERE id = :author_id)
)
RETURNING id, user_id AS author_id, (SELECT username FROM users WHERE users.id = user_id) AS author_name

-- name: selectRating
SELECT ratings.id, {fields}, ratings.created_at,
  iif(ratings.updated_at = '', ratings.created_at, ratings.updated_at) AS updated_at, user_id AS author_id, username AS author_name

-- name: selectRestaurantName
  , (SELECT name FROM restaurants WHERE restaurants.id = restaurant_id) AS restaurant_name

-- name: fromRatings
-- Ratings of deleted restaurants are in the trash.
FROM ratings LEFT JOIN users ON users.id = user_id

-- name: whereId
WHERE ratings.id = :id AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id)

-- name: whereOfRestaurant
WHERE restaurant_id = :restaurantId AND (ratings.created_at, ratings.id) < (:createdAt, :id)
  AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = :restaurantId)

-- name: whereOfRestaurantAfter
WHERE restaurant_id = :restaurantId AND (ratings.created_at, ratings.id) > (:createdAt, :id)
  AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = :restaurantId)

-- name: whereOfUser
WHERE user_id IS :userId AND (ratings.created_at, ratings.id) < (:createdAt, :id)
  AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id)

-- name: andOfUser
-- The plus sign forces the restaurant's index: many ratings may have no author.
AND +user_id IS :userId

-- name: orderNewest
ORDER BY ratings.created_at DESC, ratings.id DESC LIMIT :limit OFFSET :offset

-- name: orderOldest
ORDER BY ratings.created_at, ratings.id LIMIT :limit

-- name: getRestaurantName
SELECT name FROM restaurants WHERE id = :restaurantId

-- name: countRatingsOf
SELECT count(*) FROM ratings WHERE restaurant_id = :restaurantId AND user_id = :userId

-- name: updateRating
UPDATE ratings SET {assignments}, updated_at = :updated_at WHERE id = :id

-- name: deleteRating
DELETE FROM ratings WHERE id = :id
