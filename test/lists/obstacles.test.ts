import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allChanges, changeOf, refusal, revert, reverted } from '../support/changes.ts';
import type { Answer } from '../support/client.ts';
import {
  addItems,
  addRestaurants,
  changesOfLists,
  namesOn,
  putItem,
  startListWorld,
} from '../support/lists.ts';

type ListWorld = Awaited<ReturnType<typeof startListWorld>>;

describe('changes of a list', () => {
  type Deed = (world: ListWorld) => Promise<Answer>;
  const obstacles: readonly (readonly [string, Deed, Deed, string])[] = [
    [
      'an item that has another note by now',
      ({ owner, id }) => putItem(owner, id, 2, { note: 'x' }),
      ({ owner, id }) => putItem(owner, id, 2, { note: 'y' }),
      'items of list 9 was changed later',
    ],
    [
      'a list that has items by now',
      ({ owner }) => owner.post('/lists', { name: 'Paris' }),
      ({ owner }) => putItem(owner, 10, 1),
      'list 10 has other items by now',
    ],
    [
      'a list whose name is taken by now',
      ({ owner, id }) => owner.delete(`/lists/${id}`),
      ({ owner }) => owner.post('/lists', { name: 'lyon' }),
      'list 10 already exists',
    ],
    [
      'an item of a list that is deleted',
      ({ owner, id }) => putItem(owner, id, 2, { note: 'x' }),
      ({ owner, id }) => owner.delete(`/lists/${id}`),
      'list 9 is deleted (change 9)',
    ],
    [
      'a deleted item whose restaurant is deleted',
      ({ owner, id }) => owner.delete(`/lists/${id}/items/2`),
      ({ admin }) => admin.delete('/restaurants/2'),
      'restaurant 2 does not exist',
    ],
  ];
  for (const [title, first, then, reason] of obstacles)
    test(`do not undo ${title}`, async (t) => {
      const world = await startListWorld(t);
      const change = changeOf(await first(world));
      assert.ok((await then(world)).status < 300);
      const before = (await changesOfLists(world.owner)).length;
      const refused = [409, `Change ${change} cannot be reverted: ${reason}`];
      assert.deepEqual(refusal(await revert(world.owner, change)), refused);
      assert.equal((await changesOfLists(world.owner)).length, before);
    });

  test('are no obstacle to the revert of a restaurant', async (t) => {
    const { owner, admin, id } = await startListWorld(t);
    const [restaurant] = await addRestaurants(admin, 'D');
    const made = Number((await allChanges(admin)).at(-1)?.['id']);
    await addItems(owner, id, [restaurant ?? 0]);
    await owner.post('/visits', { restaurant_id: restaurant });
    const undoing = await reverted(admin, made);
    assert.deepEqual(await namesOn(owner, id), ['A', 'B', 'C']);
    await reverted(admin, undoing);
    assert.deepEqual(await namesOn(owner, id), ['A', 'B', 'C', 'D']);
  });
});
