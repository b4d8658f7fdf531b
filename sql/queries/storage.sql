-- name: insertKey
INSERT INTO generated_keys (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING

-- name: getKey
SELECT value FROM generated_keys WHERE name = :name

-- name: dataVersion
-- The number changes when another process writes. As a table-valued function it would be recompiled at each
-- call.
PRAGMA data_version
