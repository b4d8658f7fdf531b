import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { FULL_SUGGESTION, createRestaurants, createSuggestions } from '../../support/catalogue.ts';
import { refusal } from '../../support/changes.ts';
import { type Client, array, field, ids, record } from '../../support/client.ts';
import { startService } from '../../support/service.ts';
import { startWorld } from '../../support/world.ts';

const RATINGS = { food_rating: 5, service_rating: 4, ambiance_rating: 3 };

async function withSuggestion(t: TestContext): Promise<Client> {
  const { api } = await startService(t);
  await createSuggestions(api, [FULL_SUGGESTION]);
  return api;
}

/** Everything that a refused conversion must leave as it was. */
async function state(api: Client): Promise<unknown[]> {
  const paths = ['/restaurants', '/suggestions?status=all', '/search?q=nous'];
  return Promise.all(paths.map(async (path) => (await api.get(path)).body));
}

describe('POST /suggestions/{id}/convert', () => {
  test('answers 201 with the new restaurant, which has all that was suggested', async (t) => {
    const api = await withSuggestion(t);
    const answer = await api.post('/suggestions/1/convert', {});
    assert.equal(answer.status, 201);
    assert.equal(answer.headers.get('location'), '/api/restaurants/2');
    const restaurant = record((await api.get('/restaurants/2')).body);
    const message = 'Suggestion converted to restaurant';
    assert.deepEqual(answer.body, { ...restaurant, restaurant_id: 2, message });
    const { suggested_category_id, food_type_ids: _ids, notes: _notes, ...same } = FULL_SUGGESTION;
    for (const [name, value] of Object.entries(same)) assert.deepEqual(restaurant[name], value, name);
    assert.equal(restaurant['category_id'], suggested_category_id);
    assert.deepEqual(ids(restaurant['food_types']), [2, 8]);
    const { description, is_suggestion, suggestion_id, status } = restaurant;
    assert.deepEqual([description, is_suggestion, suggestion_id, status], [null, false, 1, 'active']);
  });

  test('marks the suggestion, which names the restaurant and leaves the lists', async (t) => {
    const api = await withSuggestion(t);
    await api.post('/suggestions/1/convert', {});
    const { status, restaurant_id } = record((await api.get('/suggestions/1')).body);
    assert.deepEqual([status, restaurant_id], ['converted', 2]);
    assert.deepEqual(ids((await api.get('/restaurants')).body), [2]);
    assert.deepEqual(ids((await api.get('/search?q=nous')).body), [2]);
  });

  test('takes an empty body, and needs the JSON type all the same', async (t) => {
    const api = await withSuggestion(t);
    const path = '/api/suggestions/1/convert';
    assert.equal((await api.send(path, { method: 'POST' })).status, 415);
    const headers = { 'Content-Type': 'application/json' };
    assert.equal((await api.send(path, { method: 'POST', headers })).status, 201);
  });

  test('takes fields that replace those suggested, null included', async (t) => {
    const api = await withSuggestion(t);
    const texts = { name: 'Chez Eux', address: '2 Rue du Bac', website: 'http://eux.example', phone: null };
    const overrides = { ...texts, description: 'Good', category_id: 1 };
    const { body } = await api.post('/suggestions/1/convert', { ...overrides, food_type_ids: [3] });
    assert.deepEqual({ ...record(body), ...overrides }, body);
    assert.deepEqual(ids(field(body, 'food_types')), [3]);
    assert.equal(field((await api.get('/suggestions/1')).body, 'name'), 'Chez Nous');
  });

  test('adds a first rating, whose averages the answer has', async (t) => {
    const api = await withSuggestion(t);
    const { body } = await api.post('/suggestions/1/convert', { ...RATINGS, comment: 'Try the duck' });
    const expected = { food: 5, service: 4, ambiance: 3, overall: 4, count: 1 };
    assert.deepEqual(field(body, 'avg_rating'), expected);
    assert.deepEqual(field((await api.get('/restaurants/2')).body, 'avg_rating'), expected);
    const [rating] = array((await api.get('/restaurants/2/ratings')).body);
    assert.equal(field(rating, 'comment'), 'Try the duck');
  });

  test('works from every open status but rejected', async (t) => {
    for (const status of ['pending', 'approved', 'tested']) {
      const api = await withSuggestion(t);
      await api.patch('/suggestions/1/status', { status });
      assert.equal((await api.post('/suggestions/1/convert', {})).status, 201, status);
    }
  });

  const refusals: readonly (readonly [object, string])[] = [
    [{ name: null }, 'name is required'],
    [{ food_rating: 5, service_rating: 4 }, 'ambiance_rating is required'],
    [{ ...RATINGS, food_rating: 6 }, 'food_rating must be an integer from 1 to 5'],
    [{ ...RATINGS, food_rating: '5' }, 'food_rating must be an integer from 1 to 5'],
    [
      { comment: 'Lost without a rating' },
      'food_rating is required; service_rating is required; ambiance_rating is required',
    ],
    [{ category_id: 99 }, 'category_id 99 does not exist'],
    [
      { website: 'ftp://x', category_id: 99, food_type_ids: [99], ...RATINGS, service_rating: 0 },
      'website must be an http or https URL; service_rating must be an integer from 1 to 5; category_id 99 does not exist; food_type_ids 99 do not exist',
    ],
  ];
  test('refuses what breaks a rule with 400, naming every fault at once, and changes nothing', async (t) => {
    const api = await withSuggestion(t);
    const before = await state(api);
    for (const [body, error] of refusals)
      assert.deepEqual(refusal(await api.post('/suggestions/1/convert', body)), [400, error], error);
    assert.deepEqual(await state(api), before);
  });

  test('refuses with 409 what was converted or rejected, in words of its own', async (t) => {
    const api = await withSuggestion(t);
    await api.post('/suggestions/1/convert', {});
    const convert = async (id: number): Promise<unknown> =>
      refusal(await api.post(`/suggestions/${id}/convert`, {}));
    assert.deepEqual(await convert(1), [409, 'Suggestion 1 was converted before']);
    await createSuggestions(api, [{ name: 'Bad' }]);
    await api.patch('/suggestions/3/status', { status: 'rejected' });
    assert.deepEqual(await convert(3), [409, 'Suggestion 3 was rejected before']);
  });

  test('refuses with 409 a restaurant that is there, names it, and changes nothing', async (t) => {
    const api = await withSuggestion(t);
    await createRestaurants(api, [{ name: 'CHEZ VOUS', address: '1 rue du bac, paris' }]);
    const before = await state(api);
    const answer = await api.post('/suggestions/1/convert', { ...RATINGS, name: 'Chez Vous' });
    assert.deepEqual(refusal(answer), [409, 'Restaurant already exists: "CHEZ VOUS" (id 2)']);
    assert.deepEqual(await state(api), before);
    assert.equal((await api.post('/suggestions/1/convert', { address: 'Elsewhere' })).status, 201);
  });

  test('answers 404 for what is not there, a restaurant’s id included', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'One' }]);
    const notFound = [404, 'Suggestion not found'];
    for (const id of [1, 2])
      assert.deepEqual(refusal(await api.post(`/suggestions/${id}/convert`, {})), notFound);
  });

  test('makes the first rating that of who converts', async (t) => {
    const { owner, other, people } = await startWorld(t);
    await createSuggestions(owner, [FULL_SUGGESTION]);
    await other.post('/suggestions/1/convert', RATINGS);
    const { author } = record((await other.get('/ratings/1')).body);
    assert.deepEqual(author, { id: people.other.id, username: 'bob' });
  });
});
