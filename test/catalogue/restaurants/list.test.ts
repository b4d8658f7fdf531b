import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createRestaurants, rate } from '../../support/catalogue.ts';
import { refusal } from '../../support/changes.ts';
import { type Client, array, ids, record } from '../../support/client.ts';
import { startService } from '../../support/service.ts';

/** Six restaurants, ids 1 to 6 in this order. */
async function sixRestaurants(t: TestContext): Promise<Client> {
  const { api } = await startService(t);
  await createRestaurants(api, [
    { name: 'Éclair', category_id: 1, food_type_ids: [1, 2] },
    { name: 'ananas', category_id: 1, food_type_ids: [2] },
    { name: 'Zorba', category_id: 2, food_type_ids: [1], status: 'closed' },
    { name: 'Bar', category_id: 2 },
    { name: 'Éclair', address: 'Other', food_type_ids: [3], status: 'closed' },
    { name: 'zebra', category_id: 1, food_type_ids: [1], status: 'temporarily_closed' },
  ]);
  const ratings = { 1: 3, 2: 5, 4: 3, 6: 1 };
  for (const [id, value] of Object.entries(ratings)) await rate(api, Number(id), value);
  return api;
}

describe('GET /restaurants', () => {
  const cases: readonly [string, readonly number[]][] = [
    ['', [6, 5, 4, 3, 2, 1]],
    ['category_id=1', [6, 2, 1]],
    ['category_id=99', []],
    ['food_type_ids=1', [6, 3, 1]],
    ['food_type_ids=2,3', [5, 2, 1]],
    ['food_type_ids=2,2,%202', [2, 1]],
    ['food_type_ids=99', []],
    ['category_id=1&food_type_ids=1,3', [6, 1]],
    ['status=closed', [5, 3]],
    ['status=closed&food_type_ids=1', [3]],
    ['status=active&category_id=1', [2, 1]],
    ['min_rating=3', [4, 2, 1]],
    ['min_rating=1&category_id=1', [6, 2, 1]],
    ['min_rating=5', [2]],
    ['q=ecl', [1, 5]],
    ['q=ecl&status=closed', [5]],
    ['q=italian%20pizza', [1, 6]],
    ['q=italian%20pizza&sort=newest', [6, 1]],
    ['q=%25', []],
    ['sort=newest', [6, 5, 4, 3, 2, 1]],
    ['sort=name', [2, 4, 1, 5, 6, 3]],
    ['sort=rating', [2, 4, 1, 6, 5, 3]],
    ['sort=name&category_id=1', [2, 1, 6]],
    ['sort=rating&food_type_ids=1', [1, 6, 3]],
    ['sort=name&q=ecl', [1, 5]],
    ['sort=rating&q=italian', [2, 1, 6]],
    ['limit=2', [6, 5]],
    ['limit=2&offset=3', [3, 2]],
    ['offset=4', [2, 1]],
    ['offset=6', []],
    ['limit=1&offset=1&q=ecl', [5]],
    ['limit=1000', [6, 5, 4, 3, 2, 1]],
    ['include_suggestions=false', [6, 5, 4, 3, 2, 1]],
    ['unknown=1&unknown=2&category_id=2', [4, 3]],
  ];
  test('filters, sorts and cuts as its parameters say', async (t) => {
    const api = await sixRestaurants(t);
    for (const [query, expected] of cases) {
      const { status, body } = await api.get(`/restaurants?${query}`);
      assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`);
      assert.deepEqual(ids(body), expected, query);
    }
  });

  test('has no distance where no location was asked for', async (t) => {
    const api = await sixRestaurants(t);
    for (const one of array((await api.get('/restaurants')).body)) assert.ok(!('distance' in record(one)));
  });

  const invalid: readonly [string, string][] = [
    ['category_id=x', 'category_id must be an integer'],
    ['category_id=', 'category_id must be an integer'],
    ['category_id=1.0', 'category_id must be an integer'],
    ['category_id=0', 'category_id must be at least 1'],
    ['category_id=1&category_id=2', 'category_id must be given once'],
    ['category_id=%zz', 'category_id is not valid percent-encoded UTF-8'],
    ['food_type_ids=1,x', 'food_type_ids must be comma-separated positive integers'],
    ['food_type_ids=', 'food_type_ids must be comma-separated positive integers'],
    ['food_type_ids=1,,2', 'food_type_ids must be comma-separated positive integers'],
    [`food_type_ids=${Array(101).fill(1).join(',')}`, 'food_type_ids must have at most 100 ids'],
    ['status=open', 'status must be one of active, temporarily_closed, closed'],
    ['min_rating=0.5', 'min_rating must be between 1 and 5'],
    ['min_rating=x', 'min_rating must be a number'],
    ['sort=price', 'sort must be one of newest, name, rating, distance'],
    ['sort=distance', 'sort=distance needs lat and lng'],
    ['limit=0', 'limit must be at least 1'],
    ['limit=1001', 'limit must be at most 1000'],
    ['limit=-5', 'limit must be at least 1'],
    ['offset=-1', 'offset must be at least 0'],
    ['q=', 'q must not be blank'],
    ['q=%20', 'q must not be blank'],
    [`q=${'x'.repeat(201)}`, 'q must be at most 200 characters'],
    ['include_suggestions=yes', 'include_suggestions must be one of true, false'],
    ['lat=1', 'lat and lng must be given together'],
    ['lng=1', 'lat and lng must be given together'],
    ['radius=1', 'radius needs lat and lng'],
    ['lat=91&lng=0', 'lat must be between -90 and 90'],
    ['lat=0&lng=180.1', 'lng must be between -180 and 180'],
    ['lat=0&lng=0&radius=0', 'radius must be greater than 0'],
    ['lat=0&lng=0&radius=-1', 'radius must be between 0 and 20038'],
    ['lat=0&lng=0&radius=20039', 'radius must be between 0 and 20038'],
    ['limit=x&sort=y', 'sort must be one of newest, name, rating, distance; limit must be an integer'],
  ];
  test('takes nothing for a number that is none', async (t) => {
    const { api } = await startService(t);
    for (const value of ['NaN', 'Infinity', '1e999', '0x10', '', '1,5', '1_0', '--1', '%D9%A1']) {
      const queries = {
        lat: `lng=1&lat=${value}`,
        lng: `lat=1&lng=${value}`,
        radius: `lat=1&lng=1&radius=${value}`,
        min_rating: `min_rating=${value}`,
      };
      for (const [name, query] of Object.entries(queries)) {
        const [status, error] = refusal(await api.get(`/restaurants?${query}`));
        assert.equal(status, 400, query);
        assert.match(String(error), new RegExp(`^${name} must be a number`));
      }
    }
  });

  test('refuses a parameter that does not parse with 400 and names it', async (t) => {
    const { api } = await startService(t);
    for (const [query, error] of invalid) {
      const answer = await api.get(`/restaurants?${query}`);
      assert.deepEqual([answer.status, answer.body], [400, { error }], query);
    }
  });
});
