-- name: countMatches
SELECT count(*) AS total FROM (SELECT 1 FROM search_texts WHERE search_texts MATCH :match LIMIT :limit)

-- name: listMatches
SELECT rowid AS id FROM search_texts WHERE search_texts MATCH :match AND rowid BETWEEN :from AND :to

-- name: getTexts
SELECT documents.id, text FROM json_each(:ids) AS wanted CROSS JOIN search_documents AS documents ON documents.id = wanted.value
UNION ALL
SELECT documents.id, text FROM json_each(:ids) AS wanted CROSS JOIN pending_documents AS documents ON documents.id = wanted.value
