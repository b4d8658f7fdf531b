import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bodyOf } from '../../support/client.ts';
import {
  NEVER,
  addOuting,
  ballot,
  closed,
  ofOptions,
  openLink,
  resultOf,
  startOutings,
  vote,
} from '../../support/outings.ts';

describe('an option that changes while people vote', () => {
  const changes: readonly (readonly [string, object | undefined, string])[] = [
    ['is deleted', undefined, 'deleted'],
    ['is closed for now', { status: 'temporarily_closed' }, 'closed'],
    ['is closed for good', { status: 'closed' }, 'closed'],
    ['has other hours', NEVER, 'closed'],
  ];
  for (const [title, change, out] of changes)
    test(`and ${title} cannot win, but shows its votes`, async (t) => {
      const { owner, admin } = await startOutings(t);
      const outing = await addOuting(owner, [1, 2]);
      await vote(owner, outing, ballot({ 1: 'yes', 2: 'no' }));
      bodyOf(await (change ? admin.put('/restaurants/1', change) : admin.delete('/restaurants/1')));
      const seen = bodyOf(await owner.get(`/outings/${outing.id}`));
      assert.deepEqual(
        [ofOptions(seen, 'out'), ofOptions(seen, 'name')],
        [
          [out, null],
          ['A', 'B'],
        ],
      );
      const isGone = change === undefined;
      assert.deepEqual(
        ofOptions(seen, 'restaurant').map((restaurant) => restaurant === null),
        [isGone, false],
      );
      assert.equal(ofOptions(seen, 'opening')[0] === null, isGone);
      assert.deepEqual(ofOptions(seen, 'reasons')[0], []);
      bodyOf(await vote(owner, outing, ballot({ 1: 'yes', 2: 'no' })));
      const end = await closed(owner, outing);
      assert.deepEqual(
        [resultOf(end), ofOptions(end, 'yes')],
        [
          [2, 'votes'],
          [1, 0],
        ],
      );
    });

  test('and is brought back can win again', async (t) => {
    const { owner, admin } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    await vote(owner, outing, ballot({ 1: 'yes', 2: 'no' }));
    bodyOf(await admin.put('/restaurants/1', { status: 'temporarily_closed' }));
    bodyOf(await admin.put('/restaurants/1', { status: 'active' }));
    assert.deepEqual(resultOf(await closed(owner, outing)), [1, 'votes']);
  });

  test('leaves nothing where it happens to all of them', async (t) => {
    const { owner, admin } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    await vote(owner, outing, ballot({ 1: 'yes' }));
    bodyOf(await admin.put('/restaurants/1', NEVER));
    bodyOf(await admin.delete('/restaurants/2'));
    assert.deepEqual(resultOf(await closed(owner, outing)), [null, 'nothing_left']);
  });

  test('does not change what was decided', async (t) => {
    const { owner, admin, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    await vote(owner, outing, ballot({ 1: 'yes' }));
    await closed(owner, outing);
    bodyOf(await admin.put('/restaurants/1', NEVER));
    const seen = await openLink(service.api, outing);
    assert.deepEqual(
      [ofOptions(seen, 'out'), resultOf(seen)],
      [
        ['closed', null],
        [1, 'votes'],
      ],
    );
  });
});
