-- name: lastId
SELECT max(id) FROM restaurants

-- name: findAlike
-- Those close by, those with the phone number, and those of the name, with which their identity begins.
SELECT id FROM (
  SELECT id FROM restaurants
  WHERE latitude BETWEEN :south AND :north AND longitude BETWEEN :west AND :east AND id <= :last LIMIT 200
)
UNION ALL
SELECT id FROM (
  SELECT id FROM restaurants WHERE phone IS NOT NULL AND substr(
    replace(replace(replace(replace(replace(replace(phone, ' ', ''), '-', ''), '.', ''), '/', ''), '(', ''), ')', ''), -7
  ) = :phone AND id <= :last LIMIT 30
)
UNION ALL
SELECT id FROM (
  SELECT id FROM restaurants
  WHERE identity_key > :name || char(1) AND identity_key < :name || char(2) AND id <= :last LIMIT 30
)

-- name: findWords
SELECT rowid FROM search_texts WHERE search_texts MATCH :match AND rowid <= :last LIMIT 30

-- name: readAlike
SELECT restaurants.id, name, address, phone, website, latitude, longitude, google_place_id, external_ids
FROM json_each(:ids) AS wanted CROSS JOIN restaurants ON restaurants.id = wanted.value

-- name: readAll
SELECT id, name, address, phone, website, latitude, longitude, google_place_id, external_ids
FROM restaurants WHERE id <= :last
