import Database from 'better-sqlite3';
import { type Row, SELECT, createHydrate } from './fastify-restaurants.ts';

/** The parameters of GET /restaurants, as Fastify's schema lets them pass. */
export interface ListQuery {
  readonly limit?: number;
  readonly sort?: 'newest' | 'distance';
  readonly lat?: number;
  readonly lng?: number;
  readonly radius?: number;
  readonly bbox?: string;
  readonly category_id?: number;
  readonly food_type_ids?: string;
}

/** The parameters of GET /restaurants/paginated. */
export interface PageQuery extends Pick<ListQuery, 'limit' | 'bbox' | 'category_id' | 'food_type_ids'> {
  readonly cursor?: string;
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
  readonly list: (query: ListQuery) => object[];
  readonly page: (query: PageQuery) => object;
  readonly rate: (rating: RatingBody) => object | undefined;
}

interface Point {
  readonly id: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly created_at: string;
}

interface Circle {
  readonly latitude: number;
  readonly longitude: number;
  readonly radius: number;
}

const NEWEST = 'ORDER BY r.created_at DESC, r.id DESC';
const KM_PER_DEGREE = 111.195;

/** Opens the data file: WAL, every commit synced, every statement prepared once. */
export function openFastifyStore(file: string): FastifyStore {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  const hydrate = createHydrate(database);
  const rows = createReader<Row>(database);
  const points = createReader<Point>(database);
  const totals = createReader<{ readonly total: number }>(database);
  const byIds = (ids: readonly number[]): Row[] => {
    const found = new Map(
      rows(`${SELECT} WHERE r.id IN (SELECT value FROM json_each(?))`, [JSON.stringify(ids)]).map((row) => [
        row.id,
        row,
      ]),
    );
    return ids.flatMap((id) => found.get(id) ?? []);
  };

  /** Distances come from the index of places alone; only the restaurants of the answer are read. */
  function circle(
    { latitude, longitude, radius }: Circle,
    { limit = -1, sort = 'distance' }: ListQuery,
  ): object[] {
    const high = radius / KM_PER_DEGREE;
    const wide = high / Math.cos((latitude * Math.PI) / 180);
    const within = points(
      `SELECT id, latitude, longitude, created_at FROM restaurants
       WHERE latitude BETWEEN ? AND ? AND longitude BETWEEN ? AND ?`,
      [latitude - high, latitude + high, longitude - wide, longitude + wide],
    )
      .map((point) => ({ ...point, distance: distanceKm(latitude, longitude, point) }))
      .filter(({ distance }) => distance <= radius)
      .sort((left, right) =>
        sort === 'distance'
          ? left.distance - right.distance || right.id - left.id
          : right.created_at.localeCompare(left.created_at) || right.id - left.id,
      );
    const chosen = limit < 0 ? within : within.slice(0, limit);
    const distances = new Map(chosen.map(({ id, distance }) => [id, distance]));
    const found = byIds(chosen.map(({ id }) => id));
    return hydrate(found.map((row) => ({ ...row, distance: distances.get(row.id) })));
  }

  return {
    get: (id) => hydrate(rows(`${SELECT} WHERE r.id = ?`, [id]))[0],
    list: (query) => {
      const { lat, lng, radius, limit = -1 } = query;
      if (lat !== undefined && lng !== undefined && radius !== undefined)
        return circle({ latitude: lat, longitude: lng, radius }, query);
      const { where, values } = conditionsOf(query);
      return hydrate(rows(`${SELECT} ${where()} ${NEWEST} LIMIT ?`, [...values, limit]));
    },
    page: (query) => {
      const { limit = 20, cursor } = query;
      const { where, values } = conditionsOf(query);
      const [createdAt, id] =
        cursor === undefined ? [] : Buffer.from(cursor, 'base64url').toString().split(' ');
      const found = rows(
        `${SELECT} ${where(...(cursor === undefined ? [] : ['(r.created_at, r.id) < (?, ?)']))} ${NEWEST} LIMIT ?`,
        [...values, ...(cursor === undefined ? [] : [createdAt, Number(id)]), limit + 1],
      );
      const data = found.slice(0, limit);
      const last = found.length > limit ? data.at(-1) : undefined;
      const [count] = totals(`SELECT COUNT(*) AS total FROM restaurants r ${where()}`, values);
      return {
        data: hydrate(data),
        next_cursor: last ? Buffer.from(`${last.created_at} ${last.id}`).toString('base64url') : null,
        has_more: last !== undefined,
        total: count?.total ?? 0,
      };
    },
    rate: createRate(database),
  };
}

/** Reads the rows of a statement, which is prepared when it is needed first. */
function createReader<Result>(
  database: Database.Database,
): (sql: string, values: readonly unknown[]) => Result[] {
  const prepared = new Map<string, Database.Statement<unknown[], Result>>();
  return (sql, values) => {
    const statement = prepared.get(sql) ?? database.prepare<unknown[], Result>(sql);
    prepared.set(sql, statement);
    return statement.all(...values);
  };
}

interface Conditions {
  /** The clause of these conditions and more; empty without any. */
  readonly where: (...more: readonly string[]) => string;
  readonly values: readonly unknown[];
}

function conditionsOf({ bbox, category_id, food_type_ids }: ListQuery): Conditions {
  const conditions: string[] = [];
  const values: unknown[] = [];
  if (bbox !== undefined) {
    const [west, south, east, north] = bbox.split(',').map(Number);
    conditions.push('r.latitude BETWEEN ? AND ? AND r.longitude BETWEEN ? AND ?');
    values.push(south, north, west, east);
  }
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
  const where: Conditions['where'] = (...more) => {
    const all = [...conditions, ...more];
    return all.length > 0 ? `WHERE ${all.join(' AND ')}` : '';
  };
  return { where, values };
}

function distanceKm(latitude: number, longitude: number, to: Point): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const square =
    Math.sin(radians(to.latitude - latitude) / 2) ** 2 +
    Math.cos(radians(latitude)) *
      Math.cos(radians(to.latitude)) *
      Math.sin(radians(to.longitude - longitude) / 2) ** 2;
  return 2 * 6371.0088 * Math.asin(Math.sqrt(square));
}

function createRate(database: Database.Database): FastifyStore['rate'] {
  const exists = database.prepare<[number]>('SELECT 1 FROM restaurants WHERE id = ?');
  const insert = database.prepare<unknown[], object>(
    `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     RETURNING id, restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at`,
  );
  return database.transaction((rating: RatingBody) => {
    if (!exists.get(rating.restaurant_id)) return undefined;
    const { restaurant_id, food_rating, service_rating, ambiance_rating, comment = null } = rating;
    const values = [restaurant_id, food_rating, service_rating, ambiance_rating, comment];
    const now = new Date().toISOString();
    const made = insert.get(...values, now, now);
    return made && { ...made, author: null };
  });
}
