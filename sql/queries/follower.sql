-- name: listChanges
-- Changes since the last one seen, with the ids of the restaurants and suggestions that they may affect. A restored category
-- or food type names the records that have it again, the deletion or restoration of a restaurant the one into which it was
-- merged.
SELECT id, kind, entity_id, CASE
  WHEN kind = 'suggestion' THEN json_array(entity_id)
  WHEN kind IN ('photo', 'list', 'visit') THEN '[]'
  WHEN kind = 'restaurant' AND action IN ('delete', 'restore') THEN json_array(restaurant_id, coalesce(
    (SELECT into_id FROM merged_restaurants WHERE id = restaurant_id), after ->> 'merged_into', restaurant_id
  ))
  WHEN restaurant_id IS NOT NULL THEN json_array(restaurant_id)
  WHEN action = 'restore' THEN (
    SELECT json_group_array(value) FROM (
      SELECT value FROM json_each(after, '$.restaurant_ids')
      UNION ALL
      SELECT value FROM json_each(after, '$.suggestion_ids')
    )
  )
  ELSE '[]'
END AS affected
FROM changes WHERE id > :after ORDER BY id LIMIT :limit

-- name: newestChange
SELECT max(id) AS id FROM changes
