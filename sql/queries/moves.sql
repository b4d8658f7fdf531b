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
INSERT INTO united_items (from_id, list_id, is_swapped, other_note, whole_note)
SELECT :from, own.list_id, own.rank < other.rank, other.note, CASE
  WHEN own.note IS NULL OR own.note IS other.note THEN other.note
  WHEN other.note IS NULL THEN own.note
  ELSE other.note || char(10) || own.note
END
FROM list_items AS own CROSS JOIN list_items AS other
  ON other.list_id = own.list_id AND other.restaurant_id = :into
WHERE own.restaurant_id = :from
RETURNING coalesce(octet_length(other_note), 0) + coalesce(octet_length(whole_note), 0)

-- name: swapPlaces
UPDATE list_items SET rank = twin.rank
FROM united_items AS united CROSS JOIN list_items AS twin ON twin.list_id = united.list_id
WHERE from_id = :from AND is_swapped AND list_items.list_id = united.list_id
  AND list_items.restaurant_id IN (:from, :into) AND twin.restaurant_id IN (:from, :into)
  AND twin.restaurant_id <> list_items.restaurant_id

-- name: joinNotes
UPDATE list_items SET note = whole_note FROM united_items AS united
WHERE from_id = :from AND list_items.list_id = united.list_id AND restaurant_id = :into

-- name: separateNotes
-- A note that was changed since stays.
UPDATE list_items SET note = other_note FROM united_items AS united
WHERE from_id = :from AND list_items.list_id = united.list_id AND restaurant_id = :into
  AND note IS whole_note AND created_at <= :upTo

-- name: deleteUnitedItems
-- Where the item of the two was removed since.
DELETE FROM list_items WHERE (list_id, restaurant_id) IN (
  SELECT list_id, from_id FROM united_items AS united WHERE from_id = :from AND NOT EXISTS (
    SELECT 1 FROM list_items AS other
    WHERE other.list_id = united.list_id AND other.restaurant_id = :into AND other.created_at <= :upTo
  )
)

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
-- Items that moved and became one with an item of another restaurant that was merged later: as they were before the first of
-- these merges, since SQLite takes the other columns from the row of the minimum.
INSERT INTO list_items (list_id, restaurant_id, user_id, added_by, rank, is_there, note, created_at)
SELECT live.list_id, :from, live.user_id, live.added_by, iif(is_swapped, hidden.rank, live.rank), live.is_there, other_note,
  live.created_at
FROM moved CROSS JOIN list_items AS live ON live.list_id = moved.id AND live.restaurant_id = :into
CROSS JOIN united_items AS later ON later.list_id = moved.id
CROSS JOIN list_items AS hidden ON hidden.list_id = moved.id AND hidden.restaurant_id = later.from_id
CROSS JOIN merged_restaurants AS merged ON merged.id = later.from_id
WHERE moved.from_id = :from AND kind = 'item' AND live.created_at <= :upTo
  AND into_id = :into AND merged.at >= :upTo AND merged.id <> :from
GROUP BY moved.id HAVING min(merged.at) IS NOT NULL

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
-- What belongs to the restaurants, and what was moved from them: an item of a list takes as long as ten ratings, and so do fifty
-- kilobytes. Of very many, the first are enough.
SELECT coalesce(sum(
  (SELECT count(*) + coalesce(sum(octet_length(comment)), 0) / 5000 FROM (
    SELECT comment FROM ratings WHERE restaurant_id = wanted.value LIMIT 1001
  ))
  + (SELECT count(*) FROM photos WHERE restaurant_id = wanted.value)
  + (SELECT count(*) + coalesce(sum(octet_length(note)), 0) / 5000 FROM (
    SELECT note FROM visits WHERE restaurant_id = wanted.value LIMIT 1001
  ))
  + (SELECT 10 * count(*) + coalesce(sum(octet_length(note)), 0) / 5000 FROM (
    SELECT note FROM list_items WHERE restaurant_id = wanted.value LIMIT 1001
  ))
  + (SELECT coalesce(sum(iif(kind = 'item', 10, 1)), 0) FROM moved WHERE from_id = wanted.value)
  + (SELECT coalesce(sum(octet_length(comment)), 0) / 5000 FROM moved CROSS JOIN ratings ON ratings.id = moved.id
    WHERE from_id = wanted.value AND kind = 'rating')
  + (SELECT 10 * count(*) FROM united_items WHERE from_id = wanted.value)
), 0) FROM json_each(:ids) AS wanted
