-- name: findPhotoTable
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'photos'

-- name: findKeptTrash
-- Without the change log, files in the trash could not be restored.
SELECT 1 FROM pragma_table_info('photo_trash') WHERE name = 'change_id'

-- name: findThumbnails
-- Without thumbnails a photo has one file.
SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = 'photo_files'

-- name: listAllFiles
-- From the trash only files whose deletion can be undone; the others are deleted within a quarter of an hour.
SELECT filename FROM photo_files
UNION
SELECT filename FROM photo_trash WHERE due_at IS NULL
ORDER BY filename

-- name: listPhotoFiles
SELECT filename FROM photos ORDER BY filename

-- name: listPhotoAndTrashFiles
SELECT filename FROM photos
UNION
SELECT filename FROM photo_trash WHERE due_at IS NULL
ORDER BY filename

-- name: findInvitationTable
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'invitations'

-- name: deleteOpenInvitations
DELETE FROM invitations WHERE used_at IS NULL

-- name: deleteResetLinks
DELETE FROM password_resets
