import Database from 'better-sqlite3';
import { fastify } from 'fastify';

// The app that people would write instead: Fastify and better-sqlite3 with the obvious queries, a smaller restaurant, no totals
// and no log. Only its commits are synced as those of the service are. Arguments: port, data file.

interface Query {
  readonly limit?: number;
  readonly category_id?: number;
  readonly food_type_ids?: string;
  readonly lat?: number;
  readonly lng?: number;
  readonly radius?: number;
  readonly sort?: 'newest' | 'distance';
}

interface RatingBody {
  readonly restaurant_id: number;
  readonly food_rating: number;
  readonly service_rating: number;
  readonly ambiance_rating: number;
  readonly comment?: string;
}

const [, , port = '', file = ''] = process.argv;
const database = new Database(file);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.pragma('foreign_keys = ON');
const KM_PER_DEGREE = 111.195;

const SELECT = `
  SELECT r.id, r.name, r.description, r.address, r.phone, r.website, r.latitude, r.longitude, r.opening_hours, r.status,
    r.created_at, c.name AS category
  FROM restaurants r LEFT JOIN categories c ON c.id = r.category_id`;
const SQUARED_KM = `
  ((r.latitude - :lat) * ${KM_PER_DEGREE}) * ((r.latitude - :lat) * ${KM_PER_DEGREE}) +
  ((r.longitude - :lng) * :kmEast) * ((r.longitude - :lng) * :kmEast)`;

const byId = database.prepare<[number], { readonly id: number }>(`${SELECT} WHERE r.id = ?`);
const foodTypesOf = database
  .prepare<[number], string>(
    `SELECT f.name FROM restaurant_food_types rf JOIN food_types f ON f.id = rf.food_type_id
     WHERE rf.restaurant_id = ? ORDER BY f.name`,
  )
  .pluck();
const averageOf = database.prepare<[number], object>(
  `SELECT avg(food_rating) AS food, avg(service_rating) AS service, avg(ambiance_rating) AS ambiance, count(*) AS count
   FROM ratings WHERE restaurant_id = ?`,
);
const list = (where: string, order = 'r.created_at DESC, r.id DESC') =>
  database.prepare<[object], { readonly id: number }>(
    `${SELECT} WHERE ${where} ORDER BY ${order} LIMIT :limit`,
  );
const AROUND = `r.latitude BETWEEN :south AND :north AND r.longitude BETWEEN :west AND :east AND ${SQUARED_KM} <= :radius * :radius`;
const lists = {
  all: list('1'),
  filtered: list(
    `r.category_id = :category AND EXISTS (
       SELECT 1 FROM restaurant_food_types
       WHERE restaurant_id = r.id AND food_type_id IN (SELECT value FROM json_each(:foodTypes)))`,
  ),
  newest: list(AROUND),
  nearest: list(AROUND, SQUARED_KM),
  search: list(
    `NOT EXISTS (
       SELECT 1 FROM json_each(:words) AS word
       WHERE instr(lower(r.name || ' ' || coalesce(r.description, '') || ' ' || coalesce(r.address, '')), word.value) = 0)`,
  ),
};
const exists = database.prepare<[number]>('SELECT 1 FROM restaurants WHERE id = ?');
const insert = database.prepare<unknown[], object>(
  `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at)
   VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`,
);

const complete = (row: { readonly id: number }): object => ({
  ...row,
  food_types: foodTypesOf.all(row.id),
  rating: averageOf.get(row.id),
});

function find(query: Query): object[] {
  const { limit = 20, category_id, food_type_ids = '', lat, lng, radius = 5, sort } = query;
  if (lat !== undefined && lng !== undefined) {
    const kmEast = KM_PER_DEGREE * Math.cos((lat * Math.PI) / 180);
    const [high, wide] = [radius / KM_PER_DEGREE, radius / kmEast];
    const box = { south: lat - high, north: lat + high, west: lng - wide, east: lng + wide };
    const statement = sort === 'newest' ? lists.newest : lists.nearest;
    return statement.all({ ...box, lat, lng, kmEast, radius, limit }).map(complete);
  }
  if (category_id === undefined) return lists.all.all({ limit }).map(complete);
  const foodTypes = `[${food_type_ids}]`;
  return lists.filtered.all({ category: category_id, foodTypes, limit }).map(complete);
}

const app = fastify();
const number = { type: 'number' } as const;
const integer = { type: 'integer', minimum: 1 } as const;
const star = { type: 'integer', minimum: 1, maximum: 5 } as const;
const querystring = {
  type: 'object',
  properties: {
    limit: integer,
    category_id: integer,
    food_type_ids: { type: 'string', pattern: '^[0-9]+(,[0-9]+)*$' },
    lat: number,
    lng: number,
    radius: number,
    sort: { type: 'string', enum: ['newest', 'distance'] },
  },
} as const;
const ratingBody = {
  type: 'object',
  required: ['restaurant_id', 'food_rating', 'service_rating', 'ambiance_rating'],
  properties: {
    restaurant_id: integer,
    food_rating: star,
    service_rating: star,
    ambiance_rating: star,
    comment: { type: 'string', maxLength: 5000 },
  },
} as const;

app.get<{ Params: { readonly id: number } }>(
  '/api/restaurants/:id',
  { schema: { params: { type: 'object', properties: { id: integer } } } },
  ({ params }, reply) => {
    const row = byId.get(params.id);
    return row ? complete(row) : reply.code(404).send({ error: 'Restaurant not found' });
  },
);
app.get<{ Querystring: Query }>('/api/restaurants', { schema: { querystring } }, ({ query }) => find(query));
app.get<{ Querystring: Query }>('/api/restaurants/paginated', { schema: { querystring } }, ({ query }) => ({
  data: find(query),
}));
app.get<{ Querystring: { readonly q: string } }>('/api/search', ({ query }) =>
  lists.search.all({ words: JSON.stringify(query.q.toLowerCase().split(' ')), limit: 20 }).map(complete),
);
app.post<{ Body: RatingBody }>('/api/ratings', { schema: { body: ratingBody } }, ({ body }, reply) => {
  const { restaurant_id, food_rating, service_rating, ambiance_rating, comment = null } = body;
  if (!exists.get(restaurant_id)) return reply.code(404).send({ error: 'Restaurant not found' });
  const now = new Date().toISOString();
  return reply
    .code(201)
    .send(insert.get(restaurant_id, food_rating, service_rating, ambiance_rating, comment, now, now));
});

await app.listen({ port: Number(port), host: '127.0.0.1' });
