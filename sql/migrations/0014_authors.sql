-- Ratings may be changed by their authors, and photos have thumbnails.

ALTER TABLE ratings ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
DROP TRIGGER ratings_update;
UPDATE ratings SET updated_at = created_at;
CREATE TRIGGER ratings_fixed BEFORE UPDATE OF id, restaurant_id, created_at ON ratings BEGIN
  SELECT raise(ABORT, 'a rating stays at its restaurant');
END;
CREATE TRIGGER ratings_update AFTER UPDATE OF food_rating, service_rating, ambiance_rating ON ratings BEGIN
  UPDATE restaurants SET food_sum = food_sum + new.food_rating - old.food_rating,
    service_sum = service_sum + new.service_rating - old.service_rating,
    ambiance_sum = ambiance_sum + new.ambiance_rating - old.ambiance_rating
  WHERE id = new.restaurant_id;
END;

-- A user's ratings, newest first.
DROP INDEX ratings_by_user;
CREATE INDEX ratings_by_user ON ratings (user_id, created_at DESC, id DESC);
