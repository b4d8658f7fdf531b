-- name: findByName
SELECT id FROM restaurants WHERE search_name = :name ORDER BY id DESC LIMIT :limit

-- name: findByNameStart
SELECT id FROM restaurants WHERE search_name > :name AND search_name < :nameEnd ORDER BY search_name, id LIMIT :limit

-- name: findInNames
SELECT rowid AS id FROM search_names WHERE search_names MATCH :match ORDER BY rowid DESC LIMIT :limit

-- name: findInTexts
SELECT rowid AS id FROM search_texts WHERE search_texts MATCH :match ORDER BY rowid DESC LIMIT :limit
