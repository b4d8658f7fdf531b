-- name: beforeNewest
-- The change before the newest :count that are not of lists or visits.
SELECT id FROM changes WHERE reader = 0 ORDER BY id DESC LIMIT 1 OFFSET :count

-- name: beforeTime
-- The last change before a time. If the clock was set back, it is one of several.
SELECT id FROM changes WHERE at < :time ORDER BY id DESC LIMIT 1
