-- name: nextId
UPDATE id_sequence SET last_id = last_id + 1 RETURNING last_id AS id

-- name: insertRestaurant
INSERT INTO restaurants (
  id, {fields}, category_id, suggestion_id, identity_key, search_name, search_text, created_at, updated_at
) VALUES (
  :id, {values}, :category_id, :suggestionId, :identityKey, :searchName, :searchText, :createdAt, :updatedAt
)

-- name: findOpenSuggestions
SELECT id, name, user_id, status, updated_at FROM suggestions WHERE id IN (
  SELECT id FROM suggestions WHERE identity_key = :identityKey AND status IN ('pending', 'approved', 'tested')
  UNION ALL
  SELECT id FROM suggestions WHERE google_place_id = :google_place_id AND status IN ('pending', 'approved', 'tested')
  UNION ALL
  SELECT :madeFrom
) ORDER BY id

-- name: convertSuggestion
UPDATE suggestions SET status = 'converted', restaurant_id = :restaurantId, updated_at = :now WHERE id = :id

-- name: findFreeSuggestion
SELECT id FROM suggestions
WHERE id = :id AND NOT EXISTS (SELECT 1 FROM restaurants WHERE suggestion_id = suggestions.id)

-- name: relinkSuggestions
UPDATE suggestions SET restaurant_id = :restaurantId
WHERE restaurant_id IS NULL AND status = 'converted' AND id IN (SELECT value FROM json_each(:ids))

-- name: cascadedFrom
-- The first hundred ratings and photos with their totals, and all suggestions.
SELECT
  (
    SELECT json_group_array(id)
    FROM (SELECT id FROM ratings WHERE restaurant_id = :restaurantId ORDER BY created_at, id LIMIT 100)
  ) AS rating_ids,
  (SELECT rating_count FROM restaurants WHERE id = :restaurantId) AS ratings_total,
  (SELECT coalesce(max(id), 0) FROM ratings) AS last_rating_id,
  (
    SELECT json_group_array(id)
    FROM (SELECT id FROM photos WHERE restaurant_id = :restaurantId ORDER BY created_at, id LIMIT 100)
  ) AS photo_ids,
  (SELECT count(*) FROM photos WHERE restaurant_id = :restaurantId) AS photos_total,
  (SELECT coalesce(max(id), 0) FROM photos) AS last_photo_id,
  (SELECT json_group_array(id ORDER BY id) FROM suggestions WHERE restaurant_id = :restaurantId) AS suggestion_ids

-- name: countOthers
SELECT
  (SELECT count(*) FROM ratings WHERE restaurant_id = :restaurantId
    AND id > :lastRatingId AND id NOT IN (SELECT value FROM json_each(:ratingIds))) AS ratings,
  (SELECT count(*) FROM photos WHERE restaurant_id = :restaurantId
    AND id > :lastPhotoId AND id NOT IN (SELECT value FROM json_each(:photoIds))) AS photos

-- name: updateRestaurant
UPDATE restaurants SET
  {assignments},
  category_id = coalesce(:category_id, (
    -- Keeps a deleted category, which may be restored, until another one replaces it.
    SELECT id FROM categories WHERE id = restaurants.category_id AND deleted_at IS NOT NULL
  )),
  identity_key = :identityKey, search_name = :searchName, search_text = :searchText, updated_at = :updatedAt
WHERE id = :id

-- name: deleteRestaurant
DELETE FROM restaurants WHERE id = :id

-- name: insertFoodType
INSERT INTO restaurant_food_types (restaurant_id, food_type_id) VALUES (:restaurantId, :foodTypeId)

-- name: deleteFoodType
DELETE FROM restaurant_food_types WHERE restaurant_id = :restaurantId AND food_type_id = :foodTypeId

-- name: categoryExists
SELECT 1 FROM categories WHERE id = :id AND deleted_at IS NULL

-- name: missingFoodTypes
SELECT value AS id FROM json_each(:ids) AS wanted WHERE NOT EXISTS (
  SELECT 1 FROM food_types WHERE id = wanted.value AND deleted_at IS NULL
)

-- name: findByPlace
SELECT id, name FROM restaurants WHERE google_place_id = :google_place_id AND id IS NOT :except

-- name: findByIdentity
-- What else identifies a place without an exact address stands behind its name and address, and begins with char(2).
SELECT id, name FROM restaurants
WHERE identity_key >= :identityKey AND identity_key < :identityKey || char(3) AND id IS NOT :except
ORDER BY identity_key LIMIT 1

-- name: findStored
SELECT id, name FROM restaurants WHERE identity_key = :identityKey AND id IS NOT :except

-- name: findNamed
-- Digits and a sign of a position come before the colon; char(2) is before what else identifies a place. 0.002 degrees are 220 metres.
SELECT id FROM (
  SELECT id, latitude FROM restaurants
  WHERE identity_key >= :groupKey AND identity_key < :groupKey || iif(:latitude IS NULL, char(3), ':')
  ORDER BY identity_key LIMIT 1000
) WHERE :latitude IS NULL OR abs(latitude - :latitude) < 0.002 LIMIT 20

-- name: findByExternalId
SELECT id, name FROM restaurants WHERE id IS NOT :except AND id IN (
  SELECT id FROM restaurants WHERE json_extract(external_ids, '$.osm') = :osm
  UNION ALL SELECT id FROM restaurants WHERE json_extract(external_ids, '$.fsq') = :fsq
  UNION ALL SELECT id FROM restaurants WHERE json_extract(external_ids, '$.overture') = :overture
  UNION ALL SELECT id FROM restaurants WHERE json_extract(external_ids, '$.wikidata') = :wikidata
) ORDER BY id LIMIT 1

-- name: getRestaurant
SELECT
  id, {fields}, suggestion_id, created_at, updated_at,
  (SELECT id FROM categories WHERE id = category_id AND deleted_at IS NULL) AS category_id,
  (
    SELECT json_group_array(food_type_id ORDER BY food_type_id)
    FROM restaurant_food_types CROSS JOIN food_types ON food_types.id = food_type_id AND deleted_at IS NULL
    WHERE restaurant_id = restaurants.id
  ) AS food_type_ids
FROM restaurants WHERE id = :id

-- name: selectForText
-- Includes references to deleted categories and food types.
SELECT restaurants.id, category_id,
  (SELECT json_group_array(food_type_id) FROM restaurant_food_types WHERE restaurant_id = restaurants.id), suggestion_id,
  rating_count, food_sum, service_sum, ambiance_sum, overall, status, created_at, updated_at, {fields}

-- name: fromOne
FROM restaurants WHERE restaurants.id = :id

-- name: fromIds
-- Takes a JSON array of ids, to lock the database only once.
FROM json_each(:ids) AS wanted CROSS JOIN restaurants ON restaurants.id = wanted.value

-- name: readPending
-- Pending suggestions with the columns of restaurants without ratings.
SELECT suggestions.id, suggested_category_id,
  (SELECT json_group_array(food_type_id) FROM suggestion_food_types WHERE suggestion_id = suggestions.id), suggestions.id,
  0, 0, 0, 0, 0, status, created_at, updated_at, {fields}
FROM json_each(:ids) AS wanted CROSS JOIN suggestions ON suggestions.id = wanted.value WHERE status = 'pending'

-- name: readHours
SELECT restaurants.id, status, opening_hours, time_zone, latitude, longitude
FROM json_each(:ids) AS wanted CROSS JOIN restaurants ON restaurants.id = wanted.value

-- name: readNames
SELECT wanted.value, coalesce(
  (SELECT name FROM restaurants WHERE restaurants.id = wanted.value),
  (SELECT name FROM suggestions WHERE suggestions.id = wanted.value AND status = 'pending')
)
FROM json_each(:ids) AS wanted

-- name: idsAfter
SELECT id FROM restaurants WHERE id > :afterId ORDER BY id LIMIT :limit
