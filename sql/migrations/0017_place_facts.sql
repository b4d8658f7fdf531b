-- What people want to know of a place.

-- As typed, in OpenStreetMap's syntax.
ALTER TABLE restaurants ADD COLUMN opening_hours TEXT;
-- Null: that of the coordinates.
ALTER TABLE restaurants ADD COLUMN time_zone TEXT;
-- A JSON object of the diets that are known, such as {"vegan":"only"}; null without any.
ALTER TABLE restaurants ADD COLUMN diets TEXT CHECK (json_type(diets) = 'object');
-- Likewise of the ids in other catalogues.
ALTER TABLE restaurants ADD COLUMN external_ids TEXT CHECK (json_type(external_ids) = 'object');

CREATE UNIQUE INDEX restaurants_by_osm ON restaurants (external_ids ->> 'osm')
WHERE external_ids ->> 'osm' IS NOT NULL;
CREATE UNIQUE INDEX restaurants_by_fsq ON restaurants (external_ids ->> 'fsq')
WHERE external_ids ->> 'fsq' IS NOT NULL;
CREATE UNIQUE INDEX restaurants_by_overture ON restaurants (external_ids ->> 'overture')
WHERE external_ids ->> 'overture' IS NOT NULL;
CREATE UNIQUE INDEX restaurants_by_wikidata ON restaurants (external_ids ->> 'wikidata')
WHERE external_ids ->> 'wikidata' IS NOT NULL;
