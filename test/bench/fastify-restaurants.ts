import type Database from 'better-sqlite3';

interface Named {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A restaurant with the columns of its category. */
export interface Row {
  readonly id: number;
  readonly category_id: number | null;
  readonly category_name: string;
  readonly category_created_at: string;
  readonly category_updated_at: string;
  readonly created_at: string;
  readonly google_place_id: string | null;
  readonly diets: string | null;
  readonly external_ids: string | null;
}

interface Averages {
  readonly restaurant_id: number;
  readonly food: number;
  readonly service: number;
  readonly ambiance: number;
  readonly count: number;
}

/** Reads rows; conditions follow. */
export const SELECT = `SELECT r.*, c.name AS category_name, c.created_at AS category_created_at, c.updated_at AS category_updated_at
FROM restaurants r LEFT JOIN categories c ON c.id = r.category_id`;
const NO_DIETS = {
  vegan: null,
  vegetarian: null,
  gluten_free: null,
  halal: null,
  kosher: null,
  lactose_free: null,
};
const NO_IDS = { osm: null, fsq: null, overture: null, wikidata: null };
const NO_RATING = { food: 0, service: 0, ambiance: 0, count: 0 };

/** Restaurants with their category, food types and averages: one query each for all of a page. */
export function createHydrate(database: Database.Database): (rows: readonly Row[]) => object[] {
  const foodTypes = database.prepare<[string], Named & { readonly restaurant_id: number }>(
    `SELECT rf.restaurant_id, f.* FROM restaurant_food_types rf JOIN food_types f ON f.id = rf.food_type_id
     WHERE rf.restaurant_id IN (SELECT value FROM json_each(?)) ORDER BY f.name`,
  );
  const averages = database.prepare<[string], Averages>(
    `SELECT restaurant_id, AVG(food_rating) AS food, AVG(service_rating) AS service, AVG(ambiance_rating) AS ambiance,
       COUNT(*) AS count
     FROM ratings WHERE restaurant_id IN (SELECT value FROM json_each(?)) GROUP BY restaurant_id`,
  );
  return (rows) => {
    const ids = JSON.stringify(rows.map(({ id }) => id));
    const types = new Map<number, Named[]>(rows.map(({ id }) => [id, []]));
    for (const { restaurant_id, ...type } of foodTypes.all(ids)) types.get(restaurant_id)?.push(type);
    const rated = new Map(averages.all(ids).map((average) => [average.restaurant_id, average]));
    return rows.map((row) => {
      const { category_name, category_created_at, category_updated_at, ...restaurant } = row;
      const { food, service, ambiance, count } = rated.get(row.id) ?? NO_RATING;
      const times = { created_at: category_created_at, updated_at: category_updated_at };
      return {
        ...restaurant,
        diets: { ...NO_DIETS, ...objectIn(row.diets) },
        external_ids: { ...NO_IDS, google: row.google_place_id, ...objectIn(row.external_ids) },
        category: row.category_id === null ? null : { id: row.category_id, name: category_name, ...times },
        food_types: types.get(row.id) ?? [],
        avg_rating: { food, service, ambiance, overall: (food + service + ambiance) / 3, count },
        is_suggestion: false,
      };
    });
  };
}

function objectIn(json: string | null): object {
  const value: unknown = json === null ? {} : JSON.parse(json);
  return typeof value === 'object' && value !== null ? value : {};
}
