-- name: countInNames
SELECT count(*) AS total FROM (SELECT 1 FROM search_names WHERE search_names MATCH :match LIMIT :limit)

-- name: listInNames
SELECT rowid AS id FROM search_names WHERE search_names MATCH :match AND rowid < :before ORDER BY rowid DESC LIMIT :limit

-- name: countInTexts
SELECT count(*) AS total FROM (SELECT 1 FROM search_texts WHERE search_texts MATCH :match LIMIT :limit)

-- name: listInTexts
SELECT rowid AS id FROM search_texts WHERE search_texts MATCH :match AND rowid < :before ORDER BY rowid DESC LIMIT :limit

-- name: listAll
SELECT id FROM restaurants WHERE id < :before
UNION ALL
SELECT id FROM suggestions WHERE status = 'pending' AND id < :before
ORDER BY id DESC LIMIT :limit

-- name: getTexts
SELECT documents.id, text FROM json_each(:ids) AS wanted CROSS JOIN search_documents AS documents ON documents.id = wanted.value
UNION ALL
SELECT documents.id, text FROM json_each(:ids) AS wanted CROSS JOIN pending_documents AS documents ON documents.id = wanted.value
