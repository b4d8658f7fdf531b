-- name: adoptHiddenItems
-- When a list is merged into another one: appends its items of deleted restaurants.
INSERT INTO list_items (list_id, restaurant_id, user_id, added_by, rank, is_there, note, created_at)
SELECT
  :to, restaurant_id, :userId, :userId,
  rank + (SELECT coalesce(max(rank), 0) FROM list_items WHERE list_id = :to), 0, note, created_at
FROM list_items WHERE list_id = :from AND is_there = 0
ON CONFLICT DO NOTHING

-- name: emptyList
DELETE FROM list_items WHERE list_id = :listId

-- name: forgetListChanges
UPDATE changes SET before = NULL, after = NULL WHERE restaurant_id IS NULL AND kind = 'list' AND entity_id = :listId

-- name: adoptItems
UPDATE list_items SET user_id = :userId, added_by = :userId
WHERE list_id IN (
  SELECT id FROM lists WHERE user_id IS NULL AND kind = 'own'
  UNION ALL SELECT id FROM deleted_lists WHERE user_id IS NULL
)

-- name: adoptDeletedLists
UPDATE deleted_lists SET user_id = :userId WHERE user_id IS NULL

-- name: adoptLists
UPDATE lists SET user_id = :userId WHERE user_id IS NULL AND kind = 'own'

-- name: adoptVisits
UPDATE visits SET user_id = :userId WHERE user_id IS NULL

-- name: adoptOutings
UPDATE outings SET user_id = :userId WHERE user_id IS NULL

-- name: forgetPlaceholderBallots
-- The user has voted as well.
DELETE FROM outing_voters WHERE user_id IS NULL AND guest_name IS NULL
  AND outing_id IN (SELECT outing_id FROM outing_voters WHERE user_id = :userId AND guest_name IS NULL)

-- name: adoptBallots
UPDATE outing_voters SET user_id = :userId WHERE user_id IS NULL AND guest_name IS NULL

-- name: adoptChanges
UPDATE changes SET
  owner_id = :userId,
  before = json_replace(before, '$.author_id', CAST(:userId AS INTEGER)),
  after = json_replace(after, '$.author_id', CAST(:userId AS INTEGER))
WHERE kind IN ('list', 'visit') AND owner_id = :placeholderId

-- name: deletePlaceholderAnswers
DELETE FROM idempotency_keys WHERE user_id = :placeholderId
