import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { refusal } from '../support/changes.ts';
import { type Client, field, ids, textOf } from '../support/client.ts';
import { addRestaurants } from '../support/lists.ts';
import { startService } from '../support/service.ts';
import { startWorld } from '../support/world.ts';

const DAYS = ['2026-01-03', '2026-01-01', '2026-01-03', '2026-01-02', '2025-12-31', '2026-01-03'];
// By day, then by id, both descending.
const NEWEST_FIRST = [6, 3, 1, 4, 2, 5];

/** Visits 1 to 6, to restaurants 1 and 2 in turn. */
async function furnished(t: TestContext): Promise<Client> {
  const { api } = await startService(t);
  await addRestaurants(api, 'A', 'B');
  for (const [index, visited_on] of DAYS.entries())
    await api.post('/visits', { restaurant_id: 1 + (index % 2), visited_on });
  return api;
}

/** The ids of all pages. */
async function walk(api: Client, query: string): Promise<number[]> {
  const found: number[] = [];
  for (let cursor = ''; ;) {
    const { status, body, headers } = await api.get(`/visits?${query}${cursor}`);
    assert.equal(status, 200, JSON.stringify(body));
    found.push(...ids(field(body, 'data')));
    assert.ok(found.length <= DAYS.length, 'the pages do not end');
    const isLast = field(body, 'next_cursor') === null;
    assert.deepEqual([headers.get('link') === null, field(body, 'has_more')], [isLast, !isLast]);
    if (isLast) return found;
    cursor = `&cursor=${encodeURIComponent(textOf(body, 'next_cursor'))}`;
  }
}

describe('the pages of visits', () => {
  test('hold all of them, the newest day first, however many are on a page', async (t) => {
    const api = await furnished(t);
    for (const limit of [1, 2, 4, 20])
      assert.deepEqual(await walk(api, `limit=${limit}`), NEWEST_FIRST, `${limit} to a page`);
  });

  const filters: readonly (readonly [string, readonly number[]])[] = [
    ['restaurant_id=1', [3, 1, 5]],
    ['restaurant_id=2', [6, 4, 2]],
    ['restaurant_id=9', []],
    ['from=2026-01-02', [6, 3, 1, 4]],
    ['to=2026-01-02', [4, 2, 5]],
    ['from=2026-01-01&to=2026-01-02', [4, 2]],
    ['from=2026-01-03&to=2026-01-01', []],
    ['restaurant_id=1&from=2026-01-01', [3, 1]],
  ];
  test('hold those that are asked for, and count them', async (t) => {
    const api = await furnished(t);
    for (const [query, expected] of filters) {
      assert.deepEqual(await walk(api, `limit=2&${query}`), expected, query);
      assert.equal(field((await api.get(`/visits?${query}`)).body, 'total'), expected.length);
    }
  });

  test('go on where they were when visits come and go', async (t) => {
    const api = await furnished(t);
    const first = await api.get('/visits?limit=2');
    const cursor = encodeURIComponent(String(field(first.body, 'next_cursor')));
    await api.delete('/visits/3');
    await api.post('/visits', { restaurant_id: 1, visited_on: '2026-01-04' });
    const second = await api.get(`/visits?limit=2&cursor=${cursor}`);
    assert.deepEqual(ids(field(second.body, 'data')), [1, 4]);
  });

  test('refuse cursors that are not of visits, and days that are none', async (t) => {
    const { admin } = await startWorld(t);
    const foreign = String(field((await admin.get('/users?limit=1')).body, 'next_cursor'));
    for (const cursor of [foreign, 'x', 'AAAA'])
      assert.deepEqual(refusal(await admin.get(`/visits?cursor=${cursor}`)), [400, 'Invalid cursor']);
    const faults = {
      'from=2026-02-30': 'from must be a day as YYYY-MM-DD',
      'to=2026-02-30': 'to must be a day as YYYY-MM-DD',
      'restaurant=1': 'unknown parameter restaurant; did you mean restaurant_id?',
    };
    for (const [query, error] of Object.entries(faults))
      assert.deepEqual(refusal(await admin.get(`/visits?${query}`)), [400, error]);
  });
});
