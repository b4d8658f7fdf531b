import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import { changeOf, deeds, refusal, reverted } from '../support/changes.ts';
import { type Client, array, field, record, textOf } from '../support/client.ts';
import { changeStored, readStored } from '../support/people.ts';
import { upload } from '../support/photos.ts';
import { type Service, startService } from '../support/service.ts';
import { ratingOf } from '../support/world.ts';

describe('GET /restaurants/{id}/history', () => {
  async function lived(t: Parameters<typeof startService>[0]): Promise<Service> {
    const service = await startService(t);
    const { api } = service;
    await createRestaurants(api, [{ name: 'Chez Nous' }, { name: 'Autre' }]);
    await api.post('/ratings', ratingOf(1));
    await api.post('/ratings', ratingOf(2));
    await upload(api);
    await api.put('/restaurants/1', { phone: '+33 1' });
    await api.delete('/ratings/1');
    return service;
  }

  async function history(api: Client, limit: number): Promise<string[]> {
    const found: string[] = [];
    for (let since = ''; ;) {
      const { body, status } = await api.get(`/restaurants/1/history?order=newest&limit=${limit}${since}`);
      assert.equal(status, 200);
      found.push(...deeds(array(field(body, 'data')).map((change) => record(change))));
      if (field(body, 'has_more') !== true) {
        assert.equal(field(body, 'next'), null);
        return found;
      }
      since = `&since=${textOf(body, 'next')}`;
    }
  }

  test('is the restaurant’s own, and goes on after its deletion', async (t) => {
    const { api } = await lived(t);
    const all = ['rating delete', 'restaurant update', 'photo create', 'rating create', 'restaurant create'];
    for (const limit of [1, 2, 5, 1000]) assert.deepEqual(await history(api, limit), all);
    const gone = changeOf(await api.delete('/restaurants/1'));
    assert.deepEqual(await history(api, 2), ['restaurant delete', ...all]);
    await reverted(api, gone);
    assert.deepEqual(await history(api, 3), ['restaurant restore', 'restaurant delete', ...all]);
  });

  test('is found, and forgotten by a purge, however many changes of others lie between', async (t) => {
    const { api, folder } = await startService(t);
    const others = (): void => {
      changeStored(
        folder,
        `INSERT INTO changes (id, at, kind, entity_id, action, name, via)
        SELECT id + 5000, at, 'category', 1, 'update', 'Café', 'api' FROM changes ORDER BY id DESC LIMIT 1`,
      );
    };
    await createRestaurants(api, [{ name: 'Chez Nous', description: 'Secret garden' }]);
    others();
    await api.post('/ratings', ratingOf(1, 'Secret soup'));
    others();
    const all = ['rating create', 'restaurant create'];
    for (const limit of [1, 2]) assert.deepEqual(await history(api, limit), all);
    const gone = changeOf(await api.delete('/restaurants/1'));
    for (const limit of [1, 2]) assert.deepEqual(await history(api, limit), ['restaurant delete', ...all]);
    assert.equal((await api.post(`/changes/${gone}/purge`, {})).status, 204);
    assert.ok(!JSON.stringify(readStored(folder, 'SELECT * FROM changes')).includes('Secret'));
  });

  test('is 404 where neither the catalogue nor the log knows it', async (t) => {
    const { api } = await lived(t);
    assert.deepEqual(refusal(await api.get('/restaurants/99/history')), [404, 'Restaurant not found']);
    for (const query of ['order=oldest', 'limit=0', 'limit=1001', 'since=x', 'since=start'])
      assert.equal((await api.get(`/restaurants/1/history?${query}`)).status, 400, query);
  });

  test('is empty where the restaurant is older than the log', async (t) => {
    const { api, folder } = await startService(t);
    await createRestaurants(api, [{ name: 'Old' }]);
    changeStored(folder, 'DELETE FROM changes');
    assert.deepEqual((await api.get('/restaurants/1/history')).body, {
      data: [],
      next: null,
      has_more: false,
    });
  });
});
