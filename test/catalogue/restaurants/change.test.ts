import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refusal } from '../../support/changes.ts';
import { field, ids, record, textOf } from '../../support/client.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { ratingOf } from '../../support/world.ts';

const PLACE = { latitude: 1, longitude: 2 };
const FIRST = { ...PLACE, name: 'Old', address: 'Here', phone: '1', category_id: 1, food_type_ids: [1, 2] };

describe('PUT /restaurants/{id}', () => {
  test('changes the fields that are sent, leaves the others, and answers the whole', async (t) => {
    const { api } = await startService(t);
    const before = record((await api.post('/restaurants', FIRST)).body);
    await until(() => new Date().toISOString() > textOf(before, 'updated_at'));
    const { status, body } = await api.put('/restaurants/1', { name: 'New', unknown: 1 });
    const updated_at = textOf(body, 'updated_at');
    assert.ok(updated_at > textOf(before, 'updated_at'));
    assert.deepEqual([status, body], [200, { ...before, name: 'New', updated_at }]);
    assert.deepEqual((await api.get('/restaurants/1')).body, body);
  });

  test('clears what is sent as null', async (t) => {
    const { api } = await startService(t);
    const more = { description: 'd', website: 'https://a.example', google_place_id: 'p', status: 'closed' };
    const { status, body } = await api.post('/restaurants', { ...FIRST, ...more });
    assert.equal(status, 201);
    const { name: _name, food_type_ids: _ids, ...others } = { ...FIRST, ...more };
    const nothing = Object.fromEntries(Object.keys(others).map((name) => [name, null]));
    const cleared = await api.put('/restaurants/1', { ...nothing, food_type_ids: null });
    const { updated_at, time_zone, external_ids } = record(cleared.body);
    const expected = { ...nothing, category: null, food_types: [], status: 'active' };
    assert.deepEqual(cleared.body, { ...record(body), ...expected, updated_at, time_zone, external_ids });
  });

  test('replaces the set of food types', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', FIRST);
    const { body } = await api.put('/restaurants/1', { food_type_ids: [2, 3, 3] });
    assert.deepEqual(ids(field(body, 'food_types')).sort(), [2, 3]);
  });

  test('takes a restaurant as it was read', async (t) => {
    const { api } = await startService(t);
    const { body } = await api.post('/restaurants', FIRST);
    assert.equal((await api.put('/restaurants/1', body)).status, 200);
  });

  test('may move one coordinate when the other is there, and clear both alone', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', FIRST);
    const { body } = await api.put('/restaurants/1', { latitude: 5 });
    assert.deepEqual([field(body, 'latitude'), field(body, 'longitude')], [5, 2]);
    const together = 'latitude and longitude must be given together';
    const both = `phone must be a string; ${together}`;
    assert.deepEqual(refusal(await api.put('/restaurants/1', { latitude: null })), [400, together]);
    assert.deepEqual(refusal(await api.put('/restaurants/1', { latitude: null, phone: 5 })), [400, both]);
    assert.deepEqual((await api.get('/restaurants/1')).body, body);
  });

  test('refuses to become the double of another with 409', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', FIRST);
    await api.post('/restaurants', { name: 'Other', address: 'Here', google_place_id: 'p' });
    const refused = [409, 'Restaurant already exists: "Other" (id 2)'];
    for (const change of [{ name: 'OTHER' }, { google_place_id: 'p' }])
      assert.deepEqual(refusal(await api.put('/restaurants/1', change)), refused);
    assert.equal((await api.put('/restaurants/1', { name: 'old', address: 'HERE' })).status, 200);
  });

  test('of a restaurant that is not there is 404', async (t) => {
    const { api } = await startService(t);
    assert.deepEqual(refusal(await api.put('/restaurants/1', { name: 'A' })), [404, 'Restaurant not found']);
  });
});

describe('DELETE /restaurants/{id}', () => {
  test('removes the restaurant with its ratings: 204, and 404 from then on', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', FIRST);
    await api.post('/ratings', ratingOf(1));
    const { status, body } = await api.delete('/restaurants/1');
    assert.deepEqual([status, body], [204, '']);
    const gone = [404, 'Restaurant not found'];
    assert.deepEqual(refusal(await api.get('/restaurants/1')), gone);
    assert.deepEqual(refusal(await api.delete('/restaurants/1')), gone);
    assert.deepEqual(refusal(await api.get('/restaurants/1/ratings')), gone);
    assert.equal((await api.delete('/ratings/1')).status, 404);
    assert.deepEqual((await api.get('/search?q=old')).body, []);
    assert.deepEqual((await api.get('/restaurants?lat=1&lng=2&radius=10')).body, []);
  });

  test('never uses an id again', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', FIRST);
    await api.delete('/restaurants/1');
    assert.equal(field((await api.post('/restaurants', FIRST)).body, 'id'), 2);
  });
});
