import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allChanges, changeOf, refusal, revert, reverted } from '../support/changes.ts';
import {
  addItems,
  addList,
  addRestaurants,
  changesOfLists,
  namesOn,
  putItem,
  startListWorld,
} from '../support/lists.ts';
import type { World } from '../support/world.ts';

describe('changes of a list', () => {
  const obstacles: readonly (readonly [
    string,
    (world: World & { readonly id: number }) => Promise<number>,
    string,
  ])[] = [
    [
      'an item that has another note by now',
      async ({ owner, id }) => {
        const change = changeOf(await putItem(owner, id, 2, { note: 'x' }));
        await putItem(owner, id, 2, { note: 'y' });
        return change;
      },
      'items of list 9 was changed later',
    ],
    [
      'a list that has items by now',
      async ({ owner }) => Number((await changesOfLists(owner))[0]?.['id']),
      'list 9 has other items by now',
    ],
    [
      'a list whose name is taken by now',
      async ({ owner, id }) => {
        const change = changeOf(await owner.delete(`/lists/${id}`));
        await addList(owner, 'lyon');
        return change;
      },
      'list 10 already exists',
    ],
    [
      'an item of a list that is deleted',
      async ({ owner, id }) => {
        const change = changeOf(await putItem(owner, id, 2, { note: 'x' }));
        const gone = changeOf(await owner.delete(`/lists/${id}`));
        assert.equal(gone, change + 1);
        return change;
      },
      'list 9 is deleted (change 9)',
    ],
    [
      'a deleted item whose restaurant is deleted',
      async ({ owner, admin, id }) => {
        const change = changeOf(await owner.delete(`/lists/${id}/items/2`));
        await admin.delete('/restaurants/2');
        return change;
      },
      'restaurant 2 does not exist',
    ],
  ];
  for (const [title, make, reason] of obstacles)
    test(`do not undo ${title}`, async (t) => {
      const world = await startListWorld(t);
      const change = await make(world);
      const before = (await changesOfLists(world.owner)).length;
      assert.deepEqual(refusal(await revert(world.owner, change)), [
        409,
        `Change ${change} cannot be reverted: ${reason}`,
      ]);
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
