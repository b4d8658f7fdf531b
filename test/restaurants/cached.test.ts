import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurantStore } from '../../src/restaurants/store.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { FULL_SUGGESTION, createRestaurants, createSuggestions, rate } from '../support/catalogue.ts';
import { type Cleanup, atEnd } from '../support/cleanup.ts';
import { type Client, field } from '../support/client.ts';
import { openWrites } from '../support/log.ts';
import { type Service, startService } from '../support/service.ts';

const CENTRE = { latitude: 48.86, longitude: 2.33 };
const READS = [
  ...['/restaurants', '/restaurants?limit=3', '/restaurants?lat=48.85&lng=2.32&radius=50'],
  ...['/restaurants/1', '/restaurants/2', '/restaurants/3', '/restaurants/1/ratings'],
  ...['/restaurants/paginated?limit=2', '/restaurants/paginated?category_id=5&sort=name'],
  ...['/restaurants/paginated?food_type_ids=8&sort=rating', '/restaurants/paginated?lat=48.85&lng=2.32'],
  ...['/search?q=chez', '/search?q=french', '/search?q=seafood', '/search?q=rue'],
  ...['/categories', '/categories/5', '/food-types', '/food-types/8', '/suggestions', '/suggestions/4'],
];

/** Answers are stored when they are asked for a second time. */
async function storeAll(api: Client): Promise<unknown> {
  await readAll(api);
  return readAll(api);
}

async function readAll(api: Client): Promise<readonly (readonly [string, number, unknown])[]> {
  const all: (readonly [string, number, unknown])[] = [];
  for (const path of READS) {
    const { status, body } = await api.get(path);
    all.push([path, status, body]);
  }
  return all;
}

/** The answer of a service that has cached nothing yet. */
async function readAfresh(t: Cleanup, { folder }: Service): Promise<unknown> {
  const fresh = await startService(t, { DATA_DIR: folder, READ_ONLY: 'true' });
  const all = await readAll(fresh.api);
  await fresh.stop();
  return all;
}

async function withPlaces(t: Cleanup): Promise<Service> {
  const service = await startService(t);
  const place = { ...CENTRE, category_id: 5, food_type_ids: [8, 2] };
  await createRestaurants(service.api, [
    { ...place, name: 'Chez Nous', address: '1 Rue du Bac' },
    { ...place, name: 'Chez Vous', latitude: 48.87 },
    { name: 'Elsewhere', category_id: 1 },
  ]);
  await createSuggestions(service.api, [{ ...FULL_SUGGESTION, name: 'Chez Eux' }]);
  await rate(service.api, 1, 4);
  await rate(service.api, 2, 2);
  return service;
}

const one = { restaurant_id: 1, food_rating: 1, service_rating: 1, ambiance_rating: 1 };
const WRITES: readonly [string, (api: Client) => Promise<{ readonly status: number }>][] = [
  ['a new restaurant', (api) => api.post('/restaurants', { ...CENTRE, name: 'Chez Toi' })],
  ['a changed restaurant', (api) => api.put('/restaurants/1', { name: 'Chez Moi', status: 'closed' })],
  ['other food types', (api) => api.put('/restaurants/1', { food_type_ids: [3] })],
  ['another category', (api) => api.put('/restaurants/2', { category_id: 1 })],
  ['a rating', (api) => api.post('/ratings', one)],
  ['a rating that is gone', (api) => api.delete('/ratings/1')],
  ['a restaurant that is gone', (api) => api.delete('/restaurants/1')],
  ['a renamed category', (api) => api.put('/categories/5', { name: 'Gallic' })],
  ['a category that is gone', (api) => api.delete('/categories/5')],
  ['a new category', (api) => api.post('/categories', { name: 'Breton' })],
  ['a renamed food type', (api) => api.put('/food-types/8', { name: 'Oysters' })],
  ['a food type that is gone', (api) => api.delete('/food-types/8')],
  ['a new food type', (api) => api.post('/food-types', { name: 'Crêpes' })],
  ['a new suggestion', (api) => api.post('/suggestions', { name: 'Chez Lui' })],
  ['a rejected suggestion', (api) => api.patch('/suggestions/4/status', { status: 'rejected' })],
  ['a converted suggestion', (api) => api.post('/suggestions/4/convert', { status: 'active' })],
  ['a suggestion that is gone', (api) => api.delete('/suggestions/4')],
];

describe('the cache of answers', () => {
  for (const [title, write] of WRITES)
    test(`is made anew after ${title}`, async (t) => {
      const service = await withPlaces(t);
      const before = await storeAll(service.api);
      assert.deepEqual(await readAll(service.api), before);
      const { status } = await write(service.api);
      assert.ok(status === 200 || status === 201 || status === 204, `status ${status}`);
      const after = await readAll(service.api);
      assert.notDeepEqual(after, before);
      assert.deepEqual(after, await readAfresh(t, service));
    });

  test('is made anew after another process wrote', async (t) => {
    const service = await withPlaces(t);
    await storeAll(service.api);
    const other = openStorage(service.folder);
    atEnd(t, other.close);
    const store = createRestaurantStore(other.queries.file('restaurants'));
    const begin = openWrites(other);
    await other.transactions.write(() => store.update(1, { name: 'Chez Personne' }, begin()));
    assert.equal(field((await service.api.get('/restaurants/1')).body, 'name'), 'Chez Personne');
    assert.deepEqual(await readAll(service.api), await readAfresh(t, service));
  });

  test('holds nothing of a write that was refused in its middle', async (t) => {
    const service = await withPlaces(t);
    const before = await storeAll(service.api);
    const twin = { name: 'Chez Nous', address: '1 Rue du Bac' };
    assert.equal((await service.api.put('/restaurants/2', twin)).status, 409);
    assert.equal((await service.api.post('/ratings', { ...one, restaurant_id: 99 })).status, 404);
    assert.deepEqual(await readAll(service.api), before);
  });

  test('distinguishes addresses as they were sent', async (t) => {
    const { api } = await withPlaces(t);
    await storeAll(api);
    assert.equal((await api.get('/restaurants/1/ratings')).status, 200);
    assert.equal((await api.get('/restaurants/1%2Fratings')).status, 400);
    assert.equal((await api.get('/restaurants?limit=1')).status, 200);
    assert.equal((await api.get('/restaurants?limit=0')).status, 400);
  });

  test('stays true while many read and write at once', async (t) => {
    const { api } = await withPlaces(t);
    const count = async (): Promise<number> =>
      Number(field(field((await api.get('/restaurants/1')).body, 'avg_rating'), 'count'));
    const read = async (): Promise<void> => {
      for (let turn = 0, last = 1; turn < 30; turn += 1) {
        const counted = await count();
        assert.ok(counted >= last && counted <= 31, `${counted} after ${last}`);
        last = counted;
      }
    };
    const write = async (): Promise<void> => {
      for (let turn = 0; turn < 15; turn += 1) {
        const known = await count();
        await rate(api, 1, 3);
        assert.ok((await count()) > known);
      }
    };
    await Promise.all([read(), write(), read(), write()]);
    assert.equal(await count(), 31);
  });
});
