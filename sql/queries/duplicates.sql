-- name: listIds
SELECT id FROM restaurants WHERE id > :after
UNION ALL
SELECT id FROM suggestions WHERE id > :after AND status = 'pending'
ORDER BY 1 LIMIT :limit

-- name: readPlaces
SELECT restaurants.id, 0 AS is_pending, name, address, phone, website, latitude, longitude, google_place_id, external_ids
FROM json_each(:ids) AS wanted CROSS JOIN restaurants ON restaurants.id = wanted.value
UNION ALL
SELECT suggestions.id, 1, name, address, phone, website, latitude, longitude, google_place_id, NULL
FROM json_each(:ids) AS wanted CROSS JOIN suggestions ON suggestions.id = wanted.value WHERE status = 'pending'

-- name: isDismissed
SELECT 1 FROM dismissed_pairs WHERE a = :a AND b = :b

-- name: countDismissed
-- No further than one user may have.
SELECT count(*) FROM (SELECT 1 FROM dismissed_pairs WHERE user_id IS :userId LIMIT :most)

-- name: dismiss
INSERT OR IGNORE INTO dismissed_pairs (a, b, user_id) VALUES (:a, :b, :userId)

-- name: forgetDismissal
DELETE FROM dismissed_pairs WHERE a = min(:a, :b) AND b = max(:a, :b)
