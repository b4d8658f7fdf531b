import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { remove } from '../support/accounts.ts';
import { allChanges, refusal } from '../support/changes.ts';
import { type Client, field } from '../support/client.ts';
import { addItems, addList, addRestaurants, namesOn, putItem } from '../support/lists.ts';
import { changeStored } from '../support/people.ts';
import { type World, startWorld } from '../support/world.ts';

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
  test('is undone by an administrator, and done again', async (t) => {
    const { admin, owner, list } = await imported(t);
    const { status, body } = await undo(admin, 1);
    assert.deepEqual([status, field(body, 'changes')], [200, 3]);
    assert.equal((await owner.get(`/lists/${list}`)).status, 404);
    assert.equal((await undo(admin, 2)).status, 200);
    assert.deepEqual(await namesOn(owner, list), ['A']);
  });

  test('shows them to the owner of the list alone', async (t) => {
    const { admin, owner } = await imported(t);
    const kinds = async (api: Client, batch: number): Promise<unknown[]> =>
      (await allChanges(api, `batch_id=${batch}`)).map(({ kind }) => kind);
    assert.deepEqual(await kinds(owner, 1), ['restaurant', 'list', 'list']);
    assert.deepEqual(await kinds(admin, 1), ['restaurant']);
    await undo(admin, 1);
    assert.deepEqual(await kinds(admin, 2), ['restaurant']);
    assert.equal((await kinds(owner, 2)).length, 3);
  });

  test('is not undone over later changes of the list, whose ids are all that is said of them', async (t) => {
    const { admin, owner, list } = await imported(t);
    await putItem(owner, list, 1, { note: 'A secret' });
    await owner.put(`/lists/${list}`, { name: 'A secret' });
    const items = `items of list ${list} was changed later`;
    const all = `${items}; list ${list} was changed later; list ${list} has other items by now`;
    const refused = [409, `Batch 1 cannot be reverted: 3 obstacles: ${all}`];
    assert.deepEqual(refusal(await undo(admin, 1)), refused);
  });

  test('is undone when the owner of the list is gone', async (t) => {
    const { admin, owner, people } = await imported(t);
    await remove(owner, '/auth/me', { password: people.owner.password });
    const { status, body } = await undo(admin, 1);
    assert.deepEqual([status, field(body, 'changes')], [200, 1]);
    assert.equal((await admin.get('/restaurants/1')).status, 404);
  });
});
