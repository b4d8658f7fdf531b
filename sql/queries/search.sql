-- name: findByName
SELECT id FROM (SELECT id FROM restaurants WHERE search_name = :name ORDER BY id DESC LIMIT :limit)
UNION ALL
SELECT id FROM (
  SELECT id FROM suggestions WHERE status = 'pending' AND search_name = :name ORDER BY id DESC LIMIT :pendingLimit
)
ORDER BY id DESC LIMIT :limit

-- name: findByNameStart
SELECT id FROM (
  SELECT search_name, id FROM (
    SELECT search_name, id FROM restaurants
    WHERE search_name > :name AND search_name < :nameEnd ORDER BY search_name, id LIMIT :limit
  )
  UNION ALL
  SELECT search_name, id FROM (
    SELECT search_name, id FROM suggestions
    WHERE status = 'pending' AND search_name > :name AND search_name < :nameEnd
    ORDER BY search_name, id LIMIT :pendingLimit
  )
  ORDER BY search_name, id LIMIT :limit
)

-- name: countInNames
SELECT count(*) AS total FROM (SELECT 1 FROM search_names WHERE search_names MATCH :match LIMIT :limit)

-- name: listInNames
SELECT rowid AS id FROM search_names WHERE search_names MATCH :match AND rowid < :before ORDER BY rowid DESC LIMIT :limit

-- name: countInTexts
SELECT count(*) AS total FROM (SELECT 1 FROM search_texts WHERE search_texts MATCH :match LIMIT :limit)

-- name: listInTexts
SELECT rowid AS id FROM search_texts WHERE search_texts MATCH :match AND rowid < :before ORDER BY rowid DESC LIMIT :limit

-- name: listAll
SELECT id FROM restaurants WHERE id < :before ORDER BY id DESC LIMIT :limit

-- name: getDocuments
SELECT documents.id, name, text, category_id
FROM json_each(:ids) AS wanted CROSS JOIN search_documents AS documents ON documents.id = wanted.value
ORDER BY wanted.key

-- name: getFoodTypes
SELECT restaurant_id AS id, food_type_id
FROM json_each(:ids) AS wanted CROSS JOIN restaurant_food_types ON restaurant_id = wanted.value

-- name: countInPendingNames
SELECT count(*) AS total FROM (SELECT 1 FROM pending_names WHERE pending_names MATCH :match LIMIT :limit)

-- name: listInPendingNames
SELECT rowid AS id FROM pending_names WHERE pending_names MATCH :match AND rowid < :before ORDER BY rowid DESC LIMIT :limit

-- name: countInPendingTexts
SELECT count(*) AS total FROM (SELECT 1 FROM pending_texts WHERE pending_texts MATCH :match LIMIT :limit)

-- name: listInPendingTexts
SELECT rowid AS id FROM pending_texts WHERE pending_texts MATCH :match AND rowid < :before ORDER BY rowid DESC LIMIT :limit

-- name: listPending
SELECT id FROM suggestions WHERE status = 'pending' AND id < :before ORDER BY id DESC LIMIT :limit

-- name: getPendingDocuments
SELECT documents.id, name, text, category_id
FROM json_each(:ids) AS wanted CROSS JOIN pending_documents AS documents ON documents.id = wanted.value
ORDER BY wanted.key

-- name: getPendingFoodTypes
SELECT suggestion_id AS id, food_type_id
FROM json_each(:ids) AS wanted CROSS JOIN suggestion_food_types ON suggestion_id = wanted.value
