import { randomNumbers } from '../support/catalogue.ts';
import { type Likeness, walkCursors } from './ask.ts';
import { PER_SQUARE_DEGREE, WORDS } from './generate.ts';
import type { BenchRequest, Stream } from './plan.ts';
import type { ServerName } from './servers.ts';

/** A row of the table: who is asked for what, by how many clients. */
export interface Workload {
  readonly name: string;
  readonly servers: readonly ServerName[];
  readonly likeness: Likeness;
  /** What the server at `port` is sent; the first stream is what is counted, others go on meanwhile. */
  readonly streams: (port: number) => Promise<readonly Stream[]>;
}

const ALL: readonly ServerName[] = ['bare', 'fastify', 'service'];
const STORES: readonly ServerName[] = ['fastify', 'service'];
const CLIENTS = 32;
const WRITERS = 64;
const VARIETY = 2_000;
// Another client: it asks whether or not it has been answered, so that no stall hides those behind it.
const PROBE = { connections: 16, perSecond: 50 };
// In degrees; more than the radius of 5 km, so that no circle reaches over the edge of the catalogue.
const MARGIN = 0.07;

/** The names of the rows that the targets speak of. */
export const ROWS = {
  one: 'GET /restaurants/{id}',
  any: 'GET /restaurants/{id}, each once',
  page: 'page of 20',
  category: 'page of 20, category',
  foodType: 'page of 20, food type',
  both: 'page of 20, category and food type',
  near: 'near, radius 5 km, 1 client',
  search: 'search, 1 client',
  write: 'POST /ratings, 64 clients',
  everything: 'one by id while all rows are sent',
  login: 'one by id while 8 log in',
} as const;

/** The workloads at `size` restaurants, the same in every run. Those that write come last. */
export function createWorkloads(size: number): readonly Workload[] {
  const random = randomNumbers(size + 1);
  const many = (make: () => string): BenchRequest[] =>
    Array.from({ length: VARIETY }, () => ({ method: 'GET', path: make() }));
  const below = (end: number): number => Math.floor(random() * end);
  // More than the service keeps ready, each once before the first comes again.
  const all = Array.from({ length: Math.min(size, 50_000) }, (_, index) => ({
    id: 1 + index,
    rank: random(),
  }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ id }): BenchRequest => ({ method: 'GET', path: `/api/restaurants/${id}` }));
  const ids = many(() => `/api/restaurants/${1 + below(size)}`);
  const page = (query: string): BenchRequest => ({
    method: 'GET',
    path: `/api/restaurants/paginated?limit=20${query}`,
  });
  const side = Math.sqrt(size / PER_SQUARE_DEGREE) - 2 * MARGIN;
  const centres = many(() => {
    const [north, east] = [MARGIN + random() * side, MARGIN + random() * side];
    return `/api/restaurants?lat=${(40 + north).toFixed(5)}&lng=${(-3 + east).toFixed(5)}&radius=5`;
  });
  const words = many(() => `/api/search?q=${WORDS[below(WORDS.length)] ?? ''}+${below(size)}`);
  let asked = 0;
  // The same result under many addresses, so that nobody has an answer ready.
  const cafe = many(() => `/api/search?q=Caf%C3%A9&asked=${(asked += 1)}`);
  const ratings = Array.from({ length: VARIETY }, () => ratingOf(1 + below(size), random));
  const reads = (
    name: string,
    requests: readonly BenchRequest[],
    connections: number,
    likeness: Likeness = 'ids',
  ): Workload => {
    const streams = [{ connections, requests }];
    return { name, servers: ALL, likeness, streams: () => Promise.resolve(streams) };
  };
  // As many steps of a walk at every size up to a limit of 100.
  const step = Math.min(100, Math.ceil(size / 100));
  const walk = async (port: number, query: string): Promise<readonly Stream[]> => {
    const shuffle = randomNumbers(size);
    const cursors = (await walkCursors(port, query, step))
      // Behind the last ones there is less than a page.
      .slice(0, -2)
      .map((cursor) => ({ cursor, rank: shuffle() }))
      .sort((left, right) => left.rank - right.rank);
    return [
      { connections: CLIENTS, requests: cursors.map(({ cursor }) => page(`${query}&cursor=${cursor}`)) },
    ];
  };
  const walks = (name: string, query: string): Workload => {
    const done = new Map<number, Promise<readonly Stream[]>>();
    const streams = (port: number): Promise<readonly Stream[]> => {
      const found = done.get(port) ?? walk(port, query);
      done.set(port, found);
      return found;
    };
    return { name, servers: ALL, likeness: 'ids', streams };
  };
  const meanwhile = (name: string, ...streams: readonly Stream[]): Workload => ({
    ...{ name, servers: STORES, likeness: 'ids' },
    streams: () => Promise.resolve(streams),
  });
  const writing: Stream = { connections: 4, perSecond: 50, requests: ratings };
  return [
    reads(ROWS.one, ids, CLIENTS),
    reads(ROWS.any, all, CLIENTS),
    reads(ROWS.page, [page('')], CLIENTS),
    reads(ROWS.category, [page('&category_id=3')], CLIENTS),
    reads(ROWS.foodType, [page('&food_type_ids=3')], CLIENTS),
    reads(ROWS.both, [page('&category_id=3&food_type_ids=3')], CLIENTS),
    walks('page of 20, anywhere', ''),
    walks('page of 20, anywhere in a category', '&category_id=3'),
    walks('page of 20, anywhere in a food type', '&food_type_ids=3'),
    reads(ROWS.near, centres, 1),
    reads(ROWS.search, cafe, 1, 'count'),
    reads('search, many words, 1 client', words, 1, 'count'),
    meanwhile(
      ROWS.everything,
      { ...PROBE, requests: ids },
      { connections: 1, requests: [{ method: 'GET', path: '/api/restaurants' }] },
    ),
    meanwhile('one by id at 50 writes a second', { connections: CLIENTS, requests: ids }, writing),
    meanwhile('page of 20 at 50 writes a second', { connections: CLIENTS, requests: [page('')] }, writing),
    {
      ...{ name: ROWS.write, servers: STORES, likeness: 'count' },
      streams: () => Promise.resolve([{ connections: WRITERS, requests: ratings }]),
    },
  ];
}

/** The workload of a login storm by these accounts: what another client notices of it. */
export function loginStorm(size: number, logins: readonly BenchRequest[]): readonly Stream[] {
  const random = randomNumbers(size);
  const requests = Array.from({ length: VARIETY }, (): BenchRequest => ({
    method: 'GET',
    path: `/api/restaurants/${1 + Math.floor(random() * size)}`,
  }));
  return [
    { ...PROBE, requests },
    { connections: logins.length, requests: logins },
  ];
}

function ratingOf(id: number, random: () => number): BenchRequest {
  const star = (): number => 1 + Math.floor(random() * 5);
  const stars = { food_rating: star(), service_rating: star(), ambiance_rating: star() };
  const body = JSON.stringify({ restaurant_id: id, ...stars, comment: 'As good as they say' });
  return { method: 'POST', path: '/api/ratings', body };
}
