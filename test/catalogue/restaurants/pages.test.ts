import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { type TestContext, describe, test } from 'node:test';
import { databasePath } from '../../../src/storage/database.ts';
import { createRestaurants, rate } from '../../support/catalogue.ts';
import { refusal } from '../../support/changes.ts';
import { type Cleanup, withCleanup } from '../../support/cleanup.ts';
import { type Client, array, field, ids, textOf } from '../../support/client.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const CENTRE = 'lat=10&lng=10';
// Every sort, and filters of every kind, with the number of matches among the sixty restaurants.
const WALKS: readonly [string, number][] = [
  ['', 60],
  ['sort=newest', 60],
  ['sort=name', 60],
  ['sort=rating', 60],
  [CENTRE, 60],
  [`${CENTRE}&sort=name`, 60],
  [`${CENTRE}&radius=20038`, 45],
  [`${CENTRE}&category_id=1`, 30],
  ['category_id=1', 30],
  ['food_type_ids=3', 20],
  ['food_type_ids=3,4', 40],
  ['food_type_ids=3&category_id=1&sort=name', 10],
  ['status=closed&sort=name', 12],
  ['min_rating=2&sort=rating', 24],
  ['min_rating=2', 24],
  ['q=place', 60],
  ['q=place&sort=name&category_id=1', 30],
  [`q=place&${CENTRE}`, 60],
  [`${CENTRE}&radius=20038&sort=rating`, 45],
];

let sixty: Buffer | undefined;

/** Sixty restaurants with many ties in name, rating and place: each test has a copy of the same ones. */
async function sixtyRestaurants(t: TestContext): Promise<Client> {
  sixty ??= await withCleanup(makeSixty);
  const folder = temporaryFolder(t);
  writeFileSync(databasePath(folder), sixty);
  return (await startService(t, { DATA_DIR: folder })).api;
}

async function makeSixty(t: Cleanup): Promise<Buffer> {
  const { api, folder, stop } = await startService(t);
  const made = await createRestaurants(
    api,
    Array.from({ length: 60 }, (_, index) => ({
      name: `Place ${index % 7}`,
      address: `No. ${index}`,
      category_id: (index % 2) + 1,
      food_type_ids: [(index % 3) + 3],
      ...(index % 4 > 0 && { latitude: (index % 5) * 10, longitude: 10 }),
      ...(index % 5 === 0 && { status: 'closed' }),
    })),
  );
  for (const id of made) if (id % 5 < 3) await rate(api, id, (id % 5) + 1);
  await stop();
  return readFileSync(databasePath(folder));
}

/** All pages from first to last; `between` runs after each page. */
async function walk(
  api: Client,
  query: string,
  limit: number,
  between = (): Promise<unknown> => Promise.resolve(),
): Promise<number[][]> {
  const pages: number[][] = [];
  let cursor: unknown = null;
  do {
    const after = typeof cursor === 'string' ? `&cursor=${cursor}` : '';
    const { status, body } = await api.get(`/restaurants/paginated?${query}&limit=${limit}${after}`);
    assert.equal(status, 200, JSON.stringify(body));
    pages.push(ids(field(body, 'data')));
    assert.ok(pages.length <= 200, 'the pages do not end');
    cursor = field(body, 'next_cursor');
    assert.equal(field(body, 'has_more'), cursor !== null);
    await between();
  } while (cursor !== null);
  return pages;
}

describe('GET /restaurants/paginated', () => {
  longTest('of an empty catalogue is an empty page without a successor', async (t) => {
    const { api } = await startService(t);
    const { status, body } = await api.get('/restaurants/paginated');
    assert.deepEqual([status, body], [200, { data: [], next_cursor: null, has_more: false, total: 0 }]);
  });

  longTest('has every match once, in the order of GET /restaurants, with any sort and filter', async (t) => {
    const api = await sixtyRestaurants(t);
    for (const [query, total] of WALKS) {
      const expected = ids((await api.get(`/restaurants?${query}`)).body);
      assert.equal(expected.length, total, query);
      for (const limit of [4, 20]) {
        const pages = await walk(api, query, limit);
        assert.deepEqual(pages.flat(), expected, `${query} by ${limit}`);
        assert.deepEqual(pages.map((page) => page.length).slice(0, -1), Array(pages.length - 1).fill(limit));
      }
      const { body } = await api.get(`/restaurants/paginated?${query}&limit=1`);
      assert.equal(field(body, 'total'), total, query);
    }
  });

  test('begins the same before the index is loaded as after that', async (t) => {
    const api = await sixtyRestaurants(t);
    const { body: before } = await api.get('/restaurants/paginated?limit=7');
    const next = await api.get(`/restaurants/paginated?limit=7&cursor=${textOf(before, 'next_cursor')}`);
    const after = await api.get('/restaurants/paginated?limit=14');
    assert.equal(field(before, 'total'), field(after.body, 'total'));
    assert.deepEqual(
      [...array(field(before, 'data')), ...array(field(next.body, 'data'))],
      field(after.body, 'data'),
    );
  });

  test('ends without an empty page when the last one is full', async (t) => {
    const pages = await walk(await sixtyRestaurants(t), '', 30);
    assert.deepEqual(
      pages.map((page) => page.length),
      [30, 30],
    );
  });

  longTest('holds 20 by default, and 100 at most, whatever whole number over 100 is asked for', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(
      api,
      Array.from({ length: 102 }, (_, index) => ({ name: `R ${index}` })),
    );
    const size = async (query: string): Promise<number> =>
      array(field((await api.get(`/restaurants/paginated${query}`)).body, 'data')).length;
    assert.deepEqual([await size(''), await size('?limit=100')], [20, 100]);
    for (const limit of ['101', '2147483648', '9007199254740991', '9007199254740993', '9'.repeat(40)])
      assert.equal(await size(`?limit=${limit}`), 100, limit);
  });

  test('by name gets past the longest names', async (t) => {
    const { api } = await startService(t);
    // One character of a name may become many when it is made comparable, and the longest names are in a cursor too.
    const names = ['🍕', '寿', '㍿', 'ﷺ'].map((character) => character.repeat(255));
    const places = names.flatMap((name) => ['1', '2', '3'].map((address) => ({ name, address })));
    const made = await createRestaurants(api, places);
    const seen = (await walk(api, 'sort=name', 1)).flat();
    assert.deepEqual(seen, ids((await api.get('/restaurants?sort=name')).body));
    assert.deepEqual(
      seen.toSorted((left, right) => left - right),
      made,
    );
  });

  for (const query of ['', 'sort=name', CENTRE, 'q=place', 'category_id=1', `${CENTRE}&radius=20038`])
    longTest(
      `never repeats or skips what is there throughout, while others come and go (${query || 'newest'})`,
      async (t) => {
        const api = await sixtyRestaurants(t);
        const before = new Set(ids((await api.get(`/restaurants?${query}`)).body));
        const gone = new Set<number>();
        let round = 0;
        const between = async (): Promise<void> => {
          round += 1;
          const place = { address: `New ${round}`, category_id: 1, latitude: 10, longitude: round };
          for (const name of [`Place ${round % 7}`, `AAA place ${round}`, `ZZZ place ${round}`])
            await api.post('/restaurants', { ...place, name });
          // Ids from both ends, so that both what was read and what is still to come is hit.
          for (const id of [round, 61 - round])
            if ((await api.delete(`/restaurants/${id}`)).status === 204) gone.add(id);
        };
        const seen = (await walk(api, query, 5, between)).flat();
        assert.equal(new Set(seen).size, seen.length);
        assert.ok(gone.size > 4);
        for (const id of before) if (!gone.has(id)) assert.ok(seen.includes(id), `${id} was skipped`);
      },
    );

  test('goes on after a restart of the service', async (t) => {
    const folder = temporaryFolder(t);
    const first = await startService(t, { DATA_DIR: folder });
    await createRestaurants(first.api, [{ name: 'A' }, { name: 'B' }, { name: 'C' }]);
    const { body } = await first.api.get('/restaurants/paginated?limit=2');
    await first.stop();
    const { api } = await startService(t, { DATA_DIR: folder });
    const next = await api.get(`/restaurants/paginated?limit=2&cursor=${String(field(body, 'next_cursor'))}`);
    assert.deepEqual(ids(field(next.body, 'data')), [1]);
  });

  test('refuses a cursor that it did not make, or made for another sort or centre', async (t) => {
    const api = await sixtyRestaurants(t);
    const cursorOf = async (query: string): Promise<string> =>
      String(field((await api.get(`/restaurants/paginated?limit=2&${query}`)).body, 'next_cursor'));
    const newest = await cursorOf('');
    const forged = Buffer.from(JSON.stringify(['2026-01-01T00:00:00.000Z', 5])).toString('base64url');
    const cases: readonly [string, string][] = [
      ['', forged],
      ['', `${newest}A`],
      ['', '%E2%9C%93'],
      ['', 'a'.repeat(1_500)],
      ['sort=name', newest],
      ['', await cursorOf('sort=name')],
      ['lat=1&lng=1', await cursorOf('lat=1&lng=2')],
    ];
    for (const [query, cursor] of cases) {
      const answer = await api.get(`/restaurants/paginated?limit=2&${query}&cursor=${cursor}`);
      assert.deepEqual(refusal(answer), [400, 'Invalid cursor'], `${query} ${cursor}`);
    }
  });

  const invalid: readonly [string, string][] = [
    ['limit=0', 'limit must be at least 1'],
    ['limit=-1', 'limit must be at least 1'],
    ['limit=ten', 'limit must be an integer'],
    ['limit=', 'limit must be an integer'],
    ['limit=5&limit=6', 'limit must be given once'],
    ['cursor=', 'cursor must not be blank'],
    ['sort=up', 'sort must be one of newest, name, rating, distance'],
    ['lat=x&lng=1', 'lat must be a number'],
  ];
  test('refuses a bad parameter with 400 and names it', async (t) => {
    const { api } = await startService(t);
    for (const [query, error] of invalid)
      assert.deepEqual((await api.get(`/restaurants/paginated?${query}`)).body, { error }, query);
  });

  test('has the right total while categories, food types and statuses change', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [
      { name: 'A', category_id: 1, food_type_ids: [1] },
      { name: 'B', category_id: 1 },
    ]);
    const total = async (query: string): Promise<unknown> =>
      field((await api.get(`/restaurants/paginated?${query}`)).body, 'total');
    const queries = ['', 'category_id=1', 'category_id=2', 'food_type_ids=1', 'status=closed'];
    queries.push('status=closed&category_id=2');
    const totals = (): Promise<unknown[]> => Promise.all(queries.map(total));
    assert.deepEqual(await totals(), [2, 2, 0, 1, 0, 0]);
    await api.put('/restaurants/1', { category_id: 2, food_type_ids: [1, 2], status: 'closed' });
    assert.deepEqual(await totals(), [2, 1, 1, 1, 1, 1]);
    await api.delete('/food-types/1');
    await api.delete('/categories/2');
    assert.deepEqual(await totals(), [2, 1, 0, 0, 1, 0]);
    await api.delete('/restaurants/2');
    assert.deepEqual(await totals(), [1, 0, 0, 0, 1, 0]);
  });
});
