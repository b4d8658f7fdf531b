import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants, rate } from '../support/catalogue.ts';
import { type Client, array, field, ids } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import type { TestContext } from 'node:test';

const COUNT = 48;

/** Restaurants with ties in everything that they can be sorted by; every fourth has no coordinates. */
async function manyTies(t: TestContext): Promise<Service> {
  const service = await startService(t);
  const made = await createRestaurants(
    service.api,
    Array.from({ length: COUNT }, (_, index) => ({
      name: ['delta', 'Alpha', 'charlie', 'BRAVO'][index % 4],
      address: `${index}`,
      ...(index % 4 !== 3 && { latitude: (index % 6) * 10, longitude: -20 }),
    })),
  );
  for (const id of made.filter((id) => id % 3 > 0)) await rate(service.api, id, (id % 5) + 1);
  return service;
}

/** All restaurants of a walk, page after page. */
async function walk(api: Client, query: string, limit: number): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await api.get(`/restaurants/paginated?${query}&limit=${limit}${cursor}`);
    assert.equal(status, 200, JSON.stringify(body));
    seen.push(...array(field(body, 'data')));
    const next = field(body, 'next_cursor');
    if (typeof next !== 'string') return seen;
    cursor = `&cursor=${next}`;
  }
}

// The key of a sort, which never goes down from one restaurant to the next.
const ORDERS: readonly [string, (restaurant: unknown) => string | number][] = [
  ['sort=name', (one) => String(field(one, 'name')).toLowerCase()],
  ['sort=rating', (one) => -Number(field(field(one, 'avg_rating'), 'overall'))],
  ['lat=25&lng=-20', (one) => Number(field(one, 'distance') ?? Infinity)],
  ['lat=25&lng=-20&q=a', (one) => Number(field(one, 'distance') ?? Infinity)],
  ['lat=25&lng=-20&radius=20038', (one) => Number(field(one, 'distance') ?? NaN)],
  ['q=a&sort=name', (one) => String(field(one, 'name')).toLowerCase()],
  ['lat=25&lng=-20&radius=20038&sort=rating', (one) => -Number(field(field(one, 'avg_rating'), 'overall'))],
];

describe('a walk through the pages', () => {
  for (const [query, keyOf] of ORDERS)
    test(`is in order and has each restaurant once: ${query}`, async (t) => {
      const { api } = await manyTies(t);
      for (const limit of [1, 5, 100]) {
        const seen = await walk(api, query, limit);
        assert.ok(seen.length >= COUNT / 4, `${seen.length} restaurants`);
        assert.equal(new Set(ids(seen)).size, seen.length);
        const keys = seen.map(keyOf);
        for (const [index, key] of keys.entries())
          assert.ok(
            index === 0 || (keys[index - 1] ?? '') <= key,
            `${String(keys[index - 1])} before ${key}`,
          );
      }
    });

  test('is newest first by default', async (t) => {
    const { api } = await manyTies(t);
    const expected = Array.from({ length: COUNT }, (_, index) => COUNT - index);
    assert.deepEqual(ids(await walk(api, '', 7)), expected);
  });

  test('goes from those with coordinates on to those without', async (t) => {
    const { api } = await manyTies(t);
    const distances = (await walk(api, 'lat=25&lng=-20', 4)).map((one) => field(one, 'distance'));
    assert.equal(distances.filter((distance) => distance === null).length, COUNT / 4);
    assert.ok(distances.slice(0, (COUNT * 3) / 4).every((distance) => typeof distance === 'number'));
  });

  // One character of a name may become many when it is made comparable, and the longest names are in a cursor too.
  for (const [title, name] of [
    ['emoji', '🍕'.repeat(255)],
    ['Chinese characters', '寿'.repeat(255)],
    ['squared words', '㍿'.repeat(255)],
    ['Arabic ligatures', 'ﷺ'.repeat(255)],
  ] as const)
    test(`by name gets past the longest names: ${title}`, async (t) => {
      const { api } = await startService(t);
      const made = await createRestaurants(
        api,
        [1, 2, 3].map((number) => ({ name, address: `${number}` })),
      );
      assert.deepEqual(ids(await walk(api, 'sort=name', 1)).sort(), made);
    });

  test('takes any whole number over 100 for 100', async (t) => {
    const { api } = await manyTies(t);
    for (const limit of ['101', '2147483648', '9007199254740991', '9007199254740993', '9'.repeat(40)]) {
      const { status, body } = await api.get(`/restaurants/paginated?limit=${limit}`);
      assert.equal(status, 200, `${limit}: ${JSON.stringify(body)}`);
      assert.equal(array(field(body, 'data')).length, COUNT);
    }
  });
});
