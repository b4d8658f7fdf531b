import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import type { Statement } from 'better-sqlite3';
import { openStorage } from '../../../src/storage/storage.ts';
import { createRestaurants, createSuggestions, randomNumbers, rate } from '../../support/catalogue.ts';
import { refusal } from '../../support/changes.ts';
import { type Client, array, field, ids, record } from '../../support/client.ts';
import { withoutFacts } from '../../support/facts.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { ratingOf } from '../../support/world.ts';

async function listed(api: Client, query: string): Promise<number[]> {
  const { status, body } = await api.get(query);
  assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`);
  return ids(body);
}

/** Restaurants 1 and 4, pending suggestions 2, 3 and 5. */
async function mixed(t: TestContext): Promise<Client> {
  const { api } = await startService(t);
  await createRestaurants(api, [{ name: 'Bistro Bleu', category_id: 5, latitude: 48.85, longitude: 2.35 }]);
  const noir = { name: 'Café Noir', address: 'Paris', latitude: 48.86, longitude: 2.35 };
  await createSuggestions(api, [
    { ...noir, category_id: 5, food_type_ids: [1] },
    { name: 'Ålesund Fisk', category_id: 1 },
  ]);
  await createRestaurants(api, [{ name: 'Zur Post', food_type_ids: [1], latitude: 52.5, longitude: 13.4 }]);
  await createSuggestions(api, [{ name: 'Post Office', latitude: 48.87, longitude: 2.35 }]);
  await rate(api, 1, 4);
  return api;
}

describe('a pending suggestion', () => {
  test('has the shape of a restaurant in GET /restaurants', async (t) => {
    const api = await mixed(t);
    const [, , , found] = array((await api.get('/restaurants')).body);
    const suggestion = record((await api.get('/suggestions/2')).body);
    const { suggested_category_id, notes: _1, restaurant_id: _2, author: _3, ...same } = suggestion;
    assert.deepEqual(found, {
      ...withoutFacts({}, true),
      ...same,
      description: null,
      category_id: suggested_category_id,
      avg_rating: { food: 0, service: 0, ambiance: 0, overall: 0, count: 0 },
      is_suggestion: true,
      suggestion_id: 2,
    });
  });

  const paris = 'lat=48.8566&lng=2.3522';
  const lists: readonly (readonly [string, readonly number[]])[] = [
    ['', [5, 4, 3, 2, 1]],
    ['include_suggestions=true', [5, 4, 3, 2, 1]],
    ['include_suggestions=false', [4, 1]],
    ['category_id=5', [2, 1]],
    ['food_type_ids=1', [4, 2]],
    ['food_type_ids=1&category_id=5', [2]],
    ['status=active', [4, 1]],
    ['min_rating=1', [1]],
    ['q=post', [5, 4]],
    ['q=post&include_suggestions=false', [4]],
    ['q=fran', []],
    ['q=fren', [1, 2]],
    ['sort=name', [3, 1, 2, 5, 4]],
    ['sort=rating', [1, 5, 4, 3, 2]],
    ['sort=name&limit=2&offset=1', [1, 2]],
    ['limit=2&offset=1', [4, 3]],
    ['offset=4', [1]],
    [paris, [2, 1, 5, 4, 3]],
    [`${paris}&limit=2`, [2, 1]],
    [`${paris}&radius=5`, [2, 1, 5]],
    [`${paris}&radius=1`, [2, 1]],
    [`${paris}&radius=5&include_suggestions=false`, [1]],
    [`${paris}&radius=5&sort=name`, [1, 2, 5]],
    [`${paris}&q=post`, [5, 4]],
  ];
  longTest('is where it belongs in GET /restaurants', async (t) => {
    const api = await mixed(t);
    for (const [query, expected] of lists)
      assert.deepEqual(await listed(api, `/restaurants?${query}`), expected, query);
    const [first] = array((await api.get('/restaurants?lat=48.86&lng=2.35&limit=1')).body);
    assert.deepEqual([field(first, 'id'), field(first, 'distance')], [2, 0]);
  });

  test('is never in GET /restaurants/paginated, nor in its total', async (t) => {
    const api = await mixed(t);
    for (const query of ['', '?include_suggestions=true', '?q=post', '?lat=48.8&lng=2.3&radius=50']) {
      const { body } = await api.get(`/restaurants/paginated${query}`);
      const expected = query.includes('post') ? [4] : query.includes('radius') ? [1] : [4, 1];
      assert.deepEqual([...ids(field(body, 'data'))].sort().reverse(), expected, query);
      assert.equal(field(body, 'total'), expected.length, query);
    }
  });

  const searches: readonly (readonly [string, readonly number[]])[] = [
    ['q=post', [5, 4]],
    ['q=post&include_suggestions=false', [4]],
    ['q=post&limit=1', [5]],
    ['q=zur%20post', [4]],
    ['q=post%20office', [5]],
    ['q=cafe', [2]],
    ['q=CAF%C3%89%20noir', [2]],
    ['q=alesund', [3]],
    ['q=italian', [3]],
    ['q=pizza', [4, 2]],
    ['q=paris%20noir', [2]],
    ['q=p', [5, 4, 2]],
  ];
  test('is found by GET /search, in the same shape', async (t) => {
    const api = await mixed(t);
    for (const [query, expected] of searches)
      assert.deepEqual(await listed(api, `/search?${query}`), expected, query);
    const [, , , inList] = array((await api.get('/restaurants')).body);
    assert.deepEqual((await api.get('/search?q=cafe%20noir')).body, [inList]);
  });

  test('leaves lists and search when it is no longer pending, and comes back when it is', async (t) => {
    const api = await mixed(t);
    const near = '/restaurants?lat=48.86&lng=2.35&radius=0.1';
    const paths = ['/restaurants?category_id=5', '/search?q=noir', near];
    for (const status of ['approved', 'tested', 'rejected']) {
      await api.patch('/suggestions/2/status', { status });
      for (const path of paths) assert.ok(!(await listed(api, path)).includes(2), `${path} ${status}`);
      await api.patch('/suggestions/2/status', { status: 'pending' });
      for (const path of paths) assert.ok((await listed(api, path)).includes(2), path);
    }
    await api.delete('/suggestions/2');
    for (const path of paths) assert.ok(!(await listed(api, path)).includes(2), path);
  });

  test('is found by what its category and food types are called now', async (t) => {
    const api = await mixed(t);
    await api.put('/categories/1', { name: 'Nordic' });
    await api.put('/food-types/1', { name: 'Flatbread' });
    assert.deepEqual(await listed(api, '/search?q=nordic'), [3]);
    assert.deepEqual(await listed(api, '/search?q=flatbread'), [4, 2]);
    assert.deepEqual(await listed(api, '/search?q=italian'), []);
    await api.delete('/categories/1');
    await api.delete('/food-types/1');
    assert.deepEqual(await listed(api, '/search?q=nordic'), []);
    assert.deepEqual(await listed(api, '/search?q=flatbread'), []);
    assert.deepEqual(await listed(api, '/search?q=fisk'), [3]);
  });

  test('that leaves while nothing else of it is pending is in no index any more', async (t) => {
    const api = await mixed(t);
    await api.patch('/suggestions/3/status', { status: 'approved' });
    await api.put('/categories/1', { name: 'Nordic' });
    assert.deepEqual(await listed(api, '/search?q=nordic'), []);
    assert.deepEqual(await listed(api, '/restaurants?q=nordic'), []);
  });

  test('is no restaurant: its id is 404 there', async (t) => {
    const api = await mixed(t);
    assert.deepEqual(refusal(await api.get('/restaurants/2')), [404, 'Restaurant not found']);
    assert.equal((await api.put('/restaurants/2', { name: 'X' })).status, 404);
    assert.equal((await api.delete('/restaurants/2')).status, 404);
    assert.equal((await api.post('/ratings', ratingOf(2))).status, 404);
  });
});

// More than are read in one slice, of which there are five hundred rows at most.
const COUNT = 610;

/** Restaurants and pending suggestions, many of them made in the same moment and named the same. */
function fill(folder: string): void {
  const { connection, close } = openStorage(folder);
  const random = randomNumbers(11);
  const pick = (count: number): number => Math.floor(random() * count);
  const insert = (table: string, status: string): Statement =>
    connection.prepare(
      `INSERT INTO ${table} (id, name, latitude, longitude, status, identity_key, search_name, search_text,
         created_at, updated_at) VALUES (?, ?, ?, ?, '${status}', ?, ?, '', ?, ?)`,
    );
  const restaurant = insert('restaurants', 'active');
  const suggestion = insert('suggestions', 'pending');
  connection.transaction(() => {
    for (let id = 1; id <= COUNT; id += 1) {
      const name = `place ${pick(60)}`;
      const at = `2026-01-01T00:00:${String(pick(60)).padStart(2, '0')}.000Z`;
      const [latitude, longitude] = pick(5) === 0 ? [null, null] : [40 + random() * 10, random() * 10];
      const statement = pick(5) < 2 ? suggestion : restaurant;
      statement.run(id, name, latitude, longitude, `${id}`, name, at, at);
    }
    connection.prepare('UPDATE id_sequence SET last_id = ?').run(COUNT);
  })();
  close();
}

/** The order of a sort, by the answers alone. */
function expectedOrder(bodies: readonly unknown[], sort: string): number[] {
  const isNewest = sort === 'newest' || sort === 'rating';
  const key = (body: unknown): string | number => {
    // None has a rating, so age decides.
    if (isNewest) return String(field(body, 'created_at'));
    if (sort === 'name') return String(field(body, 'name'));
    const distance = sort === 'distance' ? field(body, 'distance') : 0;
    return typeof distance === 'number' ? distance : Infinity;
  };
  const byId = sort === 'name' ? 1 : -1;
  return [...bodies]
    .sort((left, right) => {
      const [a, b] = [key(left), key(right)];
      if (a !== b) return (a < b ? -1 : 1) * (isNewest ? -1 : 1);
      return (Number(field(left, 'id')) - Number(field(right, 'id'))) * byId;
    })
    .map((body) => Number(field(body, 'id')));
}

describe('a list of restaurants and many pending suggestions', () => {
  longTest('is one order by any sort, whole and in every part', async (t) => {
    const folder = temporaryFolder(t);
    fill(folder);
    const { api } = await startService(t, { DATA_DIR: folder });
    for (const sort of ['newest', 'name', 'rating', 'distance']) {
      const query = `/restaurants?sort=${sort}&lat=45&lng=5`;
      const whole = array((await api.get(query)).body);
      assert.equal(whole.length, COUNT);
      const order = expectedOrder(whole, sort);
      assert.deepEqual(ids(whole), order);
      for (const offset of [0, 1, 199, 200, 499, 500, 501, 609, 610, 2000])
        for (const limit of [1, 20, 1000]) {
          const part = await api.get(`${query}&limit=${limit}&offset=${offset}`);
          assert.deepEqual(ids(part.body), order.slice(offset, offset + limit), `${offset} ${limit}`);
        }
      assert.deepEqual(ids((await api.get(`${query}&offset=377`)).body), order.slice(377));
    }

    // Within a radius it holds what a look at every place finds.
    const whole = array((await api.get('/restaurants?lat=45&lng=5')).body);
    for (const radius of [60, 150, 400]) {
      const near = whole.filter((one) => {
        const distance = field(one, 'distance');
        return typeof distance === 'number' && distance <= radius;
      });
      const answer = await api.get(`/restaurants?lat=45&lng=5&radius=${radius}`);
      assert.deepEqual(ids(answer.body), ids(near), String(radius));
      assert.ok(near.some((one) => field(one, 'is_suggestion') === true));
    }
  });
});
