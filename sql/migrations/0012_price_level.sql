-- How dear a restaurant is, from 1 to 4.
ALTER TABLE restaurants ADD COLUMN price_level INTEGER CHECK (price_level BETWEEN 1 AND 4);
