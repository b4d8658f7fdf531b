-- name: countRestaurants
SELECT restaurants AS count FROM totals WHERE scope = 'all'

-- name: countPending
SELECT count(*) AS count FROM suggestions WHERE status = 'pending'

-- name: listPhotoSizes
SELECT id, filename, file_size FROM photos WHERE filename > :after ORDER BY filename LIMIT 1000

-- name: findWrongRatings
SELECT restaurants.id FROM restaurants LEFT JOIN (
  SELECT restaurant_id, count(*) AS ratings, sum(food_rating) AS food, sum(service_rating) AS service,
    sum(ambiance_rating) AS ambiance
  FROM ratings GROUP BY restaurant_id
) AS actual ON actual.restaurant_id = restaurants.id
WHERE (rating_count, food_sum, service_sum, ambiance_sum)
  <> (coalesce(ratings, 0), coalesce(food, 0), coalesce(service, 0), coalesce(ambiance, 0))

-- name: findWrongTotals
WITH actual (scope, scope_id, restaurants) AS (
  SELECT 'all', 0, count(*) FROM restaurants
  UNION ALL
  SELECT 'category', id, (SELECT count(*) FROM restaurants WHERE category_id = categories.id)
  FROM categories WHERE deleted_at IS NULL
  UNION ALL
  SELECT 'food_type', id, (SELECT count(*) FROM restaurant_food_types WHERE food_type_id = food_types.id)
  FROM food_types WHERE deleted_at IS NULL
)
SELECT coalesce(actual.scope, totals.scope) || ' ' || coalesce(actual.scope_id, totals.scope_id) AS id
FROM actual FULL JOIN totals ON totals.scope = actual.scope AND totals.scope_id = actual.scope_id
WHERE totals.restaurants IS NOT actual.restaurants

-- name: findWrongSearchNames
SELECT id FROM (SELECT id FROM restaurants EXCEPT SELECT rowid FROM search_names)
UNION ALL SELECT * FROM (SELECT rowid FROM search_names EXCEPT SELECT id FROM restaurants)

-- name: findWrongSearchTexts
SELECT id FROM (SELECT id FROM restaurants EXCEPT SELECT rowid FROM search_texts)
UNION ALL SELECT * FROM (SELECT rowid FROM search_texts EXCEPT SELECT id FROM restaurants)

-- name: findWrongLocations
SELECT id FROM restaurants WHERE latitude IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM restaurant_locations AS box WHERE box.id = restaurants.id
    AND latitude BETWEEN min_latitude AND max_latitude AND max_latitude - min_latitude < 0.0001
    AND longitude BETWEEN min_longitude AND max_longitude AND max_longitude - min_longitude < 0.0001
)
UNION ALL SELECT * FROM (
  SELECT id FROM restaurant_locations EXCEPT SELECT id FROM restaurants WHERE latitude IS NOT NULL
)

-- name: findWrongPendingNames
SELECT id FROM (SELECT id FROM suggestions WHERE status = 'pending' EXCEPT SELECT rowid FROM pending_names)
UNION ALL SELECT * FROM (SELECT rowid FROM pending_names EXCEPT SELECT id FROM suggestions WHERE status = 'pending')

-- name: findWrongPendingTexts
SELECT id FROM (SELECT id FROM suggestions WHERE status = 'pending' EXCEPT SELECT rowid FROM pending_texts)
UNION ALL SELECT * FROM (SELECT rowid FROM pending_texts EXCEPT SELECT id FROM suggestions WHERE status = 'pending')

-- name: findWrongPendingLocations
SELECT id FROM suggestions WHERE status = 'pending' AND latitude IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM pending_locations AS box WHERE box.id = suggestions.id
    AND latitude BETWEEN min_latitude AND max_latitude AND max_latitude - min_latitude < 0.0001
    AND longitude BETWEEN min_longitude AND max_longitude AND max_longitude - min_longitude < 0.0001
)
UNION ALL SELECT * FROM (
  SELECT id FROM pending_locations
  EXCEPT SELECT id FROM suggestions WHERE status = 'pending' AND latitude IS NOT NULL
)
