-- name: selectLink
SELECT links.id, list_id, access, notes, links.created_at, expires_at FROM links

-- name: whereLinkOfList
WHERE list_id = :listId ORDER BY links.id

-- name: whereOpen
-- While the owner's account is deactivated, a link opens nothing.
JOIN lists ON lists.id = list_id LEFT JOIN users ON users.id = lists.user_id
WHERE token_hash = :hash AND (expires_at IS NULL OR expires_at > :now)
  AND (lists.user_id IS NULL OR users.is_active = 1)

-- name: insertLink
INSERT INTO links (list_id, access, notes, token_hash, created_at, expires_at)
VALUES (:listId, :access, :notes, :hash, :now, :expires_at)
RETURNING id, list_id, access, notes, created_at, expires_at

-- name: deleteLink
DELETE FROM links WHERE list_id = :listId AND id = :id

-- name: deleteExpiredLinks
DELETE FROM links WHERE list_id = :listId AND expires_at <= :now

-- name: listNewestItems
SELECT restaurant_id, name, note, list_items.created_at
FROM list_items CROSS JOIN restaurants ON restaurants.id = restaurant_id
WHERE list_id = :listId AND is_there = 1 ORDER BY list_items.created_at DESC, rank DESC LIMIT :limit
