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
SELECT 'rating' AS kind, id FROM ratings WHERE user_id = :userId
UNION ALL SELECT 'photo', id FROM photos WHERE user_id = :userId
UNION ALL SELECT 'suggestion', id FROM suggestions WHERE user_id = :userId AND status <> 'converted'
LIMIT :limit

-- name: deleteUsedInvitation
-- It may hold the address of the user.
DELETE FROM invitations WHERE used_by = :userId

-- name: deleteAnswers
-- Also those to others who have undone a deletion of something of the user's.
DELETE FROM idempotency_keys
WHERE user_id = :userId OR instr(CAST(body AS TEXT), '"author_id":' || CAST(:userId AS INTEGER) || ',') > 0

-- name: clearBatches
UPDATE batches SET actor_id = NULL WHERE actor_id = :userId

-- name: deleteUser
DELETE FROM users WHERE id = :userId

-- name: lastChange
SELECT max(id) FROM changes

-- name: listChangesOf
-- Those that the user made, those of what was the user's, and restaurants that were deleted with such things.
SELECT id, kind, actor_id, token_id, token_name, owner_id, before, after FROM changes
WHERE id > :after AND id <= :upTo AND (
  actor_id = :userId OR owner_id = :userId
  OR (kind = 'restaurant' AND (instr(before, :mention) > 0 OR instr(after, :mention) > 0))
)
ORDER BY id LIMIT :limit

-- name: clearChange
UPDATE changes
SET actor_id = :actor_id, token_id = :token_id, token_name = :token_name, owner_id = :owner_id, before = :before,
  after = :after
WHERE id = :id

-- name: hollowChange
-- What is left of a change of a list or visit is a place in the log, which no one reads.
UPDATE changes
SET name = '', fields = NULL, before = NULL, after = NULL, owner_id = NULL, actor_id = NULL, token_id = NULL,
  token_name = NULL, kept_until = NULL
WHERE id = :id

-- name: deleteSomeVisits
DELETE FROM visits WHERE id IN (SELECT id FROM visits WHERE user_id = :userId LIMIT :limit)

-- name: deleteSomeItems
DELETE FROM list_items WHERE (list_id, restaurant_id) IN (
  SELECT list_id, restaurant_id FROM lists JOIN list_items ON list_id = lists.id WHERE lists.user_id = :userId
  LIMIT :limit
)

-- name: listOwnPhotos
SELECT id FROM photos WHERE user_id IS :userId AND id > :after ORDER BY id LIMIT :limit

-- name: listOwnSuggestions
SELECT id FROM suggestions WHERE user_id IS :userId AND id > :after ORDER BY id LIMIT :limit
