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
SELECT address, latitude, longitude, coalesce((
  SELECT max(at) FROM changes
  WHERE restaurant_id IS NULL AND kind = 'visit' AND entity_id = :visitId AND action = 'restore'
), '') AS restored_at
FROM (SELECT 1) AS chosen LEFT JOIN restaurants ON restaurants.id = :restaurantId

-- name: listOwnChanges
-- With what it says of the visit that a change deleted, unless a later one has restored it. Where what was deleted is not
-- stored, earlier changes may still have the day.
SELECT own.id, own.at, deleted.entity_id AS visit_id, own.name AS restaurant_name,
  coalesce(deleted.before ->> 'visited_on', (
    SELECT after ->> 'visited_on' FROM changes AS earlier
    WHERE restaurant_id IS NULL AND kind = 'visit' AND entity_id = deleted.entity_id AND after ->> 'visited_on' IS NOT NULL
    ORDER BY id DESC LIMIT 1
  )) AS visited_on,
  coalesce(deleted.before ->> 'created_at', (
    SELECT min(at) FROM changes AS earlier
    WHERE restaurant_id IS NULL AND kind = 'visit' AND entity_id = deleted.entity_id
  ), own.at) AS created_at
FROM changes AS own LEFT JOIN changes AS deleted
ON deleted.id = own.id AND deleted.kind = 'visit' AND deleted.action = 'delete' AND NOT EXISTS (
  SELECT 1 FROM changes AS later
  WHERE restaurant_id IS NULL AND kind = 'visit' AND entity_id = deleted.entity_id AND later.id > deleted.id
)
WHERE own.reader = :readerId AND own.id < :before ORDER BY own.id DESC LIMIT :limit

-- name: listNewestChanges
SELECT changes.id, at, kind, entity_id, restaurant_id, action, name, actor_id AS author_id, username AS author_name
FROM changes LEFT JOIN users ON users.id = actor_id
WHERE reader = 0 ORDER BY changes.id DESC LIMIT :limit
