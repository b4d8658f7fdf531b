import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import { type Client, array, field } from '../support/client.ts';
import { startService } from '../support/service.ts';
import { startWorld } from '../support/world.ts';

const WORLD = '/restaurants/map?bbox=-180,-90,180,90&zoom=3';

/** Names and flags, in the order of the map. */
async function flagsOf(api: Client, query: string): Promise<readonly (readonly unknown[])[]> {
  const { status, body } = await api.get(WORLD + query);
  assert.equal(status, 200);
  return array(field(body, 'points')).map((point) => [array(point)[5], array(point)[4]]);
}

describe('the flags of a map', () => {
  test('tell pending suggestions and places that are closed', async (t) => {
    const { api } = await startService(t);
    const at = { latitude: 1, longitude: 1 };
    await createRestaurants(api, [
      { name: 'Open', ...at },
      { name: 'On holiday', ...at, status: 'temporarily_closed' },
      { name: 'Gone', ...at, status: 'closed' },
    ]);
    await api.post('/suggestions', { name: 'Soon', ...at });
    const restaurants = [
      ['Open', 0],
      ['On holiday', 2],
      ['Gone', 4],
    ];
    assert.deepEqual(await flagsOf(api, ''), [...restaurants, ['Soon', 1]]);
    assert.deepEqual(await flagsOf(api, '&include_suggestions=false'), restaurants);
    assert.deepEqual(await flagsOf(api, '&open_at=now'), [['Open', 0]]);
    assert.deepEqual(await flagsOf(api, '&q=soon'), [['Soon', 1]]);
    await api.patch('/suggestions/4/status', { status: 'rejected' });
    assert.deepEqual(await flagsOf(api, ''), restaurants);
  });

  test('tell with include=mine what the caller has noted, and nothing of others', async (t) => {
    const { owner, other, service } = await startWorld(t);
    const bodies = ['None', 'Want', 'Favourite', 'Been', 'All'].map((name, index) => {
      return { name, latitude: index, longitude: 0, ...(name === 'All' && { status: 'closed' }) };
    });
    await createRestaurants(owner, bodies);
    for (const id of [2, 5]) await owner.put(`/lists/want/items/${id}`, {});
    for (const id of [3, 5]) await owner.put(`/lists/favourites/items/${id}`, {});
    for (const id of [4, 5]) await owner.post('/visits', { restaurant_id: id });
    const noted = [
      ['None', 0],
      ['Want', 8],
      ['Favourite', 16],
      ['Been', 32],
      ['All', 60],
    ];
    const plain = noted.map(([name]) => [name, name === 'All' ? 4 : 0]);
    assert.deepEqual(await flagsOf(owner, '&include=mine'), noted);
    assert.deepEqual(await flagsOf(other, '&include=mine'), plain);
    for (const api of [owner, other, service.api]) assert.deepEqual(await flagsOf(api, ''), plain);
    assert.deepEqual(await flagsOf(owner, '&list=want'), [
      ['Want', 0],
      ['All', 4],
    ]);
    assert.deepEqual(await flagsOf(owner, '&visited=yes&include=mine'), [
      ['Been', 32],
      ['All', 60],
    ]);
  });
});
