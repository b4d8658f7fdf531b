-- name: selectVisit
SELECT
  visits.id, visits.user_id AS author_id, visits.restaurant_id AS stored_restaurant_id,
  restaurants.id AS restaurant_id,
  coalesce(restaurants.name, deleted_restaurants.name, visits.restaurant_name) AS restaurant_name, visited_on, note, companions, total_minor,
  currency, dishes, visits.created_at, visits.updated_at
FROM visits
LEFT JOIN restaurants ON restaurants.id = visits.restaurant_id
LEFT JOIN deleted_restaurants ON deleted_restaurants.id = visits.restaurant_id

-- name: whereId
WHERE visits.id = :id

-- name: whereOwnedId
WHERE visits.id = :id AND visits.user_id IS :ownerId

-- name: whereOfOwner
WHERE visits.user_id IS :ownerId AND (visited_on, visits.id) < (:visitedOn, :id) AND visited_on BETWEEN :from AND :to

-- name: whereAtRestaurant
WHERE visits.restaurant_id = :restaurantId AND visits.user_id IS :ownerId AND restaurants.id IS NOT NULL
  AND (visited_on, visits.id) < (:visitedOn, :id) AND visited_on BETWEEN :from AND :to

-- name: orderVisits
ORDER BY visited_on DESC, visits.id DESC LIMIT :limit

-- name: countOfOwner
SELECT count(*) FROM visits WHERE user_id IS :ownerId AND visited_on BETWEEN :from AND :to

-- name: countAtRestaurant
SELECT count(*) FROM visits
WHERE restaurant_id = :restaurantId AND user_id IS :ownerId
  AND EXISTS (SELECT 1 FROM restaurants WHERE id = :restaurantId)
  AND visited_on BETWEEN :from AND :to

-- name: getPlace
SELECT name, latitude, longitude, time_zone FROM restaurants WHERE id = :restaurantId

-- name: insertVisit
INSERT INTO visits (user_id, restaurant_id, {fields}, created_at, updated_at)
VALUES (:ownerId, :restaurantId, {values}, :now, :now)
RETURNING id

-- name: updateVisit
UPDATE visits SET {assignments}, updated_at = :updated_at WHERE id = :id

-- name: deleteVisit
DELETE FROM visits WHERE id = :id

-- name: restoreVisit
-- The restaurant may have been deleted, and then only the visit has its name.
INSERT INTO visits (id, user_id, restaurant_id, restaurant_name, {fields}, created_at, updated_at)
SELECT
  :id, :author_id, CASE WHEN is_known THEN :restaurant_id END, CASE WHEN NOT is_known THEN :restaurant_name END,
  {values}, :created_at, :updated_at
FROM (
  SELECT EXISTS (
    SELECT 1 FROM restaurants WHERE id = :restaurant_id
    UNION ALL SELECT 1 FROM deleted_restaurants WHERE id = :restaurant_id
  ) AS is_known
) AS chosen
