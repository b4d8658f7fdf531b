-- Ascending, since SQLite leaves pages half empty where new rows come first. The id is part of every index, as its last column.
DROP INDEX ratings_by_restaurant;
CREATE INDEX ratings_by_restaurant ON ratings (restaurant_id, created_at);
DROP INDEX ratings_by_user;
CREATE INDEX ratings_by_user ON ratings (user_id, created_at);
-- Ratings without an author, which is all of them in mode none, are found by their restaurant alone.
DROP INDEX ratings_by_restaurant_and_user;
CREATE INDEX ratings_by_restaurant_and_user ON ratings (restaurant_id, user_id, created_at) WHERE user_id IS NOT NULL;

-- A rating and a photo may share an id, but not more than that.
DROP INDEX changes_of_ratings_and_photos;
CREATE INDEX changes_of_ratings_and_photos ON changes (entity_id) WHERE kind IN ('rating', 'photo');

-- From here on, updated_at of a rating is empty while it equals created_at.

-- The row of a new rating or restaurant is not stored in the log as well: `after` of its creation is []. Before the row is
-- first changed or deleted, it is stored there. Erasing an account sets only other columns of ratings, and clears the log.
CREATE VIEW logged_ratings AS SELECT id, json_object(
  'id', id, 'restaurant_id', restaurant_id, 'food_rating', food_rating, 'service_rating', service_rating,
  'ambiance_rating', ambiance_rating, 'comment', comment, 'created_at', created_at, 'updated_at',
  iif(updated_at = '', created_at, updated_at), 'author_id', user_id
) AS entity FROM ratings;
CREATE TRIGGER ratings_log_update
BEFORE UPDATE OF food_rating, service_rating, ambiance_rating, updated_at ON ratings BEGIN
  UPDATE changes SET after = (SELECT entity FROM logged_ratings WHERE id = old.id)
  WHERE kind IN ('rating', 'photo') AND kind = 'rating' AND entity_id = old.id AND after = '[]';
END;
CREATE TRIGGER ratings_log_delete BEFORE DELETE ON ratings BEGIN
  UPDATE changes SET after = (SELECT entity FROM logged_ratings WHERE id = old.id)
  WHERE kind IN ('rating', 'photo') AND kind = 'rating' AND entity_id = old.id AND after = '[]';
END;

CREATE INDEX changes_of_new_restaurants ON changes (entity_id) WHERE kind = 'restaurant' AND after = '[]';
-- All fields in the order of the API. A migration that adds one replaces the view.
CREATE VIEW logged_restaurants AS SELECT id, json_object(
  'id', id, 'name', name, 'description', description, 'address', address, 'phone', phone, 'website', website,
  'latitude', latitude, 'longitude', longitude, 'google_place_id', google_place_id, 'category_id', category_id,
  'food_type_ids', json((
    SELECT json_group_array(food_type_id ORDER BY food_type_id)
    FROM restaurant_food_types WHERE restaurant_id = restaurants.id
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
-- Not on its sums, which every rating changes. A field that is not listed changes along with updated_at.
CREATE TRIGGER restaurants_log_update
BEFORE UPDATE OF name, description, address, phone, website, latitude, longitude, google_place_id, category_id, status,
  price_level, opening_hours, time_zone, diets, external_ids, suggestion_id, created_at, updated_at ON restaurants BEGIN
  UPDATE changes SET after = (SELECT entity FROM logged_restaurants WHERE id = old.id)
  WHERE kind = 'restaurant' AND entity_id = old.id AND after = '[]';
END;
CREATE TRIGGER restaurants_log_delete BEFORE DELETE ON restaurants BEGIN
  UPDATE changes SET after = (SELECT entity FROM logged_restaurants WHERE id = old.id)
  WHERE kind = 'restaurant' AND entity_id = old.id AND after = '[]';
END;
CREATE TRIGGER restaurant_food_types_log_insert BEFORE INSERT ON restaurant_food_types BEGIN
  UPDATE changes SET after = (SELECT entity FROM logged_restaurants WHERE id = new.restaurant_id)
  WHERE kind = 'restaurant' AND entity_id = new.restaurant_id AND after = '[]';
END;
CREATE TRIGGER restaurant_food_types_log_delete BEFORE DELETE ON restaurant_food_types BEGIN
  UPDATE changes SET after = (SELECT entity FROM logged_restaurants WHERE id = old.restaurant_id)
  WHERE kind = 'restaurant' AND entity_id = old.restaurant_id AND after = '[]';
END;

-- The page that clients ask for first is read from the database while the index in memory loads.
CREATE INDEX restaurants_by_creation ON restaurants (created_at);
