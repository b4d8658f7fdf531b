import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FULL_SUGGESTION } from '../support/catalogue.ts';
import { type Answer, type Client, createClient, record } from '../support/client.ts';
import { phonePhoto } from '../support/image-metadata.ts';
import { upload } from '../support/photos.ts';
import { startService } from '../support/service.ts';

const RATING = { restaurant_id: 1, food_rating: 5, service_rating: 4, ambiance_rating: 3 };

// What is created, in this order, and what the answer has beyond the thing itself.
const CREATIONS: readonly (readonly [string, (api: Client) => Promise<Answer>, readonly string[]])[] = [
  ['a restaurant', (api) => api.post('/restaurants', { name: 'Chez Nous' }), []],
  ['a rating', (api) => api.post('/ratings', RATING), []],
  ['a category', (api) => api.post('/categories', { name: 'Breton' }), []],
  ['a food type', (api) => api.post('/food-types', { name: 'Crêpes' }), []],
  ['a suggestion', (api) => api.post('/suggestions', FULL_SUGGESTION), []],
  ['a conversion', (api) => api.post('/suggestions/2/convert', {}), ['restaurant_id', 'message']],
  ['a photo', (api) => upload(api, phonePhoto(20_000, 1)), ['photo']],
];

describe('the Location of what was created', () => {
  test('leads everyone to the thing itself', async (t) => {
    const service = await startService(t);
    const stranger = createClient(service.url);
    for (const [title, create, beyond] of CREATIONS) {
      const created = await create(service.api);
      assert.equal(created.status, 201, title);
      const location = created.headers.get('location') ?? '';
      const found = await stranger.send(location, {});
      const expected = Object.entries(record(created.body)).filter(([name]) => !beyond.includes(name));
      assert.deepEqual([found.status, found.body], [200, Object.fromEntries(expected)], title);
    }
  });

  test('is 404 once the thing is gone, and 400 for what is no id', async (t) => {
    const { api } = await startService(t);
    for (const [, create] of CREATIONS) await create(api);
    for (const [path, noun] of [
      ['/ratings', 'Rating'],
      ['/photos', 'Photo'],
    ] as const) {
      assert.equal((await api.delete(`${path}/1`)).status, 204);
      const gone = await api.get(`${path}/1`);
      assert.deepEqual([gone.status, gone.body], [404, { error: `${noun} not found` }]);
      const wrong = await api.get(`${path}/one`);
      assert.deepEqual([wrong.status, wrong.body], [400, { error: `Invalid ${noun.toLowerCase()} ID` }]);
    }
  });
});
