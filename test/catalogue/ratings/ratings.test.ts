import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { refusal } from '../../support/changes.ts';
import { type Client, array, field, ids } from '../../support/client.ts';
import { changeStored } from '../../support/people.ts';
import { type Service, startService } from '../../support/service.ts';

function rating(food_rating: number, service_rating: number, ambiance_rating: number): object {
  return { restaurant_id: 1, food_rating, service_rating, ambiance_rating };
}

async function withRestaurant(t: TestContext): Promise<Service> {
  const service = await startService(t);
  await service.api.post('/restaurants', { name: 'Rated' });
  return service;
}

async function averages(api: Client): Promise<unknown> {
  return field((await api.get('/restaurants/1')).body, 'avg_rating');
}

describe('POST /ratings', () => {
  test('stores a rating and answers it whole with its address', async (t) => {
    const { api } = await withRestaurant(t);
    const comment = ' <b>Good</b> & cheap ';
    const answer = await api.post('/ratings', { ...rating(5, 4, 3), comment, id: 9 });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers.get('location'), '/api/ratings/1');
    const created_at = field(answer.body, 'created_at');
    const own = { comment: 'Good & cheap', author: null, created_at, updated_at: created_at };
    assert.deepEqual(answer.body, { id: 1, ...rating(5, 4, 3), ...own });
    assert.deepEqual((await api.get('/restaurants/1/ratings')).body, [answer.body]);
  });

  test('has null for a comment that is not given', async (t) => {
    const { api } = await withRestaurant(t);
    assert.equal(field((await api.post('/ratings', rating(1, 1, 1))).body, 'comment'), null);
  });

  const invalid: readonly [Readonly<Record<string, unknown>>, string][] = [
    [{ food_rating: 0 }, 'food_rating must be an integer from 1 to 5'],
    [{ food_rating: 6 }, 'food_rating must be an integer from 1 to 5'],
    [{ service_rating: 4.5 }, 'service_rating must be an integer from 1 to 5'],
    [{ ambiance_rating: '4' }, 'ambiance_rating must be an integer from 1 to 5'],
    [{ food_rating: true }, 'food_rating must be an integer from 1 to 5'],
    [{ food_rating: null, service_rating: undefined }, 'food_rating is required; service_rating is required'],
    [{ restaurant_id: null }, 'restaurant_id is required'],
    [{ restaurant_id: '1' }, 'restaurant_id must be a positive integer'],
    [{ restaurant_id: -1 }, 'restaurant_id must be a positive integer'],
    [{ comment: 5 }, 'comment must be a string'],
    [{ comment: 'x'.repeat(5_001) }, 'comment must be at most 5000 characters'],
  ];
  test('refuses what breaks a rule with 400 and counts nothing', async (t) => {
    const { api } = await withRestaurant(t);
    for (const [change, error] of invalid)
      assert.deepEqual(refusal(await api.post('/ratings', { ...rating(3, 3, 3), ...change })), [400, error]);
    assert.equal(field(await averages(api), 'count'), 0);
  });

  test('for a restaurant that is not there is 404', async (t) => {
    const { api } = await withRestaurant(t);
    const answer = await api.post('/ratings', { ...rating(3, 3, 3), restaurant_id: 2 });
    assert.deepEqual(refusal(answer), [404, 'Restaurant not found']);
  });
});

describe('averages', () => {
  test('are unrounded, and overall is the mean of the three', async (t) => {
    const { api } = await withRestaurant(t);
    for (const body of [rating(5, 4, 4), rating(4, 4, 1), rating(5, 1, 2)]) await api.post('/ratings', body);
    const [food, service, ambiance] = [14 / 3, 9 / 3, 7 / 3];
    const overall = (food + service + ambiance) / 3;
    assert.deepEqual(await averages(api), { food, service, ambiance, overall, count: 3 });
  });

  test('follow deletions, down to zero', async (t) => {
    const { api } = await withRestaurant(t);
    await api.post('/ratings', rating(5, 5, 5));
    await api.post('/ratings', rating(1, 2, 3));
    assert.equal((await api.delete('/ratings/1')).status, 204);
    assert.deepEqual(await averages(api), { food: 1, service: 2, ambiance: 3, overall: 2, count: 1 });
    await api.delete('/ratings/2');
    assert.deepEqual(await averages(api), { food: 0, service: 0, ambiance: 0, overall: 0, count: 0 });
  });

  test('are the same in every list', async (t) => {
    const { api } = await withRestaurant(t);
    await api.post('/ratings', rating(5, 3, 2));
    const expected = await averages(api);
    const lists = [
      (await api.get('/restaurants')).body,
      (await api.get('/search?q=rated')).body,
      field((await api.get('/restaurants/paginated')).body, 'data'),
    ];
    for (const list of lists) assert.deepEqual(field(array(list)[0], 'avg_rating'), expected);
  });
});

describe('GET /restaurants/{restaurantId}/ratings', () => {
  test('is newest first, with limit and offset', async (t) => {
    const { api } = await withRestaurant(t);
    for (let made = 0; made < 5; made += 1) await api.post('/ratings', rating(1, 1, 1));
    const list = async (query: string): Promise<number[]> =>
      ids((await api.get(`/restaurants/1/ratings${query}`)).body);
    assert.deepEqual(await list(''), [5, 4, 3, 2, 1]);
    assert.deepEqual(await list('?limit=2'), [5, 4]);
    assert.deepEqual(await list('?limit=2&offset=3'), [2, 1]);
    assert.deepEqual(await list('?offset=4'), [1]);
    assert.deepEqual(await list('?offset=9'), []);
  });

  test('and GET /ratings?user=me return all of many, each once', async (t) => {
    const { api, folder } = await withRestaurant(t);
    // More than are read in one slice.
    const count = 1_200;
    changeStored(
      folder,
      `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, created_at, updated_at)
       WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
       SELECT 1, 2, 3, 4, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' FROM numbers`,
    );
    const all = Array.from({ length: count }, (_, index) => count - index);
    for (const path of ['/restaurants/1/ratings', '/ratings?user=me', '/ratings?user=me&restaurant_id=1'])
      assert.deepEqual(ids((await api.get(path)).body), all, path);
  });

  test('refuses bad parameters with 400, and an unknown restaurant with 404', async (t) => {
    const { api } = await withRestaurant(t);
    for (const [query, error] of [
      ['limit=0', 'limit must be at least 1'],
      ['limit=1001', 'limit must be at most 1000'],
      ['limit=x&offset=-1', 'limit must be an integer; offset must be at least 0'],
    ] as const)
      assert.deepEqual(refusal(await api.get(`/restaurants/1/ratings?${query}`)), [400, error]);
    assert.deepEqual(refusal(await api.get('/restaurants/2/ratings')), [404, 'Restaurant not found']);
  });
});

describe('DELETE /ratings/{id}', () => {
  test('is 404 for a rating that is not there, or not there any more', async (t) => {
    const { api } = await withRestaurant(t);
    await api.post('/ratings', rating(1, 1, 1));
    assert.equal((await api.delete('/ratings/1')).status, 204);
    for (const id of [1, 2])
      assert.deepEqual(refusal(await api.delete(`/ratings/${id}`)), [404, 'Rating not found']);
  });
});
