import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { remove } from '../support/accounts.ts';
import { allChanges, changeAt, changeOf, deeds, refusal, revert, reverted } from '../support/changes.ts';
import { type Answer, type Client, array, bodyOf, field } from '../support/client.ts';
import { addItems, addList, addMembers, putItem } from '../support/lists.ts';
import { allViews, faultsIn, merge, merged, startTwins } from '../support/merges.ts';
import { changeStored, readStored } from '../support/people.ts';
import { longTest } from '../support/size.ts';
import { until } from '../support/until.ts';
import { type World, addPhoto, ratingOf } from '../support/world.ts';

/** The notes of a list by the ids of its restaurants, in order. */
async function itemsOn(api: Client, list: number | string): Promise<(readonly [unknown, unknown])[]> {
  const items = array((await api.get(`/lists/${list}/items`)).body);
  return items.map((item) => [field(field(item, 'restaurant'), 'id'), field(item, 'note')] as const);
}

describe('the revert of a merge', () => {
  const obstacles: readonly {
    readonly title: string;
    readonly then: (api: Client) => Promise<Answer>;
    readonly reasons: string;
  }[] = [
    {
      title: 'a field that it filled was changed',
      then: (api) => api.put('/restaurants/1', { phone: '+33 2', diets: { kosher: 'no' } }),
      reasons: 'phone of restaurant 1 was changed later; diets of restaurant 1 was changed later',
    },
    {
      title: 'the restaurant that stayed is deleted',
      then: (api) => api.delete('/restaurants/1'),
      reasons: 'restaurant 1 is deleted (change 9)',
    },
    {
      title: 'the restaurant that stayed was merged into another one',
      then: (api) => merge(api, 3, 1),
      reasons: 'restaurant 1 is deleted (change 9)',
    },
    {
      title: 'another one has the name and address of one that was merged',
      then: (api) =>
        api.post('/restaurants', { name: 'Restaurant Chez Nous', address: '1 Rue du Bac, Paris' }),
      reasons: 'Restaurant already exists: "Restaurant Chez Nous" (id 4)',
    },
  ];
  for (const { title, then, reasons } of obstacles)
    test(`is refused where ${title}, and changes nothing`, async (t) => {
      const { admin, owner, service } = await startTwins(t);
      await owner.post('/ratings', ratingOf(2));
      await addItems(owner, 'want', [1, 2]);
      const change = await merged(admin, 1, 2);
      bodyOf(await then(admin));
      const before = await allViews(admin, owner);
      assert.deepEqual(refusal(await revert(admin, change)), [
        409,
        `Change ${change} cannot be reverted: ${reasons}`,
      ]);
      assert.deepEqual(await allViews(admin, owner), before);
      assert.deepEqual(faultsIn(service), []);
    });

  longTest('leaves at the one that stayed what was added there since', async (t) => {
    const { admin, owner, other, service } = await startTwins(t);
    await owner.post('/ratings', ratingOf(2, 'Before'));
    await putItem(owner, 'want', 1, { note: 'One' });
    await putItem(owner, 'want', 2, { note: 'Two' });
    await addItems(other, 'want', [2]);
    await addItems(other, 'favourites', [2]);
    const change = await merged(admin, 1, 2);
    await other.post('/ratings', ratingOf(1, 'Since'));
    await addPhoto(other, 1);
    await other.post('/visits', { restaurant_id: 1 });
    const list = await addList(other, 'New');
    await addItems(other, list, [1]);
    // Away and back, which makes it an item of the one that stayed.
    await other.delete('/lists/want/items/1');
    await addItems(other, 'want', [1]);
    await putItem(owner, 'want', 1, { note: 'Changed' });
    await reverted(admin, change);

    const commentsAt = async (id: number) =>
      array((await admin.get(`/restaurants/${id}/ratings`)).body).map((rating) => field(rating, 'comment'));
    assert.deepEqual([await commentsAt(1), await commentsAt(2)], [['Since'], ['Before']]);
    assert.equal(array((await admin.get('/restaurants/1/photos')).body).length, 1);
    assert.equal(field((await other.get('/visits?restaurant_id=1')).body, 'total'), 1);
    assert.deepEqual(await itemsOn(other, list), [[1, null]]);
    assert.deepEqual(await itemsOn(other, 'want'), [[1, null]]);
    assert.deepEqual(await itemsOn(other, 'favourites'), [[2, null]]);
    assert.deepEqual(await itemsOn(owner, 'want'), [
      [1, 'Changed'],
      [2, 'Two'],
    ]);
    assert.deepEqual(faultsIn(service), []);
  });

  longTest('can be reverted, which merges again, as often as one likes', async (t) => {
    const { admin, owner, service } = await startTwins(t);
    await owner.post('/ratings', ratingOf(2));
    await addItems(owner, 'want', [2, 3, 1]);
    const before = await allViews(admin, owner);
    const first = await merged(admin, 1, 2, 3);
    const after = await allViews(admin, owner);
    const back = await reverted(admin, first);
    assert.deepEqual(await allViews(admin, owner), before);
    assert.deepEqual(deeds(await allChanges(admin)).slice(-3), [
      'restaurant update',
      'restaurant restore',
      'restaurant restore',
    ]);
    const again = await reverted(admin, back);
    assert.deepEqual(await allViews(admin, owner), after);
    const change = await changeAt(admin, again);
    assert.deepEqual([change['action'], field(change['before'], 'merged_into')], ['delete', 1]);
    const last = await reverted(admin, again);
    assert.deepEqual(await allViews(admin, owner), before);
    // What was added since moves along.
    await owner.post('/ratings', ratingOf(2));
    await reverted(admin, last);
    assert.equal(field(field((await admin.get('/restaurants/1')).body, 'avg_rating'), 'count'), 2);
    assert.deepEqual(faultsIn(service), []);
  });

  test('may come before that of a later merge, and loses no item of a list', async (t) => {
    const { admin, owner, service } = await startTwins(t);
    for (const id of [2, 3]) await putItem(owner, 'want', id, { note: String(id) });
    const first = await merged(admin, 1, 2);
    const second = await merged(admin, 1, 3);
    assert.deepEqual(await itemsOn(owner, 'want'), [[1, '2\n3']]);
    await reverted(admin, first);
    assert.deepEqual(await itemsOn(owner, 'want'), [
      [1, '2\n3'],
      [2, '2'],
    ]);
    await reverted(admin, second);
    const items = new Map(await itemsOn(owner, 'want'));
    assert.deepEqual([items.get(2), items.get(3)], ['2', '3']);
    assert.deepEqual(faultsIn(service), []);
  });

  test('is for those who may merge', async (t) => {
    const { admin, owner } = await startTwins(t, { WRITE_ACCESS: 'admins' });
    const change = await merged(admin, 1, 2);
    assert.equal((await revert(owner, change)).status, 403);
    assert.equal((await revert(admin, change)).status, 200);
  });
});

describe('a merge whose revert is not possible any more', () => {
  const rowsOf = ({ service }: World, table: string): number =>
    readStored(service.folder, `SELECT * FROM ${table}`).length;

  /** A merge of restaurant 2, to which people have added, into 1. */
  async function mergedByOwner(world: World): Promise<number> {
    const { owner, other } = world;
    await other.post('/ratings', ratingOf(2, 'Hers'));
    await addPhoto(other, 2);
    for (const id of [1, 2]) await putItem(other, 'want', id, { note: String(id) });
    await other.post('/visits', { restaurant_id: 2 });
    return merged(owner, 1, 2);
  }

  const linked = async ({ admin }: World): Promise<boolean> =>
    (await admin.get('/restaurants/2')).headers.has('link');

  longTest('once an administrator has purged it: nothing of others goes with it', async (t) => {
    const world = await startTwins(t);
    const { admin, owner, other, service } = world;
    const change = await mergedByOwner(world);
    const before = await allViews(admin, owner, other);
    const rated = (await allChanges(admin, 'kind=rating,photo')).map(({ after }) => after !== null);
    assert.equal((await admin.post(`/changes/${change}/purge`, {})).status, 204);
    await until(() => rowsOf(world, 'moved') + rowsOf(world, 'united_items') === 0);
    assert.deepEqual(await allViews(admin, owner, other), before);
    assert.deepEqual(
      (await allChanges(admin, 'kind=rating,photo')).map(({ after }) => after !== null),
      rated,
    );
    assert.equal((await revert(admin, change)).status, 409);
    assert.equal(await linked(world), true);
    assert.deepEqual(faultsIn(service), []);
  });

  test('once the log has forgotten it', async (t) => {
    const world = await startTwins(t, { CHANGE_LOG_DAYS: '400' });
    const { admin, service } = world;
    await mergedByOwner(world);
    assert.deepEqual([await linked(world), rowsOf(world, 'merged_restaurants')], [true, 1]);
    await admin.put('/restaurants/3', { phone: '1' });
    changeStored(service.folder, 'DELETE FROM changes WHERE id < (SELECT max(id) FROM changes)');
    assert.deepEqual([await linked(world), rowsOf(world, 'merged_restaurants')], [false, 0]);
  });

  longTest('forgets the lists of people who are gone', async (t) => {
    const world = await startTwins(t);
    const { admin, owner, other, service } = world;
    const shared = await addList(owner, 'Shared');
    await addMembers(owner, shared, other);
    for (const id of [2, 1]) await putItem(other, shared, id, { note: `Hers ${id}` });
    const change = await mergedByOwner(world);
    assert.equal(rowsOf(world, 'united_items'), 2);
    const gone = await remove(admin, `/users/${world.people.other.id}`, { contributions: 'delete' });
    assert.equal(gone.status, 204);
    await until(() => rowsOf(world, 'erasures') === 0);
    assert.deepEqual(readStored(service.folder, 'SELECT list_id FROM united_items'), [{ list_id: shared }]);
    await reverted(admin, change);
    assert.deepEqual(await itemsOn(owner, shared), [
      [2, 'Hers 2'],
      [1, 'Hers 1'],
    ]);
    for (const item of array((await owner.get(`/lists/${shared}/items`)).body))
      assert.equal(field(item, 'added_by'), null);
    assert.deepEqual(faultsIn(service), []);
  });

  test('keeps the notes of a deleted list until that is gone', async (t) => {
    const world = await startTwins(t);
    const { owner } = world;
    const list = await addList(owner, 'Gone');
    for (const id of [1, 2]) await putItem(owner, list, id, { note: String(id) });
    await merged(owner, 1, 2);
    const deletion = changeOf(await owner.delete(`/lists/${list}`));
    assert.equal(rowsOf(world, 'united_items'), 1);
    bodyOf(await owner.post(`/changes/${deletion}/purge`, {}));
    await until(() => rowsOf(world, 'united_items') === 0);
  });
});
