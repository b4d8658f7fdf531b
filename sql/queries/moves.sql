-- What a merge moves from one restaurant to another, and back.

-- name: recordMerge
INSERT INTO merged_restaurants (id, into_id, at) VALUES (:from, :into, :at)

-- name: recordMoved
INSERT INTO moved (from_id, kind, id)
SELECT :from, 'rating', id FROM ratings WHERE restaurant_id = :from
UNION ALL SELECT :from, 'photo', id FROM photos WHERE restaurant_id = :from
UNION ALL SELECT :from, 'visit', id FROM visits WHERE restaurant_id = :from
UNION ALL SELECT :from, 'suggestion', id FROM suggestions WHERE restaurant_id = :from
UNION ALL SELECT :from, 'item', list_id FROM list_items AS own WHERE restaurant_id = :from AND NOT EXISTS (
  SELECT 1 FROM list_items AS other WHERE other.list_id = own.list_id AND other.restaurant_id = :into
)

-- name: recordUnited
INSERT INTO united_items (from_id, list_id, rank, note, created_at, added_by, other_rank, other_note)
SELECT :from, own.list_id, own.rank, own.note, own.created_at, own.added_by, other.rank, other.note
FROM list_items AS own CROSS JOIN list_items AS other
  ON other.list_id = own.list_id AND other.restaurant_id = :into
WHERE own.restaurant_id = :from

-- name: deleteUnitedItems
DELETE FROM list_items WHERE (list_id, restaurant_id) IN (
  SELECT list_id, from_id FROM united_items WHERE from_id = :from
)

-- name: uniteItems
UPDATE list_items SET rank = united.whole_rank, note = united.whole_note FROM united_items AS united
WHERE from_id = :from AND list_items.list_id = united.list_id AND restaurant_id = :into

-- name: moveRatings
-- From the restaurant :source to :target: those of :from that are still there.
UPDATE ratings SET restaurant_id = :target
WHERE id IN (SELECT id FROM moved WHERE from_id = :from AND kind = 'rating') AND restaurant_id = :source

-- name: movePhotos
UPDATE photos SET restaurant_id = :target
WHERE id IN (SELECT id FROM moved WHERE from_id = :from AND kind = 'photo') AND restaurant_id = :source

-- name: moveVisits
UPDATE visits SET restaurant_id = :target
WHERE id IN (SELECT id FROM moved WHERE from_id = :from AND kind = 'visit') AND restaurant_id = :source

-- name: moveSuggestions
UPDATE suggestions SET restaurant_id = :target
WHERE id IN (SELECT id FROM moved WHERE from_id = :from AND kind = 'suggestion') AND restaurant_id = :source

-- name: moveItems
-- One that was added after :upTo took the place of one that a user removed. One that has a copy stays.
UPDATE list_items SET restaurant_id = :target
WHERE (list_id, restaurant_id) IN (SELECT id, :source FROM moved WHERE from_id = :from AND kind = 'item')
  AND created_at <= :upTo AND NOT EXISTS (
    SELECT 1 FROM list_items AS copy WHERE copy.list_id = list_items.list_id AND copy.restaurant_id = :target
  )

-- name: copyItems
-- Items that moved and became one with an item of another restaurant that was merged later: as they were before that.
INSERT INTO list_items (list_id, restaurant_id, user_id, added_by, rank, is_there, note, created_at)
SELECT live.list_id, :from, live.user_id, live.added_by, later.other_rank, is_there, later.other_note, live.created_at
FROM moved CROSS JOIN list_items AS live ON live.list_id = moved.id AND live.restaurant_id = :into
CROSS JOIN united_items AS later ON later.list_id = moved.id
CROSS JOIN merged_restaurants AS merged ON merged.id = later.from_id
WHERE moved.from_id = :from AND kind = 'item' AND live.created_at <= :upTo
  AND into_id = :into AND merged.at >= :upTo AND merged.id <> :from
GROUP BY moved.id HAVING min(merged.at) IS NOT NULL

-- name: restoreItems
-- Where the other one was moved since, next to it.
INSERT INTO list_items (list_id, restaurant_id, user_id, added_by, rank, is_there, note, created_at)
SELECT other.list_id, :from, user_id, united.added_by,
  iif(other.rank = whole_rank, united.rank, other.rank), is_there, united.note, united.created_at
FROM united_items AS united CROSS JOIN list_items AS other
  ON other.list_id = united.list_id AND other.restaurant_id = :into
WHERE from_id = :from AND other.created_at <= :upTo

-- name: separateItems
-- What was changed since stays.
UPDATE list_items SET
  rank = iif(list_items.rank = whole_rank, other_rank, list_items.rank),
  note = iif(list_items.note IS whole_note, other_note, list_items.note)
FROM united_items AS united
WHERE from_id = :from AND list_items.list_id = united.list_id AND restaurant_id = :into
  AND list_items.created_at <= :upTo

-- name: forgetMoved
DELETE FROM moved WHERE from_id = :from

-- name: forgetUnited
DELETE FROM united_items WHERE from_id = :from

-- name: forgetMerge
DELETE FROM merged_restaurants WHERE id = :from

-- name: findMerge
SELECT into_id, at FROM merged_restaurants WHERE id = :from

-- name: findTarget
-- The end of a chain of merges, where it is there.
WITH RECURSIVE chain (id) AS (
  SELECT into_id FROM merged_restaurants WHERE id = :from
  UNION SELECT into_id FROM chain CROSS JOIN merged_restaurants AS merged ON merged.id = chain.id
)
SELECT restaurants.id FROM chain CROSS JOIN restaurants ON restaurants.id = chain.id LIMIT 1

-- name: countMoves
-- What belongs to the restaurants, and what was moved from them.
SELECT coalesce(sum(
  (SELECT count(*) FROM ratings WHERE restaurant_id = wanted.value)
  + (SELECT count(*) FROM photos WHERE restaurant_id = wanted.value)
  + (SELECT count(*) FROM visits WHERE restaurant_id = wanted.value)
  + (SELECT count(*) FROM list_items WHERE restaurant_id = wanted.value)
  + (SELECT count(*) FROM moved WHERE from_id = wanted.value)
  + (SELECT count(*) FROM united_items WHERE from_id = wanted.value)
), 0) FROM json_each(:ids) AS wanted
