-- Characters of scripts without blanks between words are words of their own: in the stored texts char(127) parts them
-- from their neighbours, in the index every one of them stands between two blanks, so that it is a trigram wherever it
-- stands. The other rules are those of 0001.

DROP TABLE search_texts_terms;
DROP VIEW search_documents;

CREATE VIEW search_documents (id, name, text) AS
SELECT
  restaurants.id,
  '  ' || replace(replace(restaurants.search_name, ' ', '  '), char(127), ' ') || ' ',
  '  ' || replace(replace(
    concat_ws(' ', restaurants.search_name, restaurants.search_text, categories.search_name, (
      SELECT group_concat(food_types.search_name, ' ')
      FROM restaurant_food_types JOIN food_types ON food_types.id = restaurant_food_types.food_type_id
      WHERE restaurant_food_types.restaurant_id = restaurants.id
    )), ' ', '  '), char(127), ' ') || ' '
FROM restaurants LEFT JOIN categories ON categories.id = restaurants.category_id;

-- What is stored already is made anew by the program's own functions; the triggers bring what changes into the index.
UPDATE categories SET search_name = search_name_of(name);
UPDATE food_types SET search_name = search_name_of(name);
UPDATE restaurants SET
  search_name = search_name_of(name),
  search_text = search_text_of(concat(address, ' ', description));
