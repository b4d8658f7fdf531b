import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import { CatalogueStores } from '../../../src/catalogue/stores.ts';
import { parseNewRestaurant } from '../../../src/catalogue/restaurants/input.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { array, field, ids } from '../../support/client.ts';
import { openWrites } from '../../support/log.ts';
import { startCrowded } from '../../support/map-reference.ts';
import { type Service, startService, temporaryFolder } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

// More than are read, or sent, in one slice.
const COUNT = 1_200;
// From 5,000 on, the places of a circle are put in order in another way.
const CROWD = 5_050;

/** A service that starts on a catalogue of many. */
async function withMany(t: TestContext): Promise<Service> {
  const folder = temporaryFolder(t);
  const storage = openStorage(folder);
  const { restaurants } = new CatalogueStores(storage.queries);
  const begin = openWrites(storage);
  await storage.transactions.write(() => {
    for (let index = 0; index < COUNT; index += 1) {
      const body = {
        name: `Place ${(index * 7919) % 1_000}`,
        address: `${index} "Main" Street\n`,
        ...(index % 3 > 0 && { latitude: ((index * 31) % 180) - 90, longitude: ((index * 17) % 360) - 180 }),
      };
      const input = parseNewRestaurant(body);
      const now = new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString();
      assert.ok(input.ok);
      assert.equal(
        restaurants.create(input.value, begin(), { times: { createdAt: now, updatedAt: now } }).outcome,
        'done',
      );
    }
  });
  storage.close();
  return startService(t, { DATA_DIR: folder });
}

type Key = string | number;

const nameOf = (one: unknown): Key => String(field(one, 'name')).toLowerCase();
const distanceOf = (one: unknown): Key => Number(field(one, 'distance') ?? Infinity);
const newestOf = (one: unknown): Key => -Date.parse(String(field(one, 'created_at')));

// The key of a sort, which never goes down from one restaurant to the next.
const ORDERS: readonly [string, (one: unknown) => Key][] = [
  ['', newestOf],
  ['sort=newest', newestOf],
  ['sort=name', nameOf],
  ['sort=rating', () => 0],
  ['lat=10&lng=10', distanceOf],
  ['lat=10&lng=10&sort=name', nameOf],
  ['q=place', newestOf],
  ['q=place&sort=name', nameOf],
  ['q=place&lat=-80&lng=179', distanceOf],
];

describe('GET /restaurants without a limit', () => {
  longTest(
    'is whole, in order and one JSON document, whatever the sort, and from any offset on',
    async (t) => {
      const { api, url } = await withMany(t);
      for (const [query, keyOf] of ORDERS) {
        const response = await fetch(`${url}/api/restaurants?${query}`);
        assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
        const list: unknown = JSON.parse(await response.text());
        assert.equal(new Set(ids(list)).size, COUNT, query);
        assert.equal(array(list).length, COUNT, query);
        const keys = array(list).map(keyOf);
        assert.ok(
          keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') <= key),
          `${query} is out of order`,
        );
        const rest = (await api.get(`/restaurants?${query}&offset=590`)).body;
        assert.deepEqual(ids(rest), ids(list).slice(590), query);
      }
    },
  );

  longTest('has a large circle in the order of the sort, as a whole and page by page', async (t) => {
    const points = Array.from({ length: CROWD }, (_, index) => [(index % 180) - 90, index % 170] as const);
    const { service, places } = await startCrowded(t, points);
    const { api } = service;
    await api.put('/restaurants/7', { latitude: null, longitude: null });
    const inside = places.filter(({ id }) => id !== 7).toReversed();
    const orders = {
      newest: inside,
      name: inside.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    };
    for (const [sort, order] of Object.entries(orders)) {
      const placed = order.map(({ id }) => id);
      const circle = `lat=0&lng=0&radius=20038&sort=${sort}`;
      assert.deepEqual(ids((await api.get(`/restaurants?${circle}`)).body), placed);
      const first = await api.get(`/restaurants/paginated?${circle}&limit=100`);
      const next = String(field(first.body, 'next_cursor'));
      const second = await api.get(`/restaurants/paginated?${circle}&limit=100&cursor=${next}`);
      assert.deepEqual(
        [first, second].flatMap(({ body }) => ids(field(body, 'data'))),
        placed.slice(0, 200),
      );
      assert.equal(field(second.body, 'total'), placed.length);
    }
  });

  longTest('holds what was there throughout, once, while others come and go', async (t) => {
    const { api } = await withMany(t);
    const churn = async (): Promise<void> => {
      for (let id = 1; id <= 40; id += 1) {
        await api.delete(`/restaurants/${id * 5}`);
        await api.post('/restaurants', { name: `Fresh ${id}` });
      }
    };
    const [list] = await Promise.all([api.get('/restaurants?sort=name'), churn()]);
    const seen = ids(list.body);
    const found = new Set(seen);
    assert.equal(found.size, seen.length);
    for (let id = 1; id <= COUNT; id += 1)
      if (id % 5 !== 0 || id > 200) assert.ok(found.has(id), `${id} was skipped`);
  });
});
