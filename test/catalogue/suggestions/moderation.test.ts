import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createRestaurants, createSuggestions } from '../../support/catalogue.ts';
import { changeOf, refusal, reverted } from '../../support/changes.ts';
import { type Answer, type Client, field, ids, record } from '../../support/client.ts';
import { startService } from '../../support/service.ts';

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
        const updated_at = field(body, 'updated_at');
        assert.deepEqual([status, body], [200, { ...record(before), status: to, updated_at }]);
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

  const OTHERS = 'status must be one of pending, approved, tested, rejected';
  const refusals: readonly (readonly [object, string])[] = [
    [{}, 'status is required'],
    [{ status: null }, 'status is required'],
    [{ status: 'converted' }, OTHERS],
    [{ status: 'Approved' }, OTHERS],
    [{ status: 1 }, OTHERS],
  ];
  test('refuses any other status with 400, and changes nothing', async (t) => {
    const api = await withSuggestion(t);
    for (const [body, error] of refusals)
      assert.deepEqual(refusal(await api.patch('/suggestions/1/status', body)), [400, error]);
    assert.equal(field((await api.get('/suggestions/1')).body, 'status'), 'pending');
  });

  test('answers 404 for what is not there, and 409 for what was converted', async (t) => {
    const api = await withSuggestion(t);
    assert.equal((await api.patch('/suggestions/9/status', { status: 'approved' })).status, 404);
    await api.post('/suggestions/1/convert', {});
    const answer = await api.patch('/suggestions/1/status', { status: 'pending' });
    assert.deepEqual(refusal(answer), [409, 'Suggestion 1 was converted and stays so']);
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

  test('is forgotten by a restaurant that comes back later', async (t) => {
    const api = await withSuggestion(t);
    await api.post('/suggestions/1/convert', {});
    const deletion = changeOf(await api.delete('/restaurants/2'));
    await api.delete('/suggestions/1');
    await reverted(api, deletion);
    assert.equal(field((await api.get('/restaurants/2')).body, 'suggestion_id'), null);
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
  const ONCE = [201, ...Array<number>(15).fill(409)];
  const sixteen = async (ask: () => Promise<Answer>): Promise<number[]> =>
    (await Promise.all(Array.from({ length: 16 }, ask))).map(({ status }) => status).sort();

  test('is converted once, however many try at the same time', async (t) => {
    const api = await withSuggestion(t);
    assert.deepEqual(await sixteen(() => api.post('/suggestions/1/convert', {})), ONCE);
    assert.deepEqual(ids((await api.get('/restaurants')).body), [2]);
  });

  test('is suggested once, however many try at the same time', async (t) => {
    const { api } = await startService(t);
    assert.deepEqual(await sixteen(() => api.post('/suggestions', { name: 'Same' })), ONCE);
    await createRestaurants(api, [{ name: 'Next' }]);
    assert.deepEqual(ids((await api.get('/restaurants')).body), [2, 1]);
  });
});
