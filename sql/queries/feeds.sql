-- name: insertFeed
INSERT INTO feeds (user_id, kind, token_hash, created_at) VALUES (:userId, :kind, :tokenHash, :now)
RETURNING id, kind, created_at

-- name: listFeeds
SELECT id, kind, created_at FROM feeds WHERE user_id IS :userId ORDER BY id DESC

-- name: deleteFeed
DELETE FROM feeds WHERE id = :id AND user_id IS :userId

-- name: findFeed
-- A feed of the placeholder exists only where there are no accounts.
SELECT feeds.id, kind, feeds.created_at, user_id, coalesce(is_admin, 1) AS is_admin
FROM feeds LEFT JOIN users ON users.id = user_id
WHERE token_hash = :tokenHash AND CASE WHEN user_id IS NULL THEN :withoutAccounts ELSE is_active END

-- name: getVisitDetails
-- What else a calendar shows of a visit. A restored visit is older than its deletion.
SELECT address, latitude, longitude, (
  SELECT max(at) FROM changes
  WHERE restaurant_id IS NULL AND kind = 'visit' AND entity_id = :visitId AND action = 'restore'
) AS restored_at
FROM (SELECT 1) AS chosen LEFT JOIN restaurants ON restaurants.id = :restaurantId

-- name: listOwnChanges
SELECT id, at, kind = 'visit' AND action = 'delete' AS is_deleted_visit FROM changes
WHERE reader = :readerId AND id < :before ORDER BY id DESC LIMIT :limit

-- name: getDeletedVisit
-- Unless a later change has restored it. Where what was deleted is not kept, earlier changes may still know the day.
SELECT entity_id AS id, name AS restaurant_name, at AS deleted_at,
  coalesce(before ->> 'visited_on', (
    SELECT after ->> 'visited_on' FROM changes AS earlier
    WHERE restaurant_id IS NULL AND kind = 'visit' AND entity_id = deleted.entity_id AND after ->> 'visited_on' IS NOT NULL
    ORDER BY id DESC LIMIT 1
  )) AS visited_on,
  coalesce(before ->> 'created_at', (
    SELECT min(at) FROM changes AS earlier
    WHERE restaurant_id IS NULL AND kind = 'visit' AND entity_id = deleted.entity_id
  )) AS created_at
FROM changes AS deleted
WHERE id = :changeId AND NOT EXISTS (
  SELECT 1 FROM changes AS later
  WHERE restaurant_id IS NULL AND kind = 'visit' AND entity_id = deleted.entity_id AND later.id > deleted.id
)

-- name: listNewestChanges
SELECT changes.id, at, kind, entity_id, restaurant_id, action, name, actor_id AS author_id, username AS author_name
FROM changes LEFT JOIN users ON users.id = actor_id
WHERE reader = 0 ORDER BY changes.id DESC LIMIT :limit
