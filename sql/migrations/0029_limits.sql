-- The schema is plain enough for the sqlite3 of older systems (from 3.37 on) to open the database, and to change rows by hand.

DROP VIEW logged_restaurants;
-- All fields in the order of the API. A migration that adds one replaces the view.
CREATE VIEW logged_restaurants AS SELECT id, json_object(
  'id', id, 'name', name, 'description', description, 'address', address, 'phone', phone, 'website', website,
  'latitude', latitude, 'longitude', longitude, 'google_place_id', google_place_id, 'category_id', category_id,
  'food_type_ids', json((
    SELECT json_group_array(food_type_id) FROM (
      SELECT food_type_id FROM restaurant_food_types WHERE restaurant_id = restaurants.id ORDER BY food_type_id
    )
  )),
  'status', status, 'price_level', price_level, 'opening_hours', opening_hours, 'time_zone', time_zone,
  'diets', json_patch(
    '{"vegan":null,"vegetarian":null,"gluten_free":null,"halal":null,"kosher":null,"lactose_free":null}',
    coalesce(diets, '{}')
  ),
  'external_ids', json_patch(
    '{"osm":null,"fsq":null,"overture":null,"wikidata":null}', coalesce(external_ids, '{}')
  ),
  'suggestion_id', suggestion_id, 'created_at', created_at, 'updated_at', updated_at
) AS entity FROM restaurants;

DROP INDEX restaurants_by_osm;
DROP INDEX restaurants_by_fsq;
DROP INDEX restaurants_by_overture;
DROP INDEX restaurants_by_wikidata;
CREATE UNIQUE INDEX restaurants_by_osm ON restaurants (json_extract(external_ids, '$.osm'))
WHERE json_extract(external_ids, '$.osm') IS NOT NULL;
CREATE UNIQUE INDEX restaurants_by_fsq ON restaurants (json_extract(external_ids, '$.fsq'))
WHERE json_extract(external_ids, '$.fsq') IS NOT NULL;
CREATE UNIQUE INDEX restaurants_by_overture ON restaurants (json_extract(external_ids, '$.overture'))
WHERE json_extract(external_ids, '$.overture') IS NOT NULL;
CREATE UNIQUE INDEX restaurants_by_wikidata ON restaurants (json_extract(external_ids, '$.wikidata'))
WHERE json_extract(external_ids, '$.wikidata') IS NOT NULL;

DROP TRIGGER changes_keep_photo;
CREATE TRIGGER changes_keep_photo AFTER INSERT ON changes
WHEN new.kept_until IS NOT NULL AND new.kind = 'photo' BEGIN
  UPDATE photo_trash SET change_id = new.id, due_at = NULL
  WHERE filename IN (json_extract(new.before, '$.filename'), json_extract(new.before, '$.thumbnail_filename'));
END;
DROP TRIGGER photos_delete;
CREATE TRIGGER photos_delete AFTER DELETE ON photos BEGIN
  INSERT INTO photo_trash (filename, file_size, due_at)
  SELECT filename, size, coalesce(
    (
      SELECT coalesce(due_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
      FROM deleted_restaurants WHERE id = old.restaurant_id
    ),
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+15 minutes')
  )
  FROM (
    SELECT old.filename AS filename, old.file_size AS size
    UNION ALL SELECT old.thumbnail_filename, old.thumbnail_size
  )
  WHERE filename IS NOT NULL;
END;

-- Two lists of an owner may have one name: a member who renames a list must not learn of those that only the owner sees.
DROP INDEX lists_by_name;

-- The bytes that a user has added on the last day on which they added any: photos, and changes in the log.
CREATE TABLE user_additions (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;
