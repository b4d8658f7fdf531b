-- name: countCall
-- Returns no row, and counts nothing, once the day's limit is reached.
INSERT INTO maps_calls (id, day, calls) VALUES (1, :day, 1)
ON CONFLICT (id) DO UPDATE SET
  calls = CASE WHEN maps_calls.day = excluded.day THEN maps_calls.calls + 1 ELSE 1 END,
  day = excluded.day
WHERE maps_calls.day <> excluded.day OR maps_calls.calls < :limit
RETURNING calls

-- name: getCalls
SELECT calls FROM maps_calls WHERE id = 1 AND day = :day
