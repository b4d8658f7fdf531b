-- name: insertErasure
INSERT INTO erasures (user_id, contributions) VALUES (:userId, :contributions) ON CONFLICT DO NOTHING

-- name: nextErasure
SELECT
  user_id, contributions, change_id, EXISTS (SELECT 1 FROM users WHERE id = user_id) AS has_account
FROM erasures ORDER BY user_id LIMIT 1

-- name: setErasedUpTo
UPDATE erasures SET change_id = :changeId WHERE user_id = :userId

-- name: deleteErasure
DELETE FROM erasures WHERE user_id = :userId

-- name: listContributions
-- is_there: 0 for those whose restaurant is deleted.
SELECT 'rating' AS kind, id, EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id) AS is_there
FROM ratings WHERE user_id = :userId
UNION ALL
SELECT 'photo', id, EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id)
FROM photos WHERE user_id = :userId
UNION ALL SELECT 'suggestion', id, 1 FROM suggestions WHERE user_id = :userId AND status <> 'converted'
LIMIT :limit

-- name: deleteRatingInTrash
DELETE FROM ratings WHERE id = :id

-- name: deletePhotoInTrash
DELETE FROM photos WHERE id = :id

-- name: listTrash
-- Deletions of what was the user's that can be undone.
SELECT id FROM changes
WHERE owner_id = :userId AND kept_until IS NOT NULL AND kind IN ('rating', 'photo', 'suggestion') LIMIT :limit

-- name: releaseRatings
-- What stays has no author, and in the trash no words either.
UPDATE ratings SET
  user_id = NULL,
  comment = CASE WHEN EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id) THEN comment END
WHERE id IN (SELECT id FROM ratings WHERE user_id = :userId LIMIT :limit)

-- name: releasePhotos
UPDATE photos SET
  user_id = NULL,
  caption = CASE WHEN EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id) THEN caption ELSE '' END,
  original_filename =
    CASE WHEN EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = restaurant_id) THEN original_filename END
WHERE id IN (SELECT id FROM photos WHERE user_id = :userId LIMIT :limit)

-- name: releaseSuggestions
UPDATE suggestions SET user_id = NULL
WHERE id IN (SELECT id FROM suggestions WHERE user_id = :userId LIMIT :limit)

-- name: deleteUsedInvitation
-- The invitation may hold the address of the user.
DELETE FROM invitations WHERE used_by = :userId

-- name: clearInvitationNotes
UPDATE invitations SET note = NULL WHERE created_by = :userId

-- name: deleteInvitation
DELETE FROM invitations WHERE id = :id

-- name: listAddressedInvitations
SELECT id, email FROM invitations WHERE email IS NOT NULL

-- name: emailKeyOf
SELECT email_key FROM users WHERE id = :userId

-- name: deleteSomeAnswers
-- The oldest, up to 1 MB.
DELETE FROM idempotency_keys WHERE user_id = :userId
  AND bytes_so_far <= (SELECT min(bytes_so_far) + 1000000 FROM idempotency_keys WHERE user_id = :userId)

-- name: deleteFloor
DELETE FROM change_floor WHERE reader = :userId

-- name: clearBatches
UPDATE batches SET actor_id = NULL, file = NULL WHERE actor_id = :userId

-- name: nextHeir
-- A list of the user with others in it, and the one who joined first; an inactive one only if no other is left.
SELECT lists.id AS listId, (
  SELECT members.user_id FROM list_members AS members CROSS JOIN users ON users.id = members.user_id
  WHERE list_id = lists.id AND members.user_id <> :userId
  ORDER BY is_active DESC, joined_at, members.user_id LIMIT 1
) AS heirId
FROM list_members AS own CROSS JOIN lists ON lists.id = own.list_id
WHERE own.user_id = :userId AND lists.user_id = :userId AND heirId IS NOT NULL LIMIT 1

-- name: passSomeItems
-- Some may have passed to another heir before, who has left or was deactivated since.
UPDATE list_items SET user_id = :heirId WHERE (list_id, restaurant_id) IN (
  SELECT list_id, restaurant_id FROM list_items WHERE list_id = :listId AND user_id <> :heirId LIMIT :limit
)

-- name: passList
UPDATE lists SET user_id = :heirId WHERE id = :listId

-- name: ownSomeChanges
-- Those of lists that go with the user, or that have no one else any more.
UPDATE changes SET owner_id = :userId WHERE id IN (
  SELECT changes.id FROM (
    SELECT id FROM lists WHERE user_id = :userId
    UNION ALL SELECT id FROM deleted_lists WHERE user_id = :userId
    UNION ALL SELECT list_id FROM list_members AS mine WHERE user_id = :userId AND NOT EXISTS (
      SELECT 1 FROM list_members AS others WHERE others.list_id = mine.list_id AND others.user_id <> :userId
    )
  ) AS own CROSS JOIN changes ON reader = -own.id
  LIMIT :limit
)

-- name: releaseSomeItems
UPDATE list_items SET added_by = NULL WHERE (list_id, restaurant_id) IN (
  SELECT list_id, restaurant_id FROM list_items WHERE added_by = :userId AND added_by <> user_id LIMIT :limit
)

-- name: deleteUser
DELETE FROM users WHERE id = :userId

-- name: deleteDeletedLists
-- Their items are gone.
DELETE FROM deleted_lists WHERE user_id = :userId

-- name: lastChange
SELECT max(id) FROM changes

-- name: listChangesOf
-- Changes by the user or of the user's entities, and those of restaurants and lists that name the user.
SELECT id, kind, actor_id, token_id, token_name, owner_id, purged_by, before,
  CASE WHEN after = '[]' AND kind = 'rating' THEN (SELECT entity FROM logged_ratings WHERE id = entity_id) ELSE after END
    AS after
FROM changes
WHERE id > :after AND id <= :upTo AND (
  actor_id = :userId OR owner_id = :userId OR purged_by = :userId
  OR (kind IN ('restaurant', 'list') AND (instr(before, :mention) > 0 OR instr(after, :mention) > 0))
)
ORDER BY id LIMIT :limit

-- name: clearChange
UPDATE changes
SET actor_id = :actor_id, token_id = :token_id, token_name = :token_name, owner_id = :owner_id, before = :before,
  after = :after, purged_by = :purged_by
WHERE id = :id

-- name: hollowChange
-- A change of a list or visit becomes an empty place in the log.
UPDATE changes
SET name = '', fields = NULL, before = NULL, after = NULL, owner_id = NULL, actor_id = NULL, token_id = NULL,
  token_name = NULL, kept_until = NULL, purged_by = NULL
WHERE id = :id

-- name: deleteSomeVisits
DELETE FROM visits WHERE id IN (SELECT id FROM visits WHERE user_id = :userId LIMIT :limit)

-- name: deleteSomeOutings
-- With the ballots of others.
DELETE FROM outings WHERE id IN (SELECT id FROM outings WHERE user_id = :userId LIMIT :limit)

-- name: deleteSomeBallots
DELETE FROM outing_voters WHERE id IN (
  SELECT id FROM outing_voters WHERE user_id = :userId AND guest_name IS NULL LIMIT :limit
)

-- name: deleteSomeItems
DELETE FROM list_items WHERE (list_id, restaurant_id) IN (
  SELECT list_id, restaurant_id FROM (
    SELECT id FROM lists WHERE user_id = :userId UNION ALL SELECT id FROM deleted_lists WHERE user_id = :userId
  ) AS own CROSS JOIN list_items ON list_id = own.id
  LIMIT :limit
)

-- name: listOwnPhotos
SELECT id FROM photos WHERE user_id IS :userId AND id > :after ORDER BY id LIMIT :limit

-- name: listOwnSuggestions
SELECT id FROM suggestions WHERE user_id IS :userId AND id > :after ORDER BY id LIMIT :limit
