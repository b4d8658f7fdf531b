-- name: list
SELECT id, name, created_at, updated_at FROM {table} WHERE deleted_at IS NULL ORDER BY search_name, name_key

-- name: get
SELECT id, name, created_at, updated_at FROM {table} WHERE id = :id AND deleted_at IS NULL

-- name: findByKey
SELECT id, name, created_at, updated_at FROM {table} WHERE name_key = :nameKey AND deleted_at IS NULL

-- name: insert
INSERT INTO {table} (name, name_key, search_name, created_at, updated_at)
VALUES (:name, :nameKey, :searchName, :now, :now)
RETURNING id, name, created_at, updated_at

-- name: rename
UPDATE {table} SET name = :name, name_key = :nameKey, search_name = :searchName, updated_at = :now
WHERE id = :id AND deleted_at IS NULL
RETURNING id, name, created_at, updated_at

-- name: retire
-- Frees the name. Clients cannot send the key that replaces it.
UPDATE {table} SET deleted_at = :now, name_key = char(1) || id WHERE id = :id AND deleted_at IS NULL

-- name: getRetired
SELECT id, name, created_at, updated_at FROM {table} WHERE id = :id AND deleted_at IS NOT NULL AND change_id IS NOT NULL

-- name: revive
UPDATE {table} SET deleted_at = NULL, change_id = NULL, name_key = :nameKey WHERE id = :id

-- name: listRetired
SELECT id FROM {table} WHERE deleted_at IS NOT NULL AND change_id IS NULL

-- name: delete
DELETE FROM {table} WHERE id = :id AND deleted_at IS NOT NULL AND change_id IS NULL
