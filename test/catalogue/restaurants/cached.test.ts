import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { Moves } from '../../../src/catalogue/restaurants/moves.ts';
import { RestaurantStore } from '../../../src/catalogue/restaurants/store.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { FULL_SUGGESTION, createRestaurants, createSuggestions, rate } from '../../support/catalogue.ts';
import { type Cleanup, atEnd } from '../../support/cleanup.ts';
import { type Client, array, field } from '../../support/client.ts';
import { openWrites } from '../../support/log.ts';
import { type Service, startService } from '../../support/service.ts';
import { SCALE, longTest } from '../../support/size.ts';

const CENTRE = { latitude: 48.86, longitude: 2.33 };
const READS = [
  '/restaurants',
  '/restaurants?lat=48.85&lng=2.32&radius=50',
  '/restaurants/1',
  '/restaurants/2',
  '/restaurants/1/ratings',
  '/restaurants/paginated?limit=2',
  '/restaurants/paginated?category_id=5&sort=name',
  '/restaurants/paginated?food_type_ids=8&sort=rating',
  '/restaurants/paginated?lat=48.85&lng=2.32',
  '/search?q=chez',
  '/search?q=french',
  '/search?q=seafood',
  '/categories',
  '/categories/5',
  '/food-types',
  '/food-types/8',
  '/suggestions',
  '/suggestions/4',
];

/** Answers are stored when they are asked for a second time. */
async function storeAll(api: Client): Promise<unknown> {
  await readAll(api);
  return readAll(api);
}

/** All answers; with `more` in their addresses they are none that was asked for before. */
async function readAll(api: Client, more = ''): Promise<readonly (readonly [string, number, unknown])[]> {
  const all: (readonly [string, number, unknown])[] = [];
  for (const path of READS) {
    const { status, body } = await api.get(`${path}${path.includes('?') ? '&' : '?'}${more}`);
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
  const suggested = { ...FULL_SUGGESTION, google_place_id: null };
  await createSuggestions(
    service.api,
    ['Chez Eux', 'Chez Elles', 'Chez Tous'].map((name) => ({ ...suggested, name })),
  );
  await rate(service.api, 1, 4);
  await rate(service.api, 2, 2);
  return service;
}

const one = { restaurant_id: 1, food_rating: 1, service_rating: 1, ambiance_rating: 1 };
// Each is made to what those before it leave.
const WRITES: readonly [string, (api: Client) => Promise<{ readonly status: number }>][] = [
  ['a new restaurant', (api) => api.post('/restaurants', { ...CENTRE, name: 'Chez Toi' })],
  ['a changed restaurant', (api) => api.put('/restaurants/1', { name: 'Chez Moi', status: 'closed' })],
  ['other food types', (api) => api.put('/restaurants/1', { food_type_ids: [3, 8] })],
  ['another category', (api) => api.put('/restaurants/2', { category_id: 1 })],
  ['a rating', (api) => api.post('/ratings', one)],
  ['a rating that is gone', (api) => api.delete('/ratings/1')],
  ['a renamed category', (api) => api.put('/categories/5', { name: 'Gallic' })],
  ['a category that is gone', (api) => api.delete('/categories/5')],
  ['a new category', (api) => api.post('/categories', { name: 'Breton' })],
  ['a renamed food type', (api) => api.put('/food-types/8', { name: 'Oysters' })],
  ['a food type that is gone', (api) => api.delete('/food-types/8')],
  ['a new food type', (api) => api.post('/food-types', { name: 'Crêpes' })],
  ['a new suggestion', (api) => api.post('/suggestions', { name: 'Chez Lui' })],
  ['a rejected suggestion', (api) => api.patch('/suggestions/4/status', { status: 'rejected' })],
  ['a converted suggestion', (api) => api.post('/suggestions/5/convert', { status: 'active' })],
  ['a suggestion that is gone', (api) => api.delete('/suggestions/6')],
  ['a restaurant that is gone', (api) => api.delete('/restaurants/1')],
];

describe('the cache of answers', () => {
  longTest('is made anew after each write', async (t) => {
    const service = await withPlaces(t);
    let before = await storeAll(service.api);
    assert.deepEqual(await readAll(service.api), before);
    for (const [index, [title, write]] of WRITES.entries()) {
      const { status } = await write(service.api);
      assert.ok(status === 200 || status === 201 || status === 204, `${title}: status ${status}`);
      const after = await readAll(service.api);
      assert.notDeepEqual(after, before, title);
      assert.deepEqual(after, await readAll(service.api, `turn=${index}`), title);
      // A service takes long to start.
      if (SCALE >= 1 || index % 4 === 0) assert.deepEqual(after, await readAfresh(t, service), title);
      before = await readAll(service.api);
      assert.deepEqual(before, after, title);
    }
  });

  longTest('is made anew after another process wrote', async (t) => {
    const service = await withPlaces(t);
    await storeAll(service.api);
    const other = openStorage(service.folder);
    atEnd(t, other.close);
    const store = new RestaurantStore(
      other.queries.file('restaurants'),
      new Moves(other.queries.file('moves')),
    );
    const begin = openWrites(other);
    await other.transactions.write(() => store.update(1, { name: 'Chez Personne' }, begin()));
    assert.equal(field((await service.api.get('/restaurants/1')).body, 'name'), 'Chez Personne');
    assert.deepEqual(await readAll(service.api), await readAfresh(t, service));
  });

  longTest('holds nothing of a write that was refused in its middle', async (t) => {
    const service = await withPlaces(t);
    const before = await storeAll(service.api);
    const twin = { name: 'Chez Nous', address: '1 Rue du Bac' };
    assert.equal((await service.api.put('/restaurants/2', twin)).status, 409);
    assert.equal((await service.api.post('/ratings', { ...one, restaurant_id: 99 })).status, 404);
    assert.deepEqual(await readAll(service.api), before);
  });

  longTest('distinguishes addresses as they were sent', async (t) => {
    const { api } = await withPlaces(t);
    await storeAll(api);
    assert.equal((await api.get('/restaurants/1/ratings')).status, 200);
    assert.equal((await api.get('/restaurants/1%2Fratings')).status, 400);
    assert.equal((await api.get('/restaurants?limit=1')).status, 200);
    assert.equal((await api.get('/restaurants?limit=0')).status, 400);
  });

  longTest('stays true while many read and write at once', async (t) => {
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

/** More than is answered in one piece. */
async function withMany(t: Cleanup): Promise<Service> {
  const service = await startService(t);
  const long = { description: 'All work and no play. '.repeat(40) };
  await createRestaurants(
    service.api,
    Array.from({ length: 90 }, (_, index) => ({ ...long, name: `Chez ${index}` })),
  );
  return service;
}

const tagOf = ({ headers }: { readonly headers: Headers }): string => headers.get('etag') ?? '';

describe('a list that is sent in pieces', () => {
  longTest('has a tag while nothing is written, by which it is not sent again', async (t) => {
    const { api } = await withMany(t);
    const first = await api.get('/restaurants');
    assert.equal(array(first.body).length, 90);
    assert.equal(first.headers.get('content-length'), null);
    assert.match(tagOf(first), /^W\/"[\w.-]+"$/);
    assert.equal(tagOf(await api.get('/restaurants')), tagOf(first));
    const again = await api.get('/restaurants', { 'If-None-Match': tagOf(first) });
    assert.deepEqual([again.status, again.body, tagOf(again)], [304, '', tagOf(first)]);
  });

  longTest('has another one after any write, and after a new start', async (t) => {
    const service = await withMany(t);
    const { api } = service;
    const known = tagOf(await api.get('/restaurants'));
    await api.put('/restaurants/1', { name: 'Chez Personne' });
    const changed = await api.get('/restaurants', { 'If-None-Match': known });
    assert.deepEqual([changed.status, array(changed.body).length], [200, 90]);
    await service.stop();
    const started = await startService(t, { DATA_DIR: service.folder });
    const answer = await started.api.get('/restaurants', { 'If-None-Match': `${known}, ${tagOf(changed)}` });
    assert.equal(answer.status, 200);
  });
});
