import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { FULL_SUGGESTION, createRestaurants, createSuggestions } from '../support/catalogue.ts';
import { changeAt, changeOf, refusal, revert, reverted } from '../support/changes.ts';
import { type Client, array, field, ids, textOf } from '../support/client.ts';
import { storedFiles, upload } from '../support/photos.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { startWorld, addPhoto, ratingOf, views } from '../support/world.ts';

const MANY = 8;

/** Categories and food types alike, with what a restaurant says of them. */
const LOOKUPS = [
  {
    path: '/categories/5',
    filter: 'category_id=5',
    having: { category_id: 5 },
    other: { category_id: 6 },
    none: { category_id: null },
  },
  {
    path: '/food-types/8',
    filter: 'food_type_ids=8',
    having: { food_type_ids: [8] },
    other: { food_type_ids: [6] },
    none: { food_type_ids: [] },
  },
] as const;

async function having(api: Client, filter: string): Promise<[number[], unknown]> {
  const list = await api.get(`/restaurants?limit=1000&include_suggestions=false&${filter}`);
  const page = await api.get(`/restaurants/paginated?limit=1&include_suggestions=false&${filter}`);
  return [ids(list.body).sort((left, right) => left - right), field(page.body, 'total')];
}

describe('a deleted restaurant that is brought back', () => {
  longTest('is as it was, with ratings, photos, suggestion and whose they are', async (t) => {
    const { owner, other, admin, service } = await startWorld(t, { WRITE_ACCESS: 'admins' });
    await createSuggestions(owner, [FULL_SUGGESTION]);
    await admin.post('/suggestions/1/convert', {});
    await owner.post('/ratings', ratingOf(2, 'Mine'));
    await other.post('/ratings', ratingOf(2, 'Hers'));
    const photo = await addPhoto(owner, 2);
    const before = await views(admin);
    const file = await admin.send(textOf(photo, 'url'), {});
    const gone = changeOf(await admin.delete('/restaurants/2'));
    assert.equal((await admin.send(textOf(photo, 'url'), {})).status, 404);
    assert.deepEqual(await admin.get('/restaurants/2/photos').then(({ status }) => status), 404);
    const back = await reverted(admin, gone);
    assert.deepEqual(await views(admin), before);
    const again = await admin.send(textOf(photo, 'url'), {});
    assert.deepEqual([again.status, again.body], [200, file.body]);
    const { action, reverts, before: none, after } = await changeAt(admin, back);
    assert.deepEqual([action, reverts, none], ['restore', gone, null]);
    assert.deepEqual([ids(field(after, 'ratings')), ids(field(after, 'photos'))], [[1, 2], [1]]);
    // Whose they are is not answered, but decides who may remove them.
    assert.equal((await other.delete('/ratings/1')).status, 403);
    assert.equal((await owner.delete('/ratings/1')).status, 204);
    assert.equal((await owner.patch('/photos/1', { caption: 'Still mine' })).status, 200);
    assert.equal(storedFiles(service.folder).length, 1);
  });

  test('leaves what is new to new ids, and is found by search again', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'Chez Nous', category_id: 5 }]);
    const gone = changeOf(await api.delete('/restaurants/1'));
    assert.deepEqual(await createRestaurants(api, [{ name: 'Autre' }]), [2]);
    assert.deepEqual(ids((await api.get('/search?q=nous')).body), []);
    await reverted(api, gone);
    assert.deepEqual(ids((await api.get('/search?q=nous')).body), [1]);
    assert.deepEqual(ids((await api.get('/search?q=french')).body), [1]);
  });
});

describe('a deleted suggestion that had become a restaurant', () => {
  test('is what that one was made of again', async (t) => {
    const { api } = await startService(t);
    await createSuggestions(api, [FULL_SUGGESTION]);
    await api.post('/suggestions/1/convert', {});
    const before = await views(api);
    const gone = changeOf(await api.delete('/suggestions/1'));
    assert.equal(field((await api.get('/restaurants/2')).body, 'suggestion_id'), null);
    await reverted(api, gone);
    assert.deepEqual(await views(api), before);
  });

  test('is not, where it was another one that became the same restaurant', async (t) => {
    const { api } = await startService(t);
    await createSuggestions(api, [FULL_SUGGESTION, { name: 'Autre' }]);
    await api.post('/suggestions/2/convert', { name: 'Chez Nous', address: FULL_SUGGESTION.address });
    await api.delete('/suggestions/2');
    const gone = changeOf(await api.delete('/suggestions/1'));
    await reverted(api, gone);
    assert.equal(field((await api.get('/restaurants/3')).body, 'suggestion_id'), null);
    assert.equal(field((await api.get('/suggestions/1')).body, 'restaurant_id'), 3);
  });
});

async function restored(t: TestContext, lookup: (typeof LOOKUPS)[number]): Promise<void> {
  const { api } = await startService(t);
  const { path, filter, having: own, other, none } = lookup;
  const places = Array.from({ length: MANY }, (_, index) => ({ name: `Place ${index}`, ...own }));
  await createRestaurants(api, places);
  await createSuggestions(api, [{ ...FULL_SUGGESTION, suggested_category_id: 5, food_type_ids: [8, 2] }]);
  const before = await views(api);
  const first = changeOf(await api.delete(path));
  await reverted(api, first);
  assert.deepEqual(await views(api), before);

  const gone = changeOf(await api.delete(path));
  // Another one in its place, none, something else of it, deleted, deleted and back, and one that is new.
  await api.put('/restaurants/1', other);
  await api.put('/restaurants/2', none);
  await api.put('/restaurants/3', { phone: '+33 1' });
  await api.delete('/restaurants/4');
  await reverted(api, changeOf(await api.delete('/restaurants/5')));
  const [fresh = 0] = await createRestaurants(api, [{ name: 'New' }]);
  assert.deepEqual(await having(api, filter), [[], 0]);
  await reverted(api, gone);
  const all = Array.from({ length: MANY }, (_, index) => index + 1);
  // A list of food types has no one place that another could take.
  const attached = all.filter((id) => id !== 4 && (id !== 1 || 'food_type_ids' in own));
  assert.deepEqual(await having(api, filter), [attached, attached.length]);
  assert.ok(!attached.includes(fresh));
}

describe('a deleted category or food type that is brought back', () => {
  for (const lookup of LOOKUPS)
    longTest(`is had again where nothing took its place: ${lookup.path}`, async (t) => {
      await restored(t, lookup);
    });

  test('is had by a restaurant that comes back later', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'A', category_id: 5, food_type_ids: [8] }]);
    const place = changeOf(await api.delete('/restaurants/1'));
    const gone = changeOf(await api.delete('/categories/5'));
    assert.equal(refusal(await revert(api, place))[0], 409);
    await reverted(api, gone);
    await reverted(api, place);
    assert.deepEqual(await having(api, 'category_id=5'), [[1], 1]);
  });
});

describe('a deleted photo or rating that is brought back', () => {
  test('is as it was, and its file is served again', async (t) => {
    const { api, folder } = await startService(t);
    await createRestaurants(api, [{ name: 'A' }]);
    await api.post('/ratings', ratingOf(1));
    const photo = (await upload(api)).body;
    const before = await views(api);
    const gone = [changeOf(await api.delete('/photos/1')), changeOf(await api.delete('/ratings/1'))];
    assert.deepEqual(array((await api.get('/restaurants/1/ratings')).body), []);
    for (const id of gone) await reverted(api, id);
    assert.deepEqual(await views(api), before);
    assert.equal((await api.send(textOf(photo, 'url'), {})).status, 200);
    // Not even a second deletion finds its file twice.
    await reverted(api, changeOf(await api.delete('/photos/1')));
    assert.equal(storedFiles(folder).length, 1);
  });
});

describe('two reverts of one change at once', () => {
  test('are one revert, and a refusal', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'A' }]);
    const gone = changeOf(await api.delete('/restaurants/1'));
    const answers = await Promise.all(Array.from({ length: 8 }, () => revert(api, gone)));
    const [refused, done] = [409, 200].map((wanted) => answers.filter(({ status }) => status === wanted));
    assert.deepEqual([done?.length, refused?.length], [1, 7]);
    const sentence = `Change ${gone} cannot be reverted: it was reverted by change ${gone + 1}`;
    for (const answer of refused ?? []) assert.equal(field(answer.body, 'error'), sentence);
  });
});
