import Database from 'better-sqlite3';

interface Named {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

interface Row {
  readonly id: number;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly category_id: number | null;
  readonly category_name: string;
  readonly category_created_at: string;
  readonly category_updated_at: string;
  readonly created_at: string;
}

interface Averages {
  readonly restaurant_id: number;
  readonly food: number;
  readonly service: number;
  readonly ambiance: number;
  readonly count: number;
}

/** What a page is asked for. */
export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly category_id?: number;
  readonly food_type_ids?: string;
}

/** A body of POST /ratings, as Fastify's schema lets it pass. */
export interface RatingBody {
  readonly restaurant_id: number;
  readonly food_rating: number;
  readonly service_rating: number;
  readonly ambiance_rating: number;
  readonly comment?: string;
}

/** The queries of the Fastify app. */
export interface FastifyStore {
  readonly get: (id: number) => object | undefined;
  readonly all: () => object[];
  readonly page: (query: PageQuery) => object;
  readonly near: (latitude: number, longitude: number, radiusKm: number) => object[];
  readonly search: (words: readonly string[]) => object[];
  readonly rate: (rating: RatingBody) => object | undefined;
}

const SELECT = `SELECT r.*, c.name AS category_name, c.created_at AS category_created_at, c.updated_at AS category_updated_at
FROM restaurants r LEFT JOIN categories c ON c.id = r.category_id`;
const NEWEST = 'ORDER BY r.created_at DESC, r.id DESC';
const NO_RATING = { food: 0, service: 0, ambiance: 0, count: 0 };
const KM_PER_DEGREE = 111.195;

/** Opens the data file: WAL, every commit synced, every statement prepared once. */
export function openFastifyStore(file: string): FastifyStore {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  const hydrate = createHydrate(database);
  const prepared = new Map<string, Database.Statement<unknown[], Row>>();
  const rows = (sql: string, values: readonly unknown[]): Row[] => {
    const statement = prepared.get(sql) ?? database.prepare<unknown[], Row>(sql);
    prepared.set(sql, statement);
    return statement.all(...values);
  };
  const totals = new Map<string, Database.Statement<unknown[], { total: number }>>();
  const total = (where: string, values: readonly unknown[]): number => {
    const sql = `SELECT COUNT(*) AS total FROM restaurants r ${where}`;
    const statement = totals.get(sql) ?? database.prepare<unknown[], { total: number }>(sql);
    totals.set(sql, statement);
    return statement.get(...values)?.total ?? 0;
  };

  return {
    get: (id) => hydrate(rows(`${SELECT} WHERE r.id = ?`, [id]))[0],
    all: () => hydrate(rows(`${SELECT} ${NEWEST}`, [])),
    page: ({ limit = 20, cursor, category_id, food_type_ids }) => {
      const conditions: string[] = [];
      const values: unknown[] = [];
      if (category_id !== undefined) {
        conditions.push('r.category_id = ?');
        values.push(category_id);
      }
      if (food_type_ids !== undefined) {
        const ids = food_type_ids.split(',').map(Number);
        const marks = ids.map(() => '?').join(', ');
        conditions.push(
          `EXISTS (SELECT 1 FROM restaurant_food_types WHERE restaurant_id = r.id AND food_type_id IN (${marks}))`,
        );
        values.push(...ids);
      }
      const where = (all: readonly string[]): string => (all.length > 0 ? `WHERE ${all.join(' AND ')}` : '');
      const after = cursor === undefined ? [] : Buffer.from(cursor, 'base64url').toString().split(' ');
      const more = cursor === undefined ? [] : ['(r.created_at, r.id) < (?, ?)'];
      const [createdAt, id] = after;
      const found = rows(`${SELECT} ${where([...conditions, ...more])} ${NEWEST} LIMIT ?`, [
        ...values,
        ...(cursor === undefined ? [] : [createdAt, Number(id)]),
        limit + 1,
      ]);
      const data = found.slice(0, limit);
      const last = found.length > limit ? data.at(-1) : undefined;
      return {
        data: hydrate(data),
        next_cursor: last ? Buffer.from(`${last.created_at} ${last.id}`).toString('base64url') : null,
        has_more: last !== undefined,
        total: total(where(conditions), values),
      };
    },
    near: (latitude, longitude, radiusKm) => {
      const high = radiusKm / KM_PER_DEGREE;
      const wide = high / Math.cos((latitude * Math.PI) / 180);
      const box = [latitude - high, latitude + high, longitude - wide, longitude + wide];
      const sql = `${SELECT} WHERE r.latitude BETWEEN ? AND ? AND r.longitude BETWEEN ? AND ?`;
      const found = rows(sql, box)
        .map((row) => ({ ...row, distance: distanceKm(latitude, longitude, row) }))
        .filter(({ distance }) => distance <= radiusKm)
        .sort((left, right) => left.distance - right.distance || right.id - left.id);
      return hydrate(found);
    },
    search: (words) => {
      const where = words
        .map(() => '(r.name LIKE ? OR r.address LIKE ? OR r.description LIKE ?)')
        .join(' AND ');
      const values = words.flatMap((word) => Array.from({ length: 3 }, () => `%${word}%`));
      return hydrate(rows(`${SELECT} WHERE ${where} ORDER BY r.name LIMIT 20`, values));
    },
    rate: createRate(database),
  };
}

function distanceKm(latitude: number, longitude: number, to: Row): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const [there, aside] = [to.latitude ?? 0, to.longitude ?? 0];
  const square =
    Math.sin(radians(there - latitude) / 2) ** 2 +
    Math.cos(radians(latitude)) * Math.cos(radians(there)) * Math.sin(radians(aside - longitude) / 2) ** 2;
  return 2 * 6371.0088 * Math.asin(Math.sqrt(square));
}

/** Restaurants with their category, food types and averages: one query each for all of a page. */
function createHydrate(database: Database.Database): (rows: readonly Row[]) => object[] {
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
        category: row.category_id === null ? null : { id: row.category_id, name: category_name, ...times },
        food_types: types.get(row.id) ?? [],
        avg_rating: { food, service, ambiance, overall: (food + service + ambiance) / 3, count },
        is_suggestion: false,
      };
    });
  };
}

function createRate(database: Database.Database): FastifyStore['rate'] {
  const exists = database.prepare<[number]>('SELECT 1 FROM restaurants WHERE id = ?');
  const insert = database.prepare<unknown[], object>(
    `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at)
     VALUES (?, ?, ?, ?, ?, ?)
     RETURNING id, restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at`,
  );
  return database.transaction((rating: RatingBody) => {
    if (!exists.get(rating.restaurant_id)) return undefined;
    const { restaurant_id, food_rating, service_rating, ambiance_rating, comment = null } = rating;
    const values = [restaurant_id, food_rating, service_rating, ambiance_rating, comment];
    return insert.get(...values, new Date().toISOString());
  });
}
