import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FULL_SUGGESTION } from '../../support/catalogue.ts';
import { allChanges, changeAt, changeOf, deeds, refusal, reverted } from '../../support/changes.ts';
import { type Client, array, bodyOf, field, headerValues, idOf, ids, record } from '../../support/client.ts';
import { addItems, addList, addMembers, addRestaurants, namesOn, putItem } from '../../support/lists.ts';
import { TWINS, allViews, faultsIn, merge, merged, startTwins } from '../../support/merges.ts';
import { longTest } from '../../support/size.ts';
import { addPhoto, ratingOf } from '../../support/world.ts';

const notesOn = async (api: Client, list: number | string): Promise<unknown[]> =>
  array((await api.get(`/lists/${list}/items`)).body).map((item) => [
    field(field(item, 'restaurant'), 'id'),
    field(item, 'note'),
  ]);

/** How many ratings a restaurant has, and what they say of the food. */
function ratingsOf(restaurant: unknown): unknown[] {
  const average = field(restaurant, 'avg_rating');
  return [field(average, 'count'), field(average, 'food')];
}

describe('merging restaurants', () => {
  test('fills what is empty in the one that stays, in order, and overwrites nothing', async (t) => {
    const { admin } = await startTwins(t);
    await admin.put('/restaurants/3', { food_type_ids: [3], diets: { kosher: 'no', vegan: 'no' } });
    const answer = await merge(admin, 1, 2, 3);
    assert.equal(answer.status, 200);
    const seen = record((await admin.get('/restaurants/1')).body);
    assert.deepEqual(answer.body, seen);
    const [, whole] = TWINS;
    const {
      name: _name,
      category_id: _category,
      status: _status,
      food_type_ids: _foods,
      diets: _diets,
      ...filled
    } = record(whole);
    for (const [name, value] of Object.entries(filled)) {
      if (name === 'external_ids') assert.equal(field(seen[name], 'osm'), 'N1');
      else assert.deepEqual(seen[name], value, name);
    }
    const { name, category, status, food_types, diets } = seen;
    assert.deepEqual([name, field(category, 'id'), status], ['Chez Nous', 5, 'active']);
    assert.deepEqual(ids(food_types).sort(), [2, 3, 8]);
    const { vegan, halal, kosher } = record(diets);
    assert.deepEqual([vegan, halal, kosher], ['yes', 'no', 'no']);
    const log = await allChanges(admin, 'action=delete,update,restore');
    assert.deepEqual(deeds(log).slice(-3), ['restaurant delete', 'restaurant delete', 'restaurant update']);
    const first = changeOf(answer);
    assert.deepEqual(
      log.slice(-3).map(({ write_id }) => write_id),
      [first, first, first],
    );
    const { before } = await changeAt(admin, first);
    assert.equal(field(before, 'merged_into'), 1);
  });

  test('leaves the one that stays as it was where it lacks nothing', async (t) => {
    const { admin } = await startTwins(t);
    const before = (await admin.get('/restaurants/2')).body;
    await merged(admin, 2, 3);
    assert.deepEqual((await admin.get('/restaurants/2')).body, before);
    assert.deepEqual(deeds(await allChanges(admin)).slice(-1), ['restaurant delete']);
  });

  test('refuses a name and address that a third one has by then, and changes nothing', async (t) => {
    const { admin } = await startTwins(t);
    await admin.post('/restaurants', { name: 'Autre', address: '1 Rue du Bac, Paris' });
    const before = await allViews(admin);
    assert.deepEqual(refusal(await merge(admin, 3, 2)), [409, 'Restaurant already exists: "Autre" (id 4)']);
    assert.deepEqual(await allViews(admin), before);
  });

  longTest('moves ratings, photos, visits and suggestions, which keep authors and times', async (t) => {
    const { owner, other, admin, service } = await startTwins(t);
    await admin.post('/suggestions', {
      ...FULL_SUGGESTION,
      name: 'Bistro',
      google_place_id: null,
      address: null,
    });
    const converted = idOf(await admin.post('/suggestions/4/convert', {}));
    for (const id of [1, converted]) {
      await owner.post('/ratings', ratingOf(id, 'Mine'));
      await other.post('/ratings', { ...ratingOf(id, 'Hers'), food_rating: 1 });
      await addPhoto(owner, id);
      await owner.post('/visits', { restaurant_id: id, visited_on: '2026-01-01' });
    }
    const before = await allViews(admin, owner, other);
    const ratings = array((await owner.get('/ratings?user=me&limit=10')).body);
    const gone = await merged(admin, 1, converted);
    assert.deepEqual(faultsIn(service), []);

    const seen = (await admin.get('/restaurants/1')).body;
    assert.deepEqual(ratingsOf(seen), [4, 3]);
    assert.equal(array((await admin.get('/restaurants/1/photos')).body).length, 2);
    assert.equal(field((await owner.get('/visits?restaurant_id=1')).body, 'total'), 2);
    assert.equal(field((await admin.get('/suggestions/4')).body, 'restaurant_id'), 1);
    const now = array((await owner.get('/ratings?user=me&limit=10')).body);
    assert.deepEqual(
      now,
      ratings.map((rating) => ({
        ...record(rating),
        restaurant_id: 1,
        restaurant: { id: 1, name: 'Chez Nous' },
      })),
    );
    await reverted(admin, gone);
    assert.deepEqual(await allViews(admin, owner, other), before);
    assert.deepEqual(faultsIn(service), []);
  });

  longTest('makes two items of a list one, at the earlier place and with both notes', async (t) => {
    const { owner, other, admin, service } = await startTwins(t);
    const [both, lacking, same, gone] = [
      await addList(owner, 'Both'),
      await addList(owner, 'Lacking'),
      await addList(owner, 'Same'),
      await addList(owner, 'Gone'),
    ];
    await addMembers(owner, both, other);
    await putItem(other, both, 2, { note: 'Hers' });
    await addItems(owner, both, [3]);
    await putItem(owner, both, 1, { note: 'Mine' });
    await addItems(owner, lacking, [3]);
    await putItem(owner, lacking, 2, { note: 'Only' });
    for (const id of [1, 3, 2]) await putItem(owner, same, id, { note: 'Soup' });
    await putItem(owner, 'want', 2, { note: 'Now' });
    await addItems(owner, 'want', [1]);
    for (const id of [2, 1]) await putItem(owner, gone, id, { note: String(id) });
    const deleted = changeOf(await owner.delete(`/lists/${gone}`));
    const before = await allViews(admin, owner, other);

    const change = await merged(admin, 1, 2);
    assert.deepEqual(faultsIn(service), []);
    assert.deepEqual(await notesOn(other, both), [
      [1, 'Mine\nHers'],
      [3, null],
    ]);
    assert.deepEqual(await notesOn(owner, lacking), [
      [3, null],
      [1, 'Only'],
    ]);
    assert.deepEqual(await notesOn(owner, same), [
      [1, 'Soup'],
      [3, 'Soup'],
    ]);
    assert.deepEqual(await notesOn(owner, 'want'), [[1, 'Now']]);
    const [item] = array((await owner.get(`/lists/${both}/items`)).body);
    assert.equal(field(field(item, 'added_by'), 'username'), 'alice');
    await reverted(admin, change);
    assert.deepEqual(await allViews(admin, owner, other), before);

    const again = await merged(admin, 1, 2);
    await reverted(owner, deleted);
    assert.deepEqual(await notesOn(owner, gone), [[1, '1\n2']]);
    await reverted(admin, again);
    assert.deepEqual(await notesOn(owner, gone), [
      [2, '2'],
      [1, '1'],
    ]);
    bodyOf(await owner.delete(`/lists/${gone}`));
    assert.deepEqual(await allViews(admin, owner, other), before);
    assert.deepEqual(faultsIn(service), []);
  });

  test('is answered at once by lists, map, search and the restaurant, and so is its revert', async (t) => {
    const { owner, admin } = await startTwins(t);
    for (const id of [1, 2]) {
      await admin.put(`/restaurants/${id}`, { latitude: 48 + id / 100, longitude: 2 });
      for (let count = 0; count < id; count += 1)
        await owner.post('/ratings', { ...ratingOf(id), food_rating: id });
    }
    const paths = [
      '/restaurants/1',
      '/restaurants/2',
      '/restaurants?include_suggestions=false&sort=rating',
      '/restaurants/paginated?sort=rating',
      '/restaurants/map?zoom=12&bbox=1,47,3,49',
      '/search?q=nous',
      '/restaurants/1/ratings',
      '/restaurants/1?include=ratings',
    ];
    const seen = async () => {
      const found: unknown[] = [];
      for (const path of paths) {
        const { status, body } = await admin.get(path);
        found.push([
          status,
          JSON.parse(JSON.stringify(body, (name, one: unknown) => (name === 'updated_at' ? 0 : one))),
        ]);
      }
      return found;
    };
    const before = await seen();
    // The second restaurant keeps nothing that the first one lacks, so that only its deletion is logged.
    await admin.put('/restaurants/1', {
      ...record(TWINS[1]),
      name: 'Chez Nous',
      google_place_id: 'X',
      external_ids: { osm: 'N2' },
    });
    await admin.put('/restaurants/2', { google_place_id: null, external_ids: { osm: null } });
    const whole = await seen();
    const change = await merged(admin, 1, 2);
    const now = await seen();
    assert.deepEqual(deeds(await allChanges(admin)).slice(-1), ['restaurant delete']);
    assert.equal(ratingsOf((await admin.get('/restaurants/1')).body)[0], 3);
    const [, , list] = now;
    assert.deepEqual(
      array(array(list)[1]).map((one) => [field(one, 'id'), ...ratingsOf(one)]),
      [
        [1, 3, 5 / 3],
        [3, 0, 0],
      ],
    );
    assert.notDeepEqual(now, whole);
    assert.notDeepEqual(whole, before);
    await reverted(admin, change);
    assert.deepEqual(await seen(), whole);
  });

  test('is answered once for a key', async (t) => {
    const { admin } = await startTwins(t);
    const key = { 'Idempotency-Key': 'one' };
    const first = await admin.post('/restaurants/1/merge', { from: [2] }, key);
    const second = await admin.post('/restaurants/1/merge', { from: [2] }, key);
    assert.deepEqual([second.status, second.body], [200, first.body]);
    assert.deepEqual(headerValues(second, 'change', 'idempotent-replay'), [
      first.headers.get('change'),
      'true',
    ]);
    assert.equal((await merge(admin, 1, 2)).status, 404);
  });

  test('is refused with what is wrong', async (t) => {
    const { admin, owner, service } = await startTwins(t, { WRITE_ACCESS: 'admins' });
    const post = async (path: string, body: unknown) => refusal(await admin.post(path, body));
    const at = '/restaurants/1/merge';
    assert.deepEqual(await post('/restaurants/x/merge', { from: [2] }), [400, 'Invalid restaurant ID']);
    for (const from of [undefined, null, []])
      assert.deepEqual(await post(at, { from }), [400, 'from must have at least 1 id']);
    for (const from of ['2', [0], ['2'], [1.5], {}])
      assert.deepEqual(await post(at, { from }), [400, 'from must be an array of positive integers']);
    const eleven = Array.from({ length: 11 }, (_, index) => index + 2);
    assert.deepEqual(await post(at, { from: eleven }), [400, 'from must have at most 10 ids']);
    assert.deepEqual(await post(at, { from: [2, 2] }), [400, 'from must not have an id twice']);
    assert.deepEqual(await post(at, { from: [2, 1] }), [400, 'A restaurant cannot be merged with itself']);
    for (const [id, from] of [
      [9, [2]],
      [1, [2, 9]],
    ] as const)
      assert.deepEqual(await post(`/restaurants/${id}/merge`, { from }), [404, 'Restaurant not found']);
    assert.equal((await merge(owner, 1, 2)).status, 403);
    assert.equal((await merge(service.api, 1, 2)).status, 401);
    assert.equal((await admin.get('/restaurants/2')).status, 200);
  });
});

describe('a merged restaurant', () => {
  const linkOf = async (api: Client, id: number): Promise<readonly unknown[]> => {
    const answer = await api.get(`/restaurants/${id}`);
    return [answer.status, answer.headers.get('link')];
  };

  test('names the one that is there, at the end of a chain, until it is back', async (t) => {
    const { admin, service } = await startTwins(t);
    await addRestaurants(admin, 'Last');
    const first = await merged(admin, 3, 2);
    assert.deepEqual(await linkOf(service.api, 2), [404, '</api/restaurants/3>; rel="canonical"']);
    const second = await merged(admin, 4, 1, 3);
    for (const id of [1, 2, 3])
      assert.deepEqual(await linkOf(service.api, id), [404, '</api/restaurants/4>; rel="canonical"']);
    const gone = changeOf(await admin.delete('/restaurants/4'));
    assert.deepEqual(await linkOf(admin, 2), [404, null]);
    await reverted(admin, gone);
    assert.deepEqual(refusal(await admin.post(`/changes/${first}/revert`, {})), [
      409,
      `Change ${first} cannot be reverted: restaurant 3 is deleted (change ${second + 1})`,
    ]);
    await reverted(admin, second);
    assert.deepEqual(await linkOf(admin, 2), [404, '</api/restaurants/3>; rel="canonical"']);
    await reverted(admin, first);
    assert.deepEqual(await linkOf(admin, 2), [200, null]);
    assert.deepEqual(await linkOf(admin, 99), [404, null]);
    assert.deepEqual(faultsIn(service), []);
  });

  test('has a page that leads to that of the other', async (t) => {
    const { admin, service } = await startTwins(t);
    const page = (path: string) => fetch(service.url + path, { redirect: 'manual' });
    assert.equal((await page('/restaurants/2')).status, 200);
    const change = await merged(admin, 1, 2);
    const { status, headers } = await page('/restaurants/2');
    assert.deepEqual(
      [status, headers.get('location'), headers.get('cache-control')],
      [302, '/restaurants/1', 'no-cache'],
    );
    assert.equal((await page('/restaurants/2?shell')).status, 200);
    await reverted(admin, change);
    assert.equal((await page('/restaurants/2')).status, 200);
  });

  test('names the other one where a deletion cannot be undone, too', async (t) => {
    const { admin, owner, service } = await startTwins(t, { TRASH_DAYS: '0' });
    await owner.post('/ratings', ratingOf(2));
    await addItems(owner, 'want', [2, 1]);
    const change = await merged(admin, 1, 2);
    assert.deepEqual(await linkOf(admin, 2), [404, '</api/restaurants/1>; rel="canonical"']);
    assert.equal((await admin.post(`/changes/${change}/revert`, {})).status, 409);
    assert.deepEqual(await namesOn(owner, 'want'), ['Chez Nous']);
    assert.equal(ratingsOf((await admin.get('/restaurants/1')).body)[0], 1);
    assert.deepEqual(faultsIn(service), []);
    bodyOf(await admin.get('/restaurants/1'));
  });
});
