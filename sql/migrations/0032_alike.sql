-- An import looks for restaurants that look like its rows: by their positions, and by the last digits of their phone numbers.
CREATE INDEX restaurants_by_position ON restaurants (latitude, longitude) WHERE latitude IS NOT NULL;
CREATE INDEX restaurants_by_phone ON restaurants (
  substr(replace(replace(replace(replace(replace(replace(phone, ' ', ''), '-', ''), '.', ''), '/', ''), '(', ''), ')', ''), -7)
) WHERE phone IS NOT NULL;
