import zoneAt from '@photostructure/tz-lookup';
import Database from 'better-sqlite3';

// The plain rival's own data file, filled with the rows of the service's.

const TABLES = `
CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE food_types (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE restaurants (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT, address TEXT, phone TEXT, website TEXT,
  latitude REAL, longitude REAL, google_place_id TEXT UNIQUE, category_id INTEGER REFERENCES categories (id),
  suggestion_id INTEGER, status TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, price_level INTEGER,
  opening_hours TEXT, time_zone TEXT, diets TEXT, external_ids TEXT
);
CREATE TABLE restaurant_food_types (
  restaurant_id INTEGER NOT NULL REFERENCES restaurants (id), food_type_id INTEGER NOT NULL REFERENCES food_types (id),
  PRIMARY KEY (restaurant_id, food_type_id)
);
CREATE TABLE ratings (
  id INTEGER PRIMARY KEY, restaurant_id INTEGER NOT NULL REFERENCES restaurants (id), food_rating INTEGER NOT NULL,
  service_rating INTEGER NOT NULL, ambiance_rating INTEGER NOT NULL, comment TEXT, created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);`;

const ROWS = `
INSERT INTO categories SELECT id, name, created_at, updated_at FROM service.categories;
INSERT INTO food_types SELECT id, name, created_at, updated_at FROM service.food_types;
INSERT INTO restaurants SELECT
  id, name, description, address, phone, website, latitude, longitude, google_place_id, category_id, suggestion_id,
  status, created_at, updated_at, price_level, opening_hours, coalesce(time_zone, zone_of(latitude, longitude)), diets,
  external_ids FROM service.restaurants;
INSERT INTO restaurant_food_types SELECT restaurant_id, food_type_id FROM service.restaurant_food_types;
INSERT INTO ratings SELECT
  id, restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at,
  iif(updated_at = '', created_at, updated_at) FROM service.ratings;`;

const INDEXES = `
CREATE INDEX restaurants_created_at ON restaurants (created_at, id);
CREATE INDEX restaurants_name ON restaurants (name);
CREATE INDEX restaurants_category ON restaurants (category_id, created_at, id);
CREATE INDEX restaurants_place ON restaurants (latitude, longitude, created_at);
CREATE INDEX restaurant_food_types_food_type ON restaurant_food_types (food_type_id, restaurant_id);
CREATE INDEX ratings_restaurant ON ratings (restaurant_id);
ANALYZE;`;

function zoneOf(latitude: unknown, longitude: unknown): string | null {
  return typeof latitude === 'number' && typeof longitude === 'number' ? zoneAt(latitude, longitude) : null;
}

/** Makes the data file of the Fastify app in `target` from the service's in `source`. */
export function fillFastifyData(source: string, target: string): void {
  const database = new Database(target);
  try {
    database.pragma('journal_mode = WAL');
    database.exec(TABLES);
    database.function('zone_of', zoneOf);
    database.prepare('ATTACH ? AS service').run(source);
    database.exec(`BEGIN; ${ROWS} COMMIT; DETACH service;`);
    database.exec(INDEXES);
  } finally {
    database.close();
  }
}
