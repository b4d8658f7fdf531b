-- What was merged into a restaurant, directly or by way of others, is found from it.
CREATE INDEX merged_restaurants_by_target ON merged_restaurants (into_id);
