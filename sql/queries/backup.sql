-- name: findPhotoTable
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'photos'

-- name: listPhotoFiles
SELECT filename FROM photos WHERE filename > :after ORDER BY filename LIMIT 1000
