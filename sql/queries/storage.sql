-- name: insertKey
INSERT INTO generated_keys (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING

-- name: getKey
SELECT value FROM generated_keys WHERE name = :name
