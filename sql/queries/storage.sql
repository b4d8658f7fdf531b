-- name: insertKey
INSERT INTO generated_keys (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING

-- name: getKey
SELECT value FROM generated_keys WHERE name = :name

-- name: dataVersion
-- Another number whenever another process has written. As a table-valued function it would be compiled at each call.
PRAGMA data_version
