import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import { allChanges, changeOf, deeds, refusal, reverted } from '../support/changes.ts';
import { field, record, textOf } from '../support/client.ts';
import { addRestaurants } from '../support/lists.ts';
import { startService } from '../support/service.ts';
import { startWorld } from '../support/world.ts';

const FULL = {
  restaurant_id: 1,
  visited_on: '2026-01-31',
  note: 'A table by the window',
  companions: ['Grace', 'Mum'],
  total_minor: 4850,
  currency: 'EUR',
  dishes: [{ name: 'Onion soup', stars: 5, price_minor: 950, note: 'Hot', again: true }],
};
const PLAIN = { note: null, companions: [], total_minor: null, currency: null, dishes: [] };

describe('a visit', () => {
  test('is logged, read, changed and deleted', async (t) => {
    const { owner, admin } = await startWorld(t);
    await addRestaurants(admin, 'A');
    const made = await owner.post('/visits', FULL);
    const { id, created_at, updated_at, ...fields } = record(made.body);
    assert.deepEqual([made.status, id, created_at], [201, 1, updated_at]);
    assert.deepEqual(fields, { ...FULL, restaurant: { id: 1, name: 'A' } });
    const location = String(made.headers.get('location'));
    assert.deepEqual((await owner.send(location, {})).body, made.body);

    const changed = await owner.put('/visits/1', { note: null, dishes: [{ name: 'Cake' }] });
    const dish = { name: 'Cake', stars: null, price_minor: null, note: null, again: null };
    assert.deepEqual(field(changed.body, 'dishes'), [dish]);
    const { note, total_minor, companions } = record(changed.body);
    assert.deepEqual([note, total_minor, companions], [null, 4850, FULL.companions]);

    assert.equal((await owner.delete('/visits/1')).status, 204);
    for (const answer of [await owner.get('/visits/1'), await owner.delete('/visits/1')])
      assert.deepEqual(refusal(answer), [404, 'Visit not found']);
  });

  test('needs nothing but its restaurant', async (t) => {
    const { api } = await startService(t);
    await addRestaurants(api, 'A');
    const { body } = await api.post('/visits', { restaurant_id: 1, companions: null, dishes: null });
    const { note, companions, total_minor, currency, dishes } = record(body);
    assert.deepEqual({ note, companions, total_minor, currency, dishes }, PLAIN);
    assert.deepEqual(refusal(await api.post('/visits', { restaurant_id: 2 })), [404, 'Restaurant not found']);
  });

  test('without a day is of today in the time zone of its restaurant, in UTC where there is none', async (t) => {
    const { api } = await startService(t);
    const honolulu = { latitude: 21.31, longitude: -157.86 };
    await createRestaurants(api, [
      { name: 'Honolulu', ...honolulu },
      { name: 'Kiritimati', latitude: 1.87, longitude: -157.43 },
      { name: 'Kiritimati by its own time zone', ...honolulu, time_zone: 'Pacific/Kiritimati' },
      { name: 'Nowhere' },
    ]);
    const today = (): string => new Date().toISOString().slice(0, 10);
    const visitedOn = async (restaurant_id: number): Promise<string> =>
      textOf((await api.post('/visits', { restaurant_id })).body, 'visited_on');
    // Two zones that never have the same day: twenty-four hours lie between them.
    const west = await visitedOn(1);
    for (const east of [2, 3]) assert.ok((await visitedOn(east)) > west);
    const before = today();
    const utc = await visitedOn(4);
    assert.ok(utc === before || utc === today());
  });

  test('is changed by its fields in the log, which undo it', async (t) => {
    const { owner, admin } = await startWorld(t);
    await addRestaurants(admin, 'A');
    const before = (await owner.post('/visits', FULL)).body;
    const change = changeOf(await owner.put('/visits/1', { dishes: [], note: 'Cold' }));
    const [made, changed] = (await allChanges(owner, 'kind=visit')).map(record);
    assert.deepEqual([made?.['name'], changed?.['fields']], ['A', ['note', 'dishes']]);
    const undoing = await reverted(owner, change);
    const { updated_at: _moves, ...after } = record((await owner.get('/visits/1')).body);
    assert.deepEqual({ ...record(before), ...after }, before);
    await reverted(owner, undoing);
    assert.deepEqual(field((await owner.get('/visits/1')).body, 'dishes'), []);
  });

  test('comes back when its deletion is undone, also when its restaurant is gone by then', async (t) => {
    const { owner, admin } = await startWorld(t);
    await addRestaurants(admin, 'A');
    const before = (await owner.post('/visits', FULL)).body;
    await reverted(owner, changeOf(await owner.delete('/visits/1')));
    assert.deepEqual((await owner.get('/visits/1')).body, before);

    const deletion = changeOf(await owner.delete('/visits/1'));
    const gone = changeOf(await admin.delete('/restaurants/1'));
    await reverted(owner, deletion);
    const { restaurant } = record((await owner.get('/visits/1')).body);
    assert.deepEqual(restaurant, { id: null, name: 'A' });
    await reverted(admin, gone);
    assert.deepEqual((await owner.get('/visits/1')).body, before);
    assert.deepEqual(deeds(await allChanges(owner, 'kind=visit')).at(-1), 'visit restore');
  });

  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', { note: 'Mine' }],
    ['DELETE', undefined],
  ] as const)
    test(`of another user is not found by ${method}, by administrators neither`, async (t) => {
      const { owner, other, admin } = await startWorld(t);
      await addRestaurants(admin, 'A');
      await owner.post('/visits', FULL);
      const headers = { 'Content-Type': 'application/json' };
      const init = { method, ...(body && { headers, body: JSON.stringify(body) }) };
      for (const api of [other, admin]) {
        assert.deepEqual(refusal(await api.send('/api/visits/1', init)), [404, 'Visit not found']);
        assert.equal(field((await api.get('/visits')).body, 'total'), 0);
      }
    });
});
