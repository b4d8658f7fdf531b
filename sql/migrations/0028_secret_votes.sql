-- Sums are shown after the decision alone, and stay as they were at that moment: a JSON object of the sums by the restaurant_id
-- of options. If they followed the accounts that end later, and the places that are merged, they would tell who voted how.
ALTER TABLE outings ADD COLUMN sums TEXT;
UPDATE outings SET sums = (
  SELECT json_group_object(restaurant_id, json_object('yes', yes, 'ok', ok, 'no', no, 'veto', vetoes))
  FROM (
    SELECT
      restaurant_id,
      count(*) FILTER (WHERE choice = 'yes') AS yes,
      count(*) FILTER (WHERE choice = 'ok') AS ok,
      count(*) FILTER (WHERE choice = 'no') AS no,
      count(*) FILTER (WHERE veto = restaurant_id) AS vetoes
    FROM (
      SELECT restaurant_id, veto, json_extract(choices, '$."' || restaurant_id || '"') AS choice
      FROM outing_options LEFT JOIN outing_voters
        ON outing_voters.outing_id = outing_options.outing_id AND coming = 1
      WHERE outing_options.outing_id = outings.id
    )
    GROUP BY restaurant_id
  )
)
WHERE outcome IS NOT NULL;
