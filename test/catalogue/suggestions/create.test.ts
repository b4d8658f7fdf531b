import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FULL_SUGGESTION, createRestaurants, createSuggestions } from '../../support/catalogue.ts';
import { refusal } from '../../support/changes.ts';
import { array, field, ids, record } from '../../support/client.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const PLACE = { name: 'Chez Nous', address: '1 Rue du Bac', google_place_id: 'abc' };
const SAME = [
  { name: 'Other', google_place_id: 'abc' },
  { name: 'CHEZ nous', address: '1 RUE du bac' },
];

describe('POST /suggestions', () => {
  test('answers 201 with the whole suggestion and its address', async (t) => {
    const { api } = await startService(t);
    const answer = await api.post('/suggestions', FULL_SUGGESTION);
    assert.equal(answer.status, 201);
    assert.equal(answer.headers.get('location'), '/api/suggestions/1');
    const { category, food_types, created_at, updated_at, ...own } = record(answer.body);
    const { food_type_ids: _sent, ...sent } = FULL_SUGGESTION;
    assert.deepEqual(own, { id: 1, ...sent, status: 'pending', restaurant_id: null, author: null });
    assert.match(String(created_at), TIMESTAMP);
    assert.equal(updated_at, created_at);
    assert.deepEqual(category, (await api.get('/categories/5')).body);
    const foodTypes = [await api.get('/food-types/2'), await api.get('/food-types/8')];
    assert.deepEqual(
      food_types,
      foodTypes.map(({ body }) => body),
    );
    assert.deepEqual((await api.get('/suggestions/1')).body, answer.body);
  });

  test('needs nothing but a name; every other field is there and null', async (t) => {
    const { api } = await startService(t);
    const { body } = await api.post('/suggestions', { name: '  Nameless ' });
    const { created_at: _1, updated_at: _2, ...rest } = record(body);
    const { food_type_ids: _sent, ...others } = FULL_SUGGESTION;
    const empty = Object.fromEntries(Object.keys(others).map((name) => [name, null]));
    const made = { id: 1, name: 'Nameless', status: 'pending', food_types: [] };
    assert.deepEqual(rest, { ...empty, ...made, category: null, restaurant_id: null, author: null });
  });

  test('takes category_id for suggested_category_id, which wins when both are sent', async (t) => {
    const { api } = await startService(t);
    const cases = [
      [{ category_id: 3 }, 3],
      [{ suggested_category_id: 4, category_id: 3 }, 4],
      [{ suggested_category_id: null, category_id: 3 }, 3],
      [{ suggested_category_id: null }, null],
    ] as const;
    for (const [index, [sent, expected]] of cases.entries()) {
      const answer = await api.post('/suggestions', { name: `Place ${index}`, ...sent });
      assert.equal(field(answer.body, 'suggested_category_id'), expected, JSON.stringify(sent));
    }
  });

  test('ignores description and status, which a suggestion has not', async (t) => {
    const { api } = await startService(t);
    const answer = await api.post('/suggestions', { name: 'A', description: 'x', status: 'approved' });
    assert.equal(field(answer.body, 'status'), 'pending');
    assert.ok(!('description' in record(answer.body)));
  });

  const refusals: readonly (readonly [object, string])[] = [
    [{}, 'name is required'],
    [{ name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
    [{ name: 'A', notes: 'x'.repeat(5001) }, 'notes must be at most 5000 characters'],
    [{ name: 'A', notes: 5 }, 'notes must be a string'],
    [{ name: 'A', latitude: 1 }, 'latitude and longitude must be given together'],
    [{ name: 'A', website: 'javascript:x' }, 'website must be an http or https URL'],
    [{ name: 'A', suggested_category_id: 'x' }, 'suggested_category_id must be a positive integer'],
    [{ name: 'A', category_id: 1.5 }, 'category_id must be a positive integer'],
    [{ name: 'A', suggested_category_id: 99 }, 'suggested_category_id 99 does not exist'],
    [{ name: 'A', category_id: 99 }, 'category_id 99 does not exist'],
    [{ name: 'A', food_type_ids: [1, 98, 99] }, 'food_type_ids 98, 99 do not exist'],
    [
      { phone: 1, suggested_category_id: 99, food_type_ids: [99], latitude: 91, longitude: 0 },
      'name is required; phone must be a string; latitude must be between -90 and 90; suggested_category_id 99 does not exist; food_type_ids 99 do not exist',
    ],
  ];
  test('refuses what breaks a rule with 400, naming every fault at once, and stores nothing', async (t) => {
    const { api } = await startService(t);
    for (const [body, error] of refusals)
      assert.deepEqual(refusal(await api.post('/suggestions', body)), [400, error], error);
    assert.deepEqual((await api.get('/suggestions?status=all')).body, []);
  });

  test('draws its ids from the same sequence as restaurants', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'One' }]);
    assert.deepEqual(await createSuggestions(api, [{ name: 'Two' }, { name: 'Three' }]), [2, 3]);
    assert.deepEqual(await createRestaurants(api, [{ name: 'Four' }]), [4]);
    await api.delete('/suggestions/3');
    assert.deepEqual(await createSuggestions(api, [{ name: 'Five' }]), [5]);
    assert.equal((await api.get('/restaurants/2')).status, 404);
    assert.equal((await api.get('/suggestions/1')).status, 404);
  });

  test('refuses with 409 a place that is a restaurant already, and names it', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [PLACE]);
    const refused = [409, 'Restaurant already exists: "Chez Nous" (id 1)'];
    for (const body of SAME) assert.deepEqual(refusal(await api.post('/suggestions', body)), refused);
    assert.equal((await api.post('/suggestions', { name: 'Chez Nous', address: 'Elsewhere' })).status, 201);
  });

  test('refuses with 409 what was suggested before, unless that was rejected', async (t) => {
    const { api } = await startService(t);
    await createSuggestions(api, [PLACE]);
    const refused = [409, 'Suggestion already exists: "Chez Nous" (id 1)'];
    for (const status of ['pending', 'approved', 'tested']) {
      await api.patch('/suggestions/1/status', { status });
      for (const body of SAME)
        assert.deepEqual(refusal(await api.post('/suggestions', body)), refused, status);
    }
    await api.patch('/suggestions/1/status', { status: 'rejected' });
    assert.deepEqual(await createSuggestions(api, SAME), [2, 3]);
  });

  test('stores the place id of a place result, which a restaurant may have once', async (t) => {
    const { api } = await startService(t);
    await createSuggestions(api, [{ name: 'A', google_place_id: 'osm:N107775' }]);
    assert.equal(field((await api.get('/suggestions/1')).body, 'google_place_id'), 'osm:N107775');
    const converted = await api.post('/suggestions/1/convert', {});
    assert.equal(field(converted.body, 'google_place_id'), 'osm:N107775');
    const again = await api.post('/restaurants', { name: 'B', google_place_id: 'osm:N107775' });
    assert.deepEqual(refusal(again), [409, 'Restaurant already exists: "A" (id 2)']);
  });
});

describe('GET /suggestions', () => {
  test('is newest first, without the converted ones unless they are asked for', async (t) => {
    const { api } = await startService(t);
    await createSuggestions(
      api,
      ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => ({ name })),
    );
    const statuses = { 2: 'approved', 3: 'tested', 4: 'rejected' };
    for (const [id, status] of Object.entries(statuses))
      await api.patch(`/suggestions/${id}/status`, { status });
    await api.post('/suggestions/5/convert', {});
    const cases: readonly (readonly [string, readonly number[]])[] = [
      ['', [6, 4, 3, 2, 1]],
      ['?status=pending', [6, 1]],
      ['?status=approved', [2]],
      ['?status=tested', [3]],
      ['?status=rejected', [4]],
      ['?status=converted', [5]],
      ['?status=all', [6, 5, 4, 3, 2, 1]],
      ['?limit=2', [6, 4]],
      ['?limit=2&offset=1', [4, 3]],
      ['?status=all&offset=4', [2, 1]],
      ['?offset=99', []],
    ];
    for (const [query, expected] of cases) {
      const { status, body } = await api.get(`/suggestions${query}`);
      assert.deepEqual([status, ids(body)], [200, expected], query);
    }
    const [first] = array((await api.get('/suggestions')).body);
    assert.deepEqual(first, (await api.get('/suggestions/6')).body);
  });

  test('refuses parameters that do not parse', async (t) => {
    const { api } = await startService(t);
    for (const [query, error] of [
      ['status=new', 'status must be one of pending, approved, tested, rejected, converted, all'],
      ['limit=0', 'limit must be at least 1'],
      ['offset=-1', 'offset must be at least 0'],
      ['status=all&status=all', 'status must be given once'],
    ] as const)
      assert.deepEqual(refusal(await api.get(`/suggestions?${query}`)), [400, error]);
  });

  longTest('is whole beyond one slice, also where many were made in the same moment', async (t) => {
    const { api } = await startService(t);
    const made = await createSuggestions(
      api,
      Array.from({ length: 220 }, (_, index) => ({ name: `S${index}` })),
    );
    assert.deepEqual(ids((await api.get('/suggestions')).body), made.reverse());
    assert.deepEqual(ids((await api.get('/suggestions?limit=150&offset=60')).body), made.slice(60, 210));
  });
});

describe('GET /suggestions/{id}', () => {
  test('refuses what is no id with 400, and answers 404 for what is not there', async (t) => {
    const { api } = await startService(t);
    for (const id of ['0', 'x', '1.0', '9007199254740992'])
      assert.deepEqual(refusal(await api.get(`/suggestions/${id}`)), [400, 'Invalid suggestion ID']);
    assert.deepEqual(refusal(await api.get('/suggestions/1')), [404, 'Suggestion not found']);
  });
});
