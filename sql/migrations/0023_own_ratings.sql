-- Ratings without an author, which is all of them in mode none, are found by their restaurant alone. Every rating writes one
-- index less then.
DROP INDEX ratings_by_restaurant_and_user;
CREATE INDEX ratings_by_restaurant_and_user ON ratings (restaurant_id, user_id, created_at DESC, id DESC)
WHERE user_id IS NOT NULL;
