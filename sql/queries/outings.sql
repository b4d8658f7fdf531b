-- name: insertOuting
INSERT INTO outings (user_id, token, title, list_name, at, closes_at, created_at, changed_at)
VALUES (:userId, :token, :title, :listName, :at, :closesAt, :now, :now) RETURNING id

-- name: insertOption
INSERT INTO outing_options (outing_id, rank, restaurant_id, name) VALUES (:outingId, :rank, :restaurantId, :name)

-- name: insertCreator
INSERT INTO outing_voters (outing_id, user_id) VALUES (:outingId, :userId)

-- name: putVoter
INSERT INTO outing_voters (id, outing_id, user_id, guest_name, name_key, secret_hash, address_key, coming, choices, veto)
VALUES (:id, :outingId, :userId, :guestName, :nameKey, :secretHash, :addressKey, :coming, :choices, :veto)
ON CONFLICT (id) DO UPDATE SET
  guest_name = excluded.guest_name, name_key = excluded.name_key,
  coming = excluded.coming, choices = excluded.choices, veto = excluded.veto

-- name: selectOuting
-- With its options and voters, as JSON.
SELECT outings.id, outings.user_id AS author_id, token, title, list_name, at, closes_at, state, outcome, winner, sums,
  outings.created_at, changed_at, username AS author_name, (
    SELECT json_group_array(json_object('restaurant_id', restaurant_id, 'name', name) ORDER BY rank)
    FROM outing_options WHERE outing_id = outings.id
  ) AS options, (
    SELECT json_group_array(json_object(
      'id', voters.id, 'user_id', user_id, 'guest_name', guest_name, 'username', people.username,
      'secret_hash', lower(hex(secret_hash)), 'address_key', lower(hex(address_key)),
      'coming', coming, 'choices', choices, 'veto', veto
    ) ORDER BY voters.id)
    FROM outing_voters AS voters LEFT JOIN users AS people ON people.id = user_id WHERE outing_id = outings.id
  ) AS voters
FROM outings LEFT JOIN users ON users.id = outings.user_id

-- name: whereId
WHERE outings.id = :id

-- name: whereOpened
-- While the creator's account is deactivated, the link opens nothing.
WHERE token = :token AND (outings.user_id IS NULL OR users.is_active = 1)

-- name: whereTakesPart
-- The creator does from the beginning.
WHERE outings.id IN (
  SELECT outing_id FROM outing_voters
  WHERE user_id IS :userId AND guest_name IS NULL AND outing_id < :before ORDER BY outing_id DESC LIMIT :limit
) ORDER BY outings.id DESC

-- name: countOfUser
SELECT count(*) FROM outing_voters WHERE user_id IS :userId AND guest_name IS NULL

-- name: countOpen
SELECT count(*) FROM outings WHERE user_id IS :userId AND state = 'open'

-- name: countStarted
SELECT count(*) FROM outings WHERE user_id IS :userId

-- name: deleteVoter
DELETE FROM outing_voters
WHERE id = :id AND outing_id = :outingId AND (guest_name IS NOT NULL OR user_id IS NOT :creatorId)

-- name: close
-- The timer comes a moment after the end of voting, which readers may have seen.
UPDATE outings
SET state = 'decided', outcome = :outcome, winner = :winner, sums = :sums, changed_at = min(:now, closes_at)
WHERE id = :id AND state = 'open'

-- name: cancel
UPDATE outings SET state = 'cancelled', changed_at = :now WHERE id = :id AND state <> 'cancelled'

-- name: nextDue
SELECT id FROM outings WHERE state = 'open' AND closes_at <= :now ORDER BY closes_at LIMIT 1

-- name: hasOld
SELECT 1 FROM outings WHERE state <> 'open' AND changed_at < :before LIMIT 1

-- name: deleteOld
DELETE FROM outings
WHERE id IN (SELECT id FROM outings WHERE state <> 'open' AND changed_at < :before LIMIT 20)

-- name: listPlaces
-- In the order of the ids.
SELECT restaurants.id, name, address, status, opening_hours, time_zone, latitude, longitude, overall, rating_count
FROM json_each(:ids) AS wanted CROSS JOIN restaurants ON restaurants.id = wanted.value ORDER BY wanted.key

-- name: listVisitedSince
SELECT DISTINCT restaurant_id FROM visits
WHERE user_id IS :userId AND visited_on >= :since AND restaurant_id IS NOT NULL
