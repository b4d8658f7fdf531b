import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ListStore } from '../../src/people/lists/store.ts';
import { openExistingStorage, openStorage } from '../../src/storage/storage.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { startServerProcess } from '../support/cli.ts';
import { type Client, field } from '../support/client.ts';
import { temporaryFolder } from '../support/service.ts';
import { alignedTable, figure, quantile } from './figures.ts';
import { generateCatalogue } from './generate.ts';

// What pages of many visits and the items of a full list cost, and what `include=mine` adds to a page of 20.
const VISITS = Number(process.env['VISITS'] ?? 10_000);
const RESTAURANTS = Number(process.env['RESTAURANTS'] ?? 100_000);
const ITEMS = 5_000;
const ROUNDS = 1_000;
const WARM_UP = 300;
const AT = "'2026-01-31T19:30:00.000Z'";

async function makeFolder(folder: string): Promise<void> {
  const storage = openStorage(folder);
  await generateCatalogue(storage, RESTAURANTS, 0);
  storage.close();
  const database = new Database(join(folder, 'catalogue.db'));
  database.exec(`
    INSERT INTO visits (restaurant_id, visited_on, note, dishes, currency, created_at, updated_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${VISITS})
    SELECT 1 + (i * 7919) % ${RESTAURANTS}, date('2026-01-01', '-' || (i % 3000) || ' days'), 'Note ' || i,
      '[{"name":"Soup","stars":5,"price_minor":950,"note":null,"again":true}]', 'EUR', ${AT}, ${AT}
    FROM n;
    INSERT INTO list_items (list_id, restaurant_id, rank, created_at)
    SELECT 1, id, id * 1000, ${AT} FROM restaurants WHERE id <= ${ITEMS};
    ANALYZE;`);
  database.close();
}

type Row = readonly [label: string, times: readonly number[]];

type Call = (round: number) => unknown;

/** Times calls by turns, so that none of them has a better time of day than another. */
async function timed(calls: readonly (readonly [label: string, call: Call])[]): Promise<Row[]> {
  const rows = calls.map(([label, call]) => ({ label, call, times: new Array<number>() }));
  for (let round = -WARM_UP; round < ROUNDS; round += 1)
    for (const { call, times } of rows) {
      const started = performance.now();
      await call(round);
      if (round >= 0) times.push(performance.now() - started);
    }
  return rows.map(({ label, times }) => [label, times]);
}

/** The cursor behind so many pages of 100. */
async function cursorBehind(api: Client, pages: number): Promise<string> {
  let cursor = '';
  for (let page = 0; page < pages; page += 1)
    cursor = `&cursor=${String(field((await api.get(`/visits?limit=100${cursor}`)).body, 'next_cursor'))}`;
  return cursor;
}

async function overHttp(t: Cleanup, folder: string): Promise<Row[]> {
  const variables = { DATA_DIR: folder, HOST: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '0' };
  const { api, url } = await startServerProcess(t, variables);
  // Not by the client of the tests, which checks each answer against the description. Private answers are not compressed.
  const plain = { headers: { 'Accept-Encoding': 'identity' } };
  const read = async (path: string): Promise<unknown> =>
    (await fetch(`${url}/api${path}`, plain)).arrayBuffer();
  const pages = Math.floor(VISITS / 100) - 1;
  const cursors = {
    first: '',
    middle: await cursorBehind(api, pages / 2),
    last: await cursorBehind(api, pages),
  };
  // No answer is from a cache: each part of the list is asked for once.
  const part = (round: number): string => `/restaurants?limit=20&offset=${(round + WARM_UP) * 20}`;
  const move = (round: number): object => ({ position: 1 + (Math.abs(round * 1237) % ITEMS) });
  // Behind the index, and all that is read after it.
  await read('/restaurants?limit=1&open_at=now');
  return timed([
    ...Object.entries(cursors).map(([name, cursor]): [string, Call] => [
      `100 visits, ${name} page`,
      () => read(`/visits?limit=100${cursor}`),
    ]),
    ['20 visits, middle page', () => read(`/visits?limit=20${cursors.middle}`)],
    ['20 restaurants', (round) => read(part(round))],
    ['20 restaurants, include=mine', (round) => read(`${part(round)}&include=mine`)],
    ['lists', () => read('/lists')],
    [`100 of ${ITEMS} items`, () => read('/lists/want/items?limit=100&offset=2500')],
    ['move of an item', (round) => api.put('/lists/want/items/7', move(round))],
  ]);
}

async function withinProcess(folder: string): Promise<Row[]> {
  const storage = openExistingStorage(folder);
  const personal = new ListStore(storage.queries.file('lists'));
  const ids = (round: number): number[] =>
    Array.from({ length: 20 }, (_, index) => 1 + (((round + WARM_UP) * 20 + index) % ITEMS));
  const rows = await timed([
    ['mine of 20 (in the process)', (round) => personal.mine(null, ids(round))],
    ['visited (in the process)', () => personal.visited(null)],
    ['listed (in the process)', () => personal.listed(null, 'want')],
  ]);
  storage.close();
  return rows;
}

/** Measures and prints them. */
export async function run(t: Cleanup): Promise<void> {
  const folder = temporaryFolder(t);
  await makeFolder(folder);
  const rows = [...(await withinProcess(folder)), ...(await overHttp(t, folder))];
  const cells = rows.map(([label, times]) => [
    label,
    ...[0.5, 0.99].map((share) => figure(quantile(times, share))),
  ]);
  console.log(`\n${VISITS} visits, a list of ${ITEMS}, ${RESTAURANTS} restaurants, ${ROUNDS} times each`);
  console.log(alignedTable([['', 'p50 ms', 'p99 ms'], ...cells], 1));
}
