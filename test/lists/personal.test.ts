import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { openPersonal } from '../../src/personal.ts';
import type { Personal } from '../../src/restaurants/personal.ts';
import { openExistingStorage } from '../../src/storage/storage.ts';
import { addItems, addList, addRestaurants } from '../support/lists.ts';
import { type World, ratingOf, startWorld } from '../support/world.ts';

/** Restaurants 1 to 3; alice wants 1 and 3, has 1 among her favourites and on two lists, has rated it and been there. */
async function furnished(t: TestContext): Promise<{ world: World; personal: Personal; lists: number[] }> {
  const world = await startWorld(t);
  const { owner, admin, service } = world;
  await addRestaurants(admin, 'A', 'B', 'C');
  await addItems(owner, 'want', [1, 3]);
  await addItems(owner, 'favourites', [1]);
  const lists = [await addList(owner, 'Lyon'), await addList(owner, 'Berlin')];
  for (const list of lists) await addItems(owner, list, [1]);
  for (const comment of ['First', 'Second']) await owner.post('/ratings', ratingOf(1, comment));
  for (const day of ['2026-01-02', '2026-01-31', '2026-01-01'])
    await owner.post('/visits', { restaurant_id: 1, visited_on: day });
  await owner.post('/visits', { restaurant_id: 2, visited_on: '2025-01-01' });
  const storage = openExistingStorage(service.folder);
  t.after(storage.close);
  return { world, personal: openPersonal(storage.queries), lists };
}

/** The JSON texts as values. */
function parsedMap(texts: ReadonlyMap<number, string>): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...texts].map(([id, text]): [number, unknown] => [id, JSON.parse(text)]));
}

const NOTHING = {
  lists: [],
  want: false,
  favourite: false,
  rating_id: null,
  visits: 0,
  last_visited_on: null,
};

describe('what a user notes of restaurants', () => {
  test('is there for each of them at once', async (t) => {
    const { world, personal, lists } = await furnished(t);
    const { owner, other } = world.people;
    assert.deepEqual(parsedMap(personal.mine(owner.id, [3, 1, 2, 99])), {
      1: { lists, want: true, favourite: true, rating_id: 2, visits: 3, last_visited_on: '2026-01-31' },
      2: { ...NOTHING, visits: 1, last_visited_on: '2025-01-01' },
      3: { ...NOTHING, want: true },
      99: NOTHING,
    });
    for (const id of [other.id, null]) assert.deepEqual(parsedMap(personal.mine(id, [1])), { 1: NOTHING });
    assert.equal(personal.mine(owner.id, []).size, 0);
  });

  test('is without a restaurant that is deleted, until it comes back', async (t) => {
    const { world, personal } = await furnished(t);
    const { owner } = world.people;
    await world.admin.delete('/restaurants/1');
    assert.deepEqual([...personal.visited(owner.id)], [2]);
    assert.deepEqual(personal.listed(owner.id, 'want'), [3]);
    assert.deepEqual(personal.listed(owner.id, 'favourites'), []);
  });

  test('is found by list and by visits', async (t) => {
    const { world, personal, lists } = await furnished(t);
    const { owner, other } = world.people;
    assert.deepEqual([...personal.visited(owner.id)].sort(), [1, 2]);
    assert.deepEqual([...(personal.listed(owner.id, 'want') ?? [])].sort(), [1, 3]);
    assert.deepEqual(personal.listed(owner.id, lists[0] ?? 0), [1]);
    assert.deepEqual([personal.listed(other.id, 'want'), personal.listed(null, 'want')], [[], []]);
    for (const list of [lists[0] ?? 0, 99999]) assert.equal(personal.listed(other.id, list), undefined);
    assert.deepEqual(personal.visited(other.id), []);
  });
});
