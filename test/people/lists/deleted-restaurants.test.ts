import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { remove } from '../../support/accounts.ts';
import { allChanges, changeOf, refusal, reverted } from '../../support/changes.ts';
import { type Client, array, field, record } from '../../support/client.ts';
import { addItems, addList, addRestaurants, namesOn, putItem } from '../../support/lists.ts';
import { changeStored, readStored } from '../../support/people.ts';
import { type Service, startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { until } from '../../support/until.ts';
import { type World, startWorld } from '../../support/world.ts';

/** A service with restaurants A to C on the list of wishes, and a visit to B, which is 2. */
async function furnished(t: TestContext, variables = {}): Promise<Service> {
  const service = await startService(t, variables);
  await addRestaurants(service.api, 'A', 'B', 'C');
  await addItems(service.api, 'want', [1, 2, 3]);
  await service.api.post('/visits', { restaurant_id: 2, visited_on: '2026-01-31' });
  return service;
}

const removed = async (api: Client): Promise<number> => changeOf(await api.delete('/restaurants/2'));

const visited = async (api: Client): Promise<unknown> => {
  const { restaurant_id, restaurant } = record((await api.get('/visits/1')).body);
  return { restaurant_id, restaurant };
};

const THERE = { restaurant_id: 2, restaurant: { id: 2, name: 'B' } };
const GONE = { restaurant_id: null, restaurant: { id: null, name: 'B' } };
const listed = (folder: string): unknown[] =>
  readStored(folder, 'SELECT restaurant_id FROM list_items').map((row) => field(row, 'restaurant_id'));

describe('a deleted restaurant', () => {
  test('is on no list, and visits hold its name alone', async (t) => {
    const { api } = await furnished(t);
    await removed(api);
    assert.deepEqual([await namesOn(api, 'want'), await visited(api)], [['A', 'C'], GONE]);
    assert.equal(field((await api.get('/lists/want')).body, 'item_count'), 2);
    assert.equal((await api.delete('/lists/want/items/2')).status, 404);
    const ofIt = (await api.get('/visits?restaurant_id=2')).body;
    assert.deepEqual([field(ofIt, 'data'), field(ofIt, 'total')], [[], 0]);
    const { body } = await api.put('/visits/1', { restaurant_id: null, note: 'Was good' });
    assert.equal(field(body, 'note'), 'Was good');
  });

  test('comes back to its places and visits when its deletion is undone', async (t) => {
    const { api } = await furnished(t);
    const deletion = await removed(api);
    await reverted(api, deletion);
    assert.deepEqual([await namesOn(api, 'want'), await visited(api)], [['A', 'B', 'C'], THERE]);
    assert.equal(field((await api.get('/visits?restaurant_id=2')).body, 'total'), 1);
  });

  test('comes back under its new name, and visits follow each change of it', async (t) => {
    const { api } = await furnished(t);
    await api.put('/restaurants/2', { name: 'Bonsai' });
    assert.deepEqual(field(await visited(api), 'restaurant'), { id: 2, name: 'Bonsai' });
  });

  test('does not come back to a place that was taken off meanwhile', async (t) => {
    const { api } = await furnished(t);
    await api.delete('/lists/want/items/2');
    const deletion = await removed(api);
    await reverted(api, deletion);
    assert.deepEqual(await namesOn(api, 'want'), ['A', 'C']);
  });

  test('is forgotten by lists, and visits hold its name, when the deletion is purged', async (t) => {
    const { api, folder } = await furnished(t);
    const deletion = await removed(api);
    assert.deepEqual(listed(folder), [1, 2, 3]);
    await api.post(`/changes/${deletion}/purge`, {});
    await until(() => listed(folder).length === 2);
    assert.deepEqual([listed(folder), await visited(api)], [[1, 3], GONE]);
  });

  test('is forgotten by lists, and visits hold its name, when the time of the deletion is over', async (t) => {
    const { api, folder, stop } = await furnished(t);
    const deletion = await removed(api);
    await stop();
    changeStored(folder, "UPDATE changes SET kept_until = '2020' WHERE id = ?", deletion);
    const later = await startService(t, { DATA_DIR: folder });
    await until(() => listed(folder).length === 2);
    assert.deepEqual([listed(folder), await visited(later.api)], [[1, 3], GONE]);
  });

  test('is forgotten by lists at once without a trash', async (t) => {
    const { api, folder } = await furnished(t, { TRASH_DAYS: '0' });
    await removed(api);
    assert.deepEqual(await namesOn(api, 'want'), ['A', 'C']);
    await until(() => listed(folder).length === 2);
    assert.deepEqual(await visited(api), GONE);
  });

  test('leaves its name only as long as a visit needs it', async (t) => {
    const { api, folder, stop } = await furnished(t, { TRASH_DAYS: '0' });
    await removed(api);
    const names = (): unknown[] => readStored(folder, 'SELECT name, due_at FROM deleted_restaurants');
    await until(() => field(names()[0], 'due_at') === null);
    assert.deepEqual(names(), [{ name: 'B', due_at: null }]);
    await api.delete('/visits/1');
    await stop();
    await startService(t, { DATA_DIR: folder });
    await until(() => names().length === 0);
  });

  test('stays in the lists as long as its last deletion can be undone', async (t) => {
    const service = await furnished(t);
    const { api, folder } = service;
    const first = await removed(api);
    await reverted(api, first);
    const second = await removed(api);
    changeStored(folder, 'UPDATE changes SET kept_until = NULL WHERE id = ?', first);
    await reverted(api, second);
    assert.deepEqual([await namesOn(api, 'want'), await visited(api)], [['A', 'B', 'C'], THERE]);
  });

  test('holds nothing of lists and visits in its own changes', async (t) => {
    const { api } = await furnished(t);
    const deletion = await removed(api);
    const history = array(field((await api.get('/restaurants/2/history')).body, 'data')).map(record);
    assert.ok(history.some(({ id }) => id === deletion));
    assert.ok(history.every(({ kind }) => kind === 'restaurant'));
    assert.doesNotMatch(JSON.stringify(history), /visit|"items"/);
  });
});

/** A batch in which restaurant 1 and a list of the owner's with it were made, as an import for a user does. */
async function imported(t: TestContext): Promise<World & { readonly list: number }> {
  const world = await startWorld(t);
  await addRestaurants(world.admin, 'A');
  const list = await addList(world.owner, 'Secret list');
  await addItems(world.owner, list, [1]);
  changeStored(
    world.service.folder,
    "INSERT INTO batches (at, file) VALUES ('2026-01-31T19:30:00.000Z', 'x.csv')",
  );
  changeStored(world.service.folder, 'UPDATE changes SET batch_id = 1');
  return { ...world, list };
}

const undo = (api: Client, id: number): ReturnType<Client['post']> => api.post(`/batches/${id}/revert`, {});

describe('a batch that holds changes of a list', () => {
  longTest('is undone by an administrator, and done again', async (t) => {
    const { admin, owner, list } = await imported(t);
    const { status, body } = await undo(admin, 1);
    assert.deepEqual([status, field(body, 'changes')], [200, 3]);
    assert.equal((await owner.get(`/lists/${list}`)).status, 404);
    assert.equal((await undo(admin, 2)).status, 200);
    assert.deepEqual(await namesOn(owner, list), ['A']);
  });

  longTest('shows them to the owner of the list alone', async (t) => {
    const { admin, owner } = await imported(t);
    const kinds = async (api: Client, batch: number): Promise<unknown[]> =>
      (await allChanges(api, `batch_id=${batch}`)).map(({ kind }) => kind);
    assert.deepEqual(await kinds(owner, 1), ['restaurant', 'list', 'list']);
    assert.deepEqual(await kinds(admin, 1), ['restaurant']);
    await undo(admin, 1);
    assert.deepEqual(await kinds(admin, 2), ['restaurant']);
    assert.equal((await kinds(owner, 2)).length, 3);
  });

  longTest(
    'is not undone over later changes of the list, whose ids are all that is said of them',
    async (t) => {
      const { admin, owner, list } = await imported(t);
      await putItem(owner, list, 1, { note: 'A secret' });
      await owner.put(`/lists/${list}`, { name: 'A secret' });
      const items = `items of list ${list} was changed later`;
      const all = `${items}; list ${list} was changed later; list ${list} has other items by now`;
      const refused = [409, `Batch 1 cannot be reverted: 3 obstacles: ${all}`];
      assert.deepEqual(refusal(await undo(admin, 1)), refused);
    },
  );

  longTest('is undone when the owner of the list is gone', async (t) => {
    const { admin, owner, people } = await imported(t);
    await remove(owner, '/auth/me', { password: people.owner.password });
    const { status, body } = await undo(admin, 1);
    assert.deepEqual([status, field(body, 'changes')], [200, 1]);
    assert.equal((await admin.get('/restaurants/1')).status, 404);
  });
});
