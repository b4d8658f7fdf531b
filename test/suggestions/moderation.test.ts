import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createRestaurants, createSuggestions } from '../support/catalogue.ts';
import { type Client, field, ids, record } from '../support/client.ts';
import { startService } from '../support/service.ts';

async function withSuggestion(t: TestContext, body: object = { name: 'Chez Nous' }): Promise<Client> {
  const { api } = await startService(t);
  await createSuggestions(api, [body]);
  return api;
}

describe('PATCH /suggestions/{id}/status', () => {
  test('moves freely between the four open statuses', async (t) => {
    const api = await withSuggestion(t);
    const before = (await api.get('/suggestions/1')).body;
    const statuses = ['pending', 'approved', 'tested', 'rejected'];
    for (const from of statuses)
      for (const to of statuses) {
        await api.patch('/suggestions/1/status', { status: from });
        const { status, body } = await api.patch('/suggestions/1/status', { status: to });
        assert.equal(status, 200);
        assert.deepEqual(body, {
          ...record(before),
          status: to,
          updated_at: field(body, 'updated_at'),
        });
      }
  });

  test('needs no content type, and takes no other than JSON', async (t) => {
    const api = await withSuggestion(t);
    const body = new Blob(['{"status":"approved"}']);
    const plain = await api.send('/api/suggestions/1/status', { method: 'PATCH', body });
    assert.deepEqual([plain.status, field(plain.body, 'status')], [200, 'approved']);
    const headers = { 'Content-Type': 'text/plain' };
    const other = await api.send('/api/suggestions/1/status', { method: 'PATCH', headers, body: '{}' });
    assert.equal(other.status, 415);
  });

  const refusals: readonly (readonly [object, string])[] = [
    [{}, 'status is required'],
    [{ status: null }, 'status is required'],
    [{ status: 'converted' }, 'status must be one of pending, approved, tested, rejected'],
    [{ status: 'Approved' }, 'status must be one of pending, approved, tested, rejected'],
    [{ status: 1 }, 'status must be one of pending, approved, tested, rejected'],
  ];
  for (const [body, error] of refusals)
    test(`refuses ${JSON.stringify(body)} with 400`, async (t) => {
      const api = await withSuggestion(t);
      const answer = await api.patch('/suggestions/1/status', body);
      assert.deepEqual([answer.status, answer.body], [400, { error }]);
      assert.equal(field((await api.get('/suggestions/1')).body, 'status'), 'pending');
    });

  test('answers 404 for what is not there, and 409 for what was converted', async (t) => {
    const api = await withSuggestion(t);
    assert.equal((await api.patch('/suggestions/9/status', { status: 'approved' })).status, 404);
    await api.post('/suggestions/1/convert', {});
    const answer = await api.patch('/suggestions/1/status', { status: 'pending' });
    assert.deepEqual(
      [answer.status, answer.body],
      [409, { error: 'Suggestion 1 was converted and stays so' }],
    );
    assert.equal(field((await api.get('/suggestions/1')).body, 'status'), 'converted');
  });
});

describe('DELETE /suggestions/{id}', () => {
  test('answers 204 without a body, then 404', async (t) => {
    const api = await withSuggestion(t);
    const answer = await api.delete('/suggestions/1');
    assert.deepEqual([answer.status, answer.body], [204, '']);
    assert.equal((await api.delete('/suggestions/1')).status, 404);
    assert.deepEqual((await api.get('/suggestions?status=all')).body, []);
  });

  test('leaves the restaurant that was made of it, which forgets where it came from', async (t) => {
    const api = await withSuggestion(t);
    await api.post('/suggestions/1/convert', {});
    assert.equal(field((await api.get('/restaurants/2')).body, 'suggestion_id'), 1);
    await api.delete('/suggestions/1');
    assert.equal(field((await api.get('/restaurants/2')).body, 'suggestion_id'), null);
  });

  test('of the restaurant instead leaves a converted suggestion without one', async (t) => {
    const api = await withSuggestion(t);
    await api.post('/suggestions/1/convert', {});
    await api.delete('/restaurants/2');
    const { body } = await api.get('/suggestions/1');
    assert.deepEqual([field(body, 'status'), field(body, 'restaurant_id')], ['converted', null]);
  });
});

describe('the category and food types of a suggestion', () => {
  test('go with what they refer to: null without the category, fewer without a food type', async (t) => {
    const api = await withSuggestion(t, { name: 'A', suggested_category_id: 1, food_type_ids: [1, 2] });
    await api.delete('/categories/1');
    await api.delete('/food-types/1');
    const { body } = await api.get('/suggestions/1');
    assert.deepEqual([field(body, 'suggested_category_id'), field(body, 'category')], [null, null]);
    assert.deepEqual(ids(field(body, 'food_types')), [2]);
  });
});

describe('a suggestion between two that want it', () => {
  test('is converted once, however many try at the same time', async (t) => {
    const api = await withSuggestion(t);
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => api.post('/suggestions/1/convert', {})),
    );
    const statuses = answers.map(({ status }) => status).sort((left, right) => left - right);
    assert.deepEqual(statuses, [201, ...Array.from({ length: 15 }, () => 409)]);
    assert.deepEqual(ids((await api.get('/restaurants')).body), [2]);
  });

  test('is suggested once, however many try at the same time', async (t) => {
    const { api } = await startService(t);
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => api.post('/suggestions', { name: 'Same' })),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.equal(answers.filter(({ status }) => status === 409).length, 15);
    await createRestaurants(api, [{ name: 'Next' }]);
    assert.deepEqual(ids((await api.get('/restaurants')).body), [2, 1]);
  });
});
