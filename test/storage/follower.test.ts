import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { type Followed, Follower } from '../../src/storage/follower.ts';
import type { EntityKind } from '../../src/storage/change-log.ts';
import { openWrites } from '../support/log.ts';
import { openWritten } from '../support/written.ts';

function follow(t: TestContext) {
  const storage = openWritten(t);
  const begin = openWrites(storage);
  return {
    storage,
    follower: new Follower(storage.queries.file('follower')),
    change: (kind: EntityKind, id: number, restaurantId = id) =>
      storage.transactions.write(() => {
        begin().created({ kind, id, name: 'A', ...(kind !== 'category' && { restaurantId }) }, {});
      }),
  };
}

const idsOf = (followed: Followed | undefined): unknown =>
  followed && [[...followed.affected], [...followed.edited], followed.hasLookups, followed.isCut];

describe('a copy that follows the change log', () => {
  test('must be read first, and then learns of what is written while it is read', async (t) => {
    const { follower, change } = follow(t);
    await change('restaurant', 1);
    assert.equal(follower.next(10), undefined);
    follower.start();
    await change('restaurant', 2);
    await change('rating', 7, 3);
    assert.deepEqual(idsOf(follower.next(10)), [[2, 3], [2], false, false]);
    assert.deepEqual(idsOf(follower.next(10)), [[], [], false, false]);
    await change('category', 4);
    assert.deepEqual(idsOf(follower.next(10)), [[], [], true, false]);
  });

  test('learns of many changes in parts', async (t) => {
    const { follower, change } = follow(t);
    follower.start();
    for (const id of [1, 2, 3]) await change('restaurant', id);
    assert.deepEqual(idsOf(follower.next(2)), [[1, 2], [1, 2], false, true]);
    assert.deepEqual(idsOf(follower.next(2)), [[3], [3], false, false]);
  });

  test('must be read again when changes were deleted before it learned of them, and only then', async (t) => {
    const { storage, follower, change } = follow(t);
    follower.start();
    await change('restaurant', 1);
    follower.next(10);
    const deleteAllButNewest = (): unknown =>
      storage.connection.exec('DELETE FROM changes WHERE id < (SELECT max(id) FROM changes)');
    await change('restaurant', 2);
    deleteAllButNewest();
    assert.deepEqual(idsOf(follower.next(10)), [[2], [2], false, false]);
    await change('restaurant', 3);
    await change('restaurant', 4);
    deleteAllButNewest();
    assert.equal(follower.next(10), undefined);
    follower.start();
    await change('restaurant', 5);
    assert.deepEqual(idsOf(follower.next(10)), [[5], [5], false, false]);
  });
});
