-- name: selectList
SELECT id, user_id AS author_id, kind, name, description, created_at, updated_at, item_count,
  (SELECT username FROM users WHERE users.id = lists.user_id) AS author_name,
  (SELECT count(*) FROM list_members WHERE list_id = lists.id) AS people
FROM lists

-- name: whereId
WHERE id = :id

-- name: whereReadableId
WHERE id = :id AND (
  user_id IS :callerId OR EXISTS (SELECT 1 FROM list_members WHERE list_id = lists.id AND user_id = :callerId)
)

-- name: whereKind
WHERE user_id IS :ownerId AND kind = :kind

-- name: whereNameKey
WHERE user_id IS :ownerId AND name_key = :nameKey AND (
  user_id IS :callerId OR EXISTS (SELECT 1 FROM list_members WHERE list_id = lists.id AND list_members.user_id = :callerId)
)

-- name: orderById
ORDER BY id LIMIT 1

-- name: whereReadable
WHERE (user_id IS :callerId OR id IN (SELECT list_id FROM list_members WHERE user_id = :callerId))
  AND (kind = 'own', kind = 'favourites', name_key, id) > (:isOwn, :isFavourites, :nameKey, :id)
ORDER BY kind = 'own', kind = 'favourites', name_key, id LIMIT :limit

-- name: countOwnLists
SELECT count(*) FROM lists WHERE user_id IS :ownerId AND kind = 'own'

-- name: insertList
INSERT INTO lists (id, user_id, kind, name, name_key, description, created_at, updated_at)
VALUES (:id, :author_id, :kind, :name, :nameKey, :description, :created_at, :updated_at)
RETURNING id

-- name: updateList
UPDATE lists SET name = :name, name_key = :nameKey, description = :description, updated_at = :updated_at WHERE id = :id

-- name: touchList
UPDATE lists SET updated_at = :updatedAt WHERE id = :id

-- name: deleteList
DELETE FROM lists WHERE id = :id

-- name: restaurantExists
SELECT 1 FROM restaurants WHERE id = :restaurantId

-- name: getItem
-- Only the people of the list are named.
SELECT
  restaurant_id, rank, note, created_at, added_by AS author_id,
  (
    SELECT username FROM users WHERE users.id = added_by AND (added_by = list_items.user_id OR EXISTS (
      SELECT 1 FROM list_members AS members WHERE members.list_id = list_items.list_id AND members.user_id = added_by
    ))
  ) AS author_name,
  (
    SELECT count(*) + 1 FROM list_items AS others
    WHERE others.list_id = list_items.list_id AND others.is_there = 1
      AND (others.rank, others.restaurant_id) < (list_items.rank, list_items.restaurant_id)
  ) AS position
FROM list_items WHERE list_id = :listId AND restaurant_id = :restaurantId AND is_there = 1

-- name: listItems
SELECT restaurant_id, rank, note, created_at, added_by AS author_id,
  (
    SELECT username FROM users WHERE users.id = added_by AND (added_by = list_items.user_id OR EXISTS (
      SELECT 1 FROM list_members AS members WHERE members.list_id = list_items.list_id AND members.user_id = added_by
    ))
  ) AS author_name
FROM list_items
WHERE list_id = :listId AND is_there = 1 AND (rank, restaurant_id) > (:rank, :restaurantId)
ORDER BY rank, restaurant_id LIMIT :limit OFFSET :offset

-- name: belongingsOfList
-- The first hundred items and how many there are, those of deleted restaurants as well.
SELECT
  (
    SELECT json_group_array(restaurant_id) FROM (
      SELECT restaurant_id FROM list_items WHERE list_id = :listId ORDER BY rank, restaurant_id LIMIT 100
    )
  ) AS item_ids,
  (SELECT count(*) FROM list_items WHERE list_id = :listId) AS items_total

-- name: hasOtherItems
SELECT 1 FROM list_items
WHERE list_id = :listId AND is_there = 1 AND created_at > :after
  AND restaurant_id NOT IN (SELECT value FROM json_each(:itemIds))
LIMIT 1

-- name: rankOfOther
-- The rank of the item at :offset, not counting that of :restaurantId.
SELECT rank FROM list_items
WHERE list_id = :listId AND is_there = 1 AND restaurant_id <> :restaurantId
ORDER BY rank, restaurant_id LIMIT 1 OFFSET :offset

-- name: lastRank
SELECT coalesce(max(rank), 0) FROM list_items WHERE list_id = :listId

-- name: countNear
SELECT count(*) FROM list_items WHERE list_id = :listId AND rank > :first AND rank <= :last

-- name: spreadItems
UPDATE list_items SET rank = :first + numbered.number * :gap
FROM (
  SELECT restaurant_id, row_number() OVER (ORDER BY rank, restaurant_id) AS number
  FROM list_items WHERE list_id = :listId AND rank > :first AND rank <= :last
) AS numbered
WHERE list_items.list_id = :listId AND list_items.restaurant_id = numbered.restaurant_id

-- name: insertItem
INSERT INTO list_items (list_id, restaurant_id, user_id, added_by, rank, note, created_at)
SELECT id, :restaurantId, user_id, :author_id, :rank, :note, :created_at FROM lists WHERE id = :listId

-- name: updateItem
UPDATE list_items SET rank = :rank, note = :note WHERE list_id = :listId AND restaurant_id = :restaurantId

-- name: deleteItem
DELETE FROM list_items WHERE list_id = :listId AND restaurant_id = :restaurantId

-- name: listedRestaurants
SELECT restaurant_id FROM list_items WHERE list_id = :listId AND is_there = 1

-- name: visitedRestaurants
-- Deleted ones as well, which no list has.
SELECT DISTINCT restaurant_id FROM visits WHERE user_id IS :ownerId AND restaurant_id IS NOT NULL

-- name: readMine
-- What the owner has noted of restaurants, as the JSON of `mine`. Lists that the owner joined are found by the restaurant, or
-- each is asked for it, whichever are fewer: the lists of others that have it, or those that the owner joined.
WITH joined AS MATERIALIZED (SELECT count(*) AS total FROM list_members WHERE user_id = :ownerId),
wanted AS MATERIALIZED (
  SELECT value, (
    SELECT count(*) FROM (
      SELECT 1 FROM list_items WHERE restaurant_id = value AND user_id IS NOT :ownerId LIMIT (SELECT total FROM joined)
    )
  ) < (SELECT total FROM joined) AS is_rare
  FROM json_each(:ids)
)
SELECT
  wanted.value,
  (
    SELECT json_object(
      'lists', json_group_array(lists.id) FILTER (WHERE kind = 'own'),
      'want', json(iif(max(kind = 'want'), 'true', 'false')),
      'favourite', json(iif(max(kind = 'favourites'), 'true', 'false')),
      -- An index by owner has only ratings with an author.
      'rating_id', CASE WHEN :ownerId IS NULL THEN (
        SELECT ratings.id FROM ratings WHERE restaurant_id = wanted.value AND ratings.user_id IS NULL
        ORDER BY created_at DESC, ratings.id DESC LIMIT 1
      ) ELSE (
        SELECT ratings.id FROM ratings WHERE restaurant_id = wanted.value AND ratings.user_id = :ownerId
        ORDER BY created_at DESC, ratings.id DESC LIMIT 1
      ) END,
      'visits', (SELECT count(*) FROM visits WHERE restaurant_id = wanted.value AND visits.user_id IS :ownerId),
      'last_visited_on', (
        SELECT max(visited_on) FROM visits WHERE restaurant_id = wanted.value AND visits.user_id IS :ownerId
      )
    )
    FROM (
      SELECT list_id FROM list_items
      WHERE restaurant_id = wanted.value AND user_id IS :ownerId AND is_there = 1
      UNION ALL
      SELECT list_id FROM list_items
      WHERE is_rare AND restaurant_id = wanted.value AND user_id IS NOT :ownerId AND is_there = 1
        AND EXISTS (SELECT 1 FROM list_members WHERE list_id = list_items.list_id AND list_members.user_id = :ownerId)
      UNION ALL
      SELECT members.list_id
      FROM list_members AS members CROSS JOIN list_items ON list_items.list_id = members.list_id
      WHERE NOT is_rare AND members.user_id = :ownerId AND restaurant_id = wanted.value
        AND list_items.user_id IS NOT :ownerId AND is_there = 1
    ) AS listed JOIN lists ON lists.id = list_id
  )
FROM wanted CROSS JOIN restaurants ON restaurants.id = wanted.value

-- name: listedPart
SELECT restaurant_id FROM list_items
WHERE list_id = :listId AND is_there = 1 AND restaurant_id > :restaurant_id ORDER BY restaurant_id LIMIT :limit

-- name: visitedPart
SELECT restaurant_id, visited_on, id FROM visits
WHERE user_id IS :ownerId AND (visited_on, id) < (:visited_on, :id) ORDER BY visited_on DESC, id DESC LIMIT :limit

-- name: ratedPart
SELECT restaurant_id, created_at, id FROM ratings
WHERE user_id = :ownerId AND (created_at, id) > (:created_at, :id) ORDER BY created_at, id LIMIT :limit

-- name: ratedRestaurants
-- Jumps from one restaurant to the next, whose ratings may be many.
WITH RECURSIVE rated (id) AS (
  SELECT min(restaurant_id) FROM ratings WHERE restaurant_id > :restaurant_id
  UNION ALL
  SELECT (SELECT min(restaurant_id) FROM ratings WHERE restaurant_id > rated.id) FROM rated WHERE rated.id IS NOT NULL
  LIMIT :limit
)
SELECT id AS restaurant_id FROM rated WHERE id IS NOT NULL
