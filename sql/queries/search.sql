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

-- name: findInNames
SELECT id FROM (
  SELECT rowid AS id FROM search_names WHERE search_names MATCH :match AND NOT EXISTS (
    SELECT 1 FROM json_each(:others)
    WHERE instr((SELECT name FROM search_documents WHERE id = search_names.rowid), value) = 0
  ) ORDER BY rowid DESC LIMIT :limit
)
UNION ALL
SELECT id FROM (
  SELECT rowid AS id FROM pending_names WHERE pending_names MATCH :match AND NOT EXISTS (
    SELECT 1 FROM json_each(:others)
    WHERE instr((SELECT name FROM pending_documents WHERE id = pending_names.rowid), value) = 0
  ) ORDER BY rowid DESC LIMIT :pendingLimit
)
ORDER BY id DESC LIMIT :limit

-- name: findInTexts
SELECT id FROM (
  SELECT rowid AS id FROM search_texts WHERE search_texts MATCH :match AND NOT EXISTS (
    SELECT 1 FROM json_each(:others)
    WHERE instr((SELECT text FROM search_documents WHERE id = search_texts.rowid), value) = 0
  ) ORDER BY rowid DESC LIMIT :limit
)
UNION ALL
SELECT id FROM (
  SELECT rowid AS id FROM pending_texts WHERE pending_texts MATCH :match AND NOT EXISTS (
    SELECT 1 FROM json_each(:others)
    WHERE instr((SELECT text FROM pending_documents WHERE id = pending_texts.rowid), value) = 0
  ) ORDER BY rowid DESC LIMIT :pendingLimit
)
ORDER BY id DESC LIMIT :limit

-- name: countMatches
SELECT count(*) AS total FROM (SELECT 1 FROM search_texts WHERE search_texts MATCH :match LIMIT :limit)
