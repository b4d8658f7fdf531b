-- name: dataVersion
-- Another number whenever another process has written. As a table-valued function it would be compiled at each look.
PRAGMA data_version

-- Triggers of one connection that tell whose record its own statements change, whatever brings the change about: a
-- rating, a cascade, another trigger. `note_change` is a function of the program; NULL stands for any restaurant.

-- name: watchChangedRestaurants
CREATE TEMP TRIGGER kept_restaurants_update AFTER UPDATE ON main.restaurants BEGIN
  SELECT note_change(new.id);
END

-- name: watchGoneRestaurants
CREATE TEMP TRIGGER kept_restaurants_delete AFTER DELETE ON main.restaurants BEGIN
  SELECT note_change(old.id);
END

-- name: watchNewFoodTypes
CREATE TEMP TRIGGER kept_restaurant_food_types_insert AFTER INSERT ON main.restaurant_food_types BEGIN
  SELECT note_change(new.restaurant_id);
END

-- name: watchGoneFoodTypes
CREATE TEMP TRIGGER kept_restaurant_food_types_delete AFTER DELETE ON main.restaurant_food_types BEGIN
  SELECT note_change(old.restaurant_id);
END

-- name: watchRenamedCategories
CREATE TEMP TRIGGER kept_categories_update AFTER UPDATE ON main.categories BEGIN
  SELECT note_change(NULL);
END

-- name: watchRenamedFoodTypes
CREATE TEMP TRIGGER kept_food_types_update AFTER UPDATE ON main.food_types BEGIN
  SELECT note_change(NULL);
END
