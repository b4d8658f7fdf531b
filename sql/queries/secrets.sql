-- name: countSessions
SELECT count(*) FROM sessions
WHERE user_id = :userId AND expires_at > :now
  AND id IS NOT (SELECT session_id FROM refresh_tokens WHERE sid_hash = :exceptHash)

-- name: revokeSessions
DELETE FROM sessions
WHERE user_id = :userId AND id IS NOT (SELECT session_id FROM refresh_tokens WHERE sid_hash = :exceptHash)

-- name: countApiTokens
SELECT count(*) FROM api_tokens WHERE user_id = :userId AND (expires_at IS NULL OR expires_at > :now)

-- name: revokeApiTokens
DELETE FROM api_tokens WHERE user_id = :userId

-- name: countFeeds
SELECT count(*) FROM feeds WHERE user_id = :userId

-- name: revokeFeeds
DELETE FROM feeds WHERE user_id = :userId

-- name: countListLinks
SELECT count(*) FROM lists CROSS JOIN links ON list_id = lists.id
WHERE user_id = :userId AND (expires_at IS NULL OR expires_at > :now)

-- name: revokeListLinks
-- Those of a deleted list would work again once it is restored.
DELETE FROM links WHERE list_id IN (
  SELECT id FROM lists WHERE user_id = :userId UNION ALL SELECT id FROM deleted_lists WHERE user_id = :userId
)

-- name: countOutingLinks
SELECT count(*) FROM outings WHERE user_id = :userId

-- name: revokeOutingLinks
-- People with accounts who take part find the new one in the outing.
UPDATE outings SET token = substr(lower(hex(randomblob(22))), 1, 43) WHERE user_id = :userId

-- name: countGuests
SELECT count(*) FROM outings CROSS JOIN outing_voters ON outing_id = outings.id
WHERE outings.user_id = :userId AND length(secret_hash) > 0

-- name: revokeGuests
-- Their names and ballots stay.
UPDATE outing_voters SET secret_hash = x''
WHERE guest_name IS NOT NULL AND outing_id IN (SELECT id FROM outings WHERE user_id = :userId)

-- name: countInvitations
SELECT count(*) FROM invitations WHERE created_by = :userId AND used_at IS NULL AND expires_at > :now

-- name: revokeInvitations
DELETE FROM invitations WHERE created_by = :userId AND used_at IS NULL

-- name: countResetLinksMade
SELECT count(*) FROM password_resets WHERE created_by = :userId AND expires_at > :now

-- name: revokeResetLinksMade
DELETE FROM password_resets WHERE created_by = :userId

-- name: countOwnResetLinks
SELECT count(*) FROM password_resets WHERE user_id = :userId AND expires_at > :now

-- name: revokeOwnResetLinks
DELETE FROM password_resets WHERE user_id = :userId

-- name: revokeMemberships
DELETE FROM list_members WHERE user_id = :userId AND list_id NOT IN (
  SELECT id FROM lists WHERE user_id = :userId UNION ALL SELECT id FROM deleted_lists WHERE user_id = :userId
)

-- name: revokeMembers
DELETE FROM list_members WHERE user_id <> :userId AND list_id IN (
  SELECT id FROM lists WHERE user_id = :userId UNION ALL SELECT id FROM deleted_lists WHERE user_id = :userId
)

-- name: revokeIdentities
DELETE FROM identities WHERE user_id = :userId
