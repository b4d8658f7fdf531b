import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FULL_SUGGESTION, createRestaurants, createSuggestions } from '../../support/catalogue.ts';
import { type Client, array, field, ids } from '../../support/client.ts';
import { changeStored, readStored } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { until } from '../../support/until.ts';

// More than are detached in one transaction.
const MANY = 250;

const numbered = (place: object): object[] =>
  Array.from({ length: MANY }, (_, index) => ({ name: `Place ${index}`, ...place }));

/** All that readers can see of category 5, French, and of food type 8, Seafood. */
async function seen(api: Client): Promise<object> {
  const total = async (filter: string): Promise<unknown> =>
    field((await api.get(`/restaurants/paginated?limit=1&${filter}`)).body, 'total');
  const count = async (path: string): Promise<number> => array((await api.get(path)).body).length;
  const restaurant = (await api.get('/restaurants/1')).body;
  const [suggestion] = array((await api.get('/suggestions')).body);
  return {
    category: [field(restaurant, 'category_id'), field(restaurant, 'category')],
    foodTypes: ids(field(restaurant, 'food_types')),
    suggested: [field(suggestion, 'suggested_category_id'), ids(field(suggestion, 'food_types'))],
    totals: [
      await total('category_id=5'),
      await total('food_type_ids=8'),
      await total('food_type_ids=8&status=active'),
    ],
    listed: [
      await count('/restaurants?category_id=5'),
      await count('/restaurants?food_type_ids=8&sort=name'),
    ],
    found: [
      await count('/search?q=french'),
      await count('/search?q=seafood'),
      await count('/search?q=place+french'),
    ],
    known: [(await api.get('/categories/5')).status, (await api.get('/food-types/8')).status],
  };
}

/** Deletes category 5 and food type 8; returns the changes. */
async function removeBoth(api: Client): Promise<string[]> {
  const answers = [await api.delete('/categories/5'), await api.delete('/food-types/8')];
  return answers.map((answer) => {
    assert.equal(answer.status, 204);
    return answer.headers.get('change') ?? '';
  });
}

/** How many rows there are of both, and that refer to them. */
function left(folder: string): number {
  return readStored(
    folder,
    `SELECT id FROM categories WHERE id = 5 UNION ALL SELECT id FROM food_types WHERE id = 8
     UNION ALL SELECT id FROM restaurants WHERE category_id = 5
     UNION ALL SELECT restaurant_id FROM restaurant_food_types WHERE food_type_id = 8`,
  ).length;
}

const GONE = {
  category: [null, null],
  foodTypes: [2],
  suggested: [null, [2]],
  totals: [0, 0, 0],
  listed: [0, 0],
  found: [0, 0, 0],
  known: [404, 404],
};

describe('a deleted category or food type that many restaurants have', () => {
  test('is gone for all readers at once, and nothing refers to it in the end where it cannot come back', async (t) => {
    const { api, folder } = await startService(t, { TRASH_DAYS: '0' });
    await createRestaurants(api, numbered({ category_id: 5, food_type_ids: [8, 2] }));
    await createSuggestions(api, [{ ...FULL_SUGGESTION, food_type_ids: [8, 2] }]);
    assert.notDeepEqual(await seen(api), GONE);
    assert.equal((await api.delete('/categories/5')).status, 204);
    assert.equal((await api.delete('/food-types/8')).status, 204);
    assert.deepEqual(await seen(api), GONE);
    await until(() => left(folder) === 0);
    assert.deepEqual(await seen(api), GONE);
  });

  test('is gone for all readers as long as it can come back, and for good once its deletion is purged', async (t) => {
    const { api, folder } = await startService(t);
    await createRestaurants(api, numbered({ category_id: 5, food_type_ids: [8, 2] }));
    await createSuggestions(api, [{ ...FULL_SUGGESTION, food_type_ids: [8, 2] }]);
    const before = await seen(api);
    const all = left(folder);
    const [category, foodType] = await removeBoth(api);
    assert.deepEqual([await seen(api), left(folder)], [GONE, all]);
    for (const change of [category, foodType])
      assert.equal((await api.post(`/changes/${change}/revert`, {})).status, 200);
    assert.deepEqual([await seen(api), left(folder)], [before, all]);
    for (const change of await removeBoth(api))
      assert.equal((await api.post(`/changes/${change}/purge`, {})).status, 204);
    await until(() => left(folder) === 0);
    assert.deepEqual(await seen(api), GONE);
  });

  test('is gone for good once its deletion has expired', async (t) => {
    const { api, folder, stop } = await startService(t);
    await createRestaurants(api, numbered({ category_id: 5, food_type_ids: [8, 2] }));
    await createSuggestions(api, [{ ...FULL_SUGGESTION, food_type_ids: [8, 2] }]);
    await removeBoth(api);
    await stop();
    changeStored(
      folder,
      `UPDATE changes SET kept_until = '2026-01-01T00:00:00.000Z' WHERE action = 'delete'`,
    );
    const later = await startService(t, { DATA_DIR: folder });
    await until(() => left(folder) === 0);
    assert.deepEqual(await seen(later.api), GONE);
  });

  test('leaves its name free, and is refused as a reference', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, numbered({ category_id: 5, food_type_ids: [8] }));
    await api.delete('/categories/5');
    await api.delete('/food-types/8');
    const refused = await api.put('/restaurants/2', { category_id: 5, food_type_ids: [8] });
    assert.deepEqual(refused.body, { error: 'category_id 5 does not exist; food_type_ids 8 do not exist' });
    assert.equal((await api.put('/categories/5', { name: 'Gallic' })).status, 404);
    assert.equal((await api.delete('/categories/5')).status, 404);
    const again = await api.post('/categories', { name: 'french' });
    assert.deepEqual([again.status, Number(field(again.body, 'id')) > 10], [201, true]);
    const moved = await api.put('/restaurants/2', { category_id: field(again.body, 'id') });
    assert.equal(field(field(moved.body, 'category'), 'name'), 'french');
    assert.deepEqual(ids((await api.get('/search?q=french')).body), [2]);
  });

  test('goes on being taken away after the next start, where a crash came in between', async (t) => {
    const folder = temporaryFolder(t);
    const before = await startService(t, { DATA_DIR: folder });
    await createRestaurants(before.api, numbered({ category_id: 5, food_type_ids: [8, 2] }));
    await createSuggestions(before.api, [{ ...FULL_SUGGESTION, food_type_ids: [8, 2] }]);
    await before.stop();
    for (const [table, id] of [
      ['categories', 5],
      ['food_types', 8],
    ] as const)
      changeStored(
        folder,
        `UPDATE ${table} SET deleted_at = '2026', name_key = char(1) || id WHERE id = ?`,
        id,
      );
    const replica = await startService(t, { DATA_DIR: folder, READ_ONLY: 'true' });
    assert.deepEqual(await seen(replica.api), GONE);
    await replica.stop();
    const after = await startService(t, { DATA_DIR: folder });
    assert.deepEqual(await seen(after.api), GONE);
    await until(() => readStored(folder, 'SELECT id FROM restaurants WHERE category_id = 5').length === 0);
    await until(() => readStored(folder, 'SELECT id FROM food_types WHERE id = 8').length === 0);
    assert.deepEqual(await seen(after.api), GONE);
  });
});

describe('a renamed category or food type', () => {
  test('is found by its new name alone, at once, without a change to the index of texts', async (t) => {
    const { api, folder } = await startService(t);
    await createRestaurants(api, numbered({ category_id: 5, food_type_ids: [8] }).slice(0, 3));
    await createSuggestions(api, [FULL_SUGGESTION]);
    const index = (): unknown[] => readStored(folder, 'SELECT id, hex(block) FROM search_texts_data');
    const before = index();
    await api.put('/categories/5', { name: 'Gallic cuisine' });
    await api.put('/food-types/8', { name: 'Oysters' });
    for (const [q, found] of [
      ['french', 0],
      ['seafood', 0],
      ['gallic', 4],
      ['oysters', 4],
      ['uisin oyst', 4],
      ['ga', 4],
      ['place gallic oysters', 3],
    ] as const)
      assert.equal(array((await api.get(`/search?q=${encodeURIComponent(q)}`)).body).length, found, q);
    assert.deepEqual(index(), before);
  });
});
