-- name: listMembers
-- The owner first, then in the order of joining.
SELECT users.id AS author_id, username AS author_name, joined_at
FROM list_members CROSS JOIN users ON users.id = user_id
WHERE list_id = :listId ORDER BY users.id <> :ownerId, joined_at, users.id

-- name: countJoined
-- Without deleted lists, which their members do not see.
SELECT count(*) FROM list_members CROSS JOIN lists ON lists.id = list_id
WHERE list_members.user_id = :userId AND lists.user_id IS NOT :userId

-- name: insertMember
INSERT INTO list_members (list_id, user_id, joined_at) VALUES (:listId, :userId, :joinedAt) ON CONFLICT DO NOTHING

-- name: deleteMember
DELETE FROM list_members WHERE list_id = :listId AND user_id = :userId

-- name: deleteJoinLinks
DELETE FROM links WHERE list_id = :listId AND access = 'join'
