-- name: list
SELECT id, name, created_at, updated_at FROM {table} ORDER BY search_name, name_key

-- name: get
SELECT id, name, created_at, updated_at FROM {table} WHERE id = :id

-- name: findByKey
SELECT id, name, created_at, updated_at FROM {table} WHERE name_key = :nameKey

-- name: insert
INSERT INTO {table} (name, name_key, search_name, created_at, updated_at)
VALUES (:name, :nameKey, :searchName, :now, :now)
RETURNING id, name, created_at, updated_at

-- name: rename
UPDATE {table} SET name = :name, name_key = :nameKey, search_name = :searchName, updated_at = :now
WHERE id = :id
RETURNING id, name, created_at, updated_at

-- name: delete
DELETE FROM {table} WHERE id = :id
