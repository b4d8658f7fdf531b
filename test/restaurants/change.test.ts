import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { array, field, ids } from '../support/client.ts';
import { startService } from '../support/service.ts';

const FIRST = {
  name: 'Old',
  address: 'Here',
  phone: '1',
  latitude: 1,
  longitude: 2,
  category_id: 1,
  food_type_ids: [1, 2],
};

describe('PUT /restaurants/{id}', () => {
  test('changes the fields that are sent, leaves the others, and answers the whole', async (t) => {
    const { api } = await startService(t);
    const before = (await api.post('/restaurants', FIRST)).body;
    await pause(2);
    const answer = await api.put('/restaurants/1', { name: 'New', unknown: 1 });
    assert.equal(answer.status, 200);
    const updated = field(answer.body, 'updated_at');
    assert.ok(String(updated) > String(field(before, 'updated_at')));
    assert.ok(typeof before === 'object');
    assert.deepEqual(answer.body, { ...before, name: 'New', updated_at: updated });
    assert.deepEqual((await api.get('/restaurants/1')).body, answer.body);
  });

  test('clears what is sent as null', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', {
      ...FIRST,
      description: 'd',
      website: 'https://a.example',
      google_place_id: 'p',
      status: 'closed',
    });
    const cleared = [
      'description',
      'address',
      'phone',
      'website',
      'latitude',
      'longitude',
      'google_place_id',
      'category_id',
    ];
    const { status, body } = await api.put('/restaurants/1', {
      ...Object.fromEntries(cleared.map((name) => [name, null])),
      food_type_ids: null,
      status: null,
    });
    assert.equal(status, 200);
    for (const name of [...cleared, 'category']) assert.equal(field(body, name), null, name);
    assert.deepEqual([field(body, 'food_types'), field(body, 'status')], [[], 'active']);
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

  const invalid: readonly [Readonly<Record<string, unknown>>, string][] = [
    [{ name: null }, 'name is required'],
    [{ name: '<b></b>' }, 'name is required'],
    [{ latitude: null }, 'latitude and longitude must be given together'],
    [{ latitude: 91 }, 'latitude must be between -90 and 90'],
    [{ category_id: 999 }, 'category_id 999 does not exist'],
    [
      { status: 'gone', phone: 5 },
      'phone must be a string; status must be one of active, temporarily_closed, closed',
    ],
  ];
  test('refuses what breaks a rule with 400 and changes nothing', async (t) => {
    const { api } = await startService(t);
    const before = (await api.post('/restaurants', FIRST)).body;
    for (const [change, error] of invalid) {
      const answer = await api.put('/restaurants/1', { address: 'Elsewhere', ...change });
      assert.deepEqual([answer.status, answer.body], [400, { error }]);
    }
    assert.deepEqual((await api.get('/restaurants/1')).body, before);
  });

  test('may move one coordinate when the other is there', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', FIRST);
    const { body } = await api.put('/restaurants/1', { latitude: 5 });
    assert.deepEqual([field(body, 'latitude'), field(body, 'longitude')], [5, 2]);
  });

  test('refuses to become the double of another with 409', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', FIRST);
    await api.post('/restaurants', { name: 'Other', address: 'Here', google_place_id: 'p' });
    for (const change of [{ name: 'OTHER' }, { google_place_id: 'p' }]) {
      const answer = await api.put('/restaurants/1', change);
      assert.deepEqual(
        [answer.status, answer.body],
        [409, { error: 'Restaurant already exists: "Other" (id 2)' }],
      );
    }
    assert.equal((await api.put('/restaurants/1', { name: 'old', address: 'HERE' })).status, 200);
  });

  test('of a restaurant that is not there is 404', async (t) => {
    const { api } = await startService(t);
    const answer = await api.put('/restaurants/1', { name: 'A' });
    assert.deepEqual([answer.status, answer.body], [404, { error: 'Restaurant not found' }]);
  });
});

describe('DELETE /restaurants/{id}', () => {
  test('removes the restaurant with its ratings: 204, and 404 from then on', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', FIRST);
    await api.post('/ratings', { restaurant_id: 1, food_rating: 1, service_rating: 1, ambiance_rating: 1 });
    const answer = await api.delete('/restaurants/1');
    assert.deepEqual([answer.status, answer.body], [204, '']);
    for (const gone of [
      await api.get('/restaurants/1'),
      await api.delete('/restaurants/1'),
      await api.get('/restaurants/1/ratings'),
    ])
      assert.deepEqual([gone.status, gone.body], [404, { error: 'Restaurant not found' }]);
    assert.equal((await api.delete('/ratings/1')).status, 404);
    assert.deepEqual(array((await api.get('/search?q=old')).body), []);
    assert.deepEqual(array((await api.get('/restaurants?lat=1&lng=2&radius=10')).body), []);
  });

  test('never uses an id again', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', FIRST);
    await api.delete('/restaurants/1');
    assert.equal(field((await api.post('/restaurants', FIRST)).body, 'id'), 2);
  });
});
