import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reverted } from '../../support/changes.ts';
import { bodyOf, field } from '../../support/client.ts';
import { merged } from '../../support/merges.ts';
import {
  startVote,
  ballot,
  closed,
  joinAs,
  ofOptions,
  optionsOf,
  resultOf,
  sumsOf,
  vote,
  voteByLink,
} from '../../support/outings.ts';

describe('an option that is merged into another place while people vote', () => {
  test('shows that one, with the votes, and can win', async (t) => {
    const world = await startVote(t, [1, 2]);
    const { owner, admin } = world;
    await vote(owner, world.outing, ballot({ 1: 'yes', 2: 'ok' }));
    await merged(admin, 3, 1);
    const seen = bodyOf(await owner.get(`/outings/${world.outing.id}`));
    assert.deepEqual(
      [ofOptions(seen, 'id'), ofOptions(seen, 'name')],
      [
        [3, 2],
        ['C', 'B'],
      ],
    );
    assert.equal(field(optionsOf(seen)[0]?.['restaurant'], 'id'), 3);
    assert.deepEqual(field(seen, 'ballot'), { coming: true, choices: { 2: 'ok', 3: 'yes' }, veto: null });
    assert.deepEqual(resultOf(await closed(owner, world.outing)), [3, 'votes']);
  });

  test('takes votes under either id', async (t) => {
    const world = await startVote(t, [1, 2]);
    const { owner, admin, service } = world;
    await merged(admin, 3, 1);
    bodyOf(await vote(owner, world.outing, ballot({ 3: 'yes' })));
    await joinAs(service.api, world.outing, 'Zoë', ballot({ 1: 'ok' }, 1));
    assert.deepEqual(sumsOf(await closed(owner, world.outing))[0], [1, 1, 0, 1]);
  });

  test('is found at the end of a chain of merges', async (t) => {
    const world = await startVote(t, [1, 2]);
    const { owner, admin } = world;
    await vote(owner, world.outing, ballot({ 1: 'yes' }));
    await merged(admin, 3, 1);
    await merged(admin, 4, 3);
    assert.deepEqual(resultOf(await closed(owner, world.outing)), [4, 'votes']);
  });

  test('is deleted with the place into which it was merged', async (t) => {
    const world = await startVote(t, [1, 2]);
    const { owner, admin } = world;
    await merged(admin, 3, 1);
    bodyOf(await admin.delete('/restaurants/3'));
    const seen = bodyOf(await owner.get(`/outings/${world.outing.id}`));
    assert.deepEqual(
      [ofOptions(seen, 'id'), ofOptions(seen, 'out')],
      [
        [1, 2],
        ['deleted', null],
      ],
    );
    assert.deepEqual(ofOptions(seen, 'name'), ['A', 'B']);
  });
});

describe('an option that is merged into another option while people vote', () => {
  test('is one with it, where the better choice of each person counts', async (t) => {
    const world = await startVote(t, [1, 2, 3]);
    const { owner, admin, service } = world;
    await vote(owner, world.outing, ballot({ 1: 'no', 2: 'yes', 3: 'ok' }));
    await joinAs(service.api, world.outing, 'Zoë', ballot({ 1: 'ok', 2: 'no' }));
    const change = await merged(admin, 2, 1);
    const together = await closed(owner, world.outing);
    assert.deepEqual(ofOptions(together, 'id'), [2, 3]);
    assert.deepEqual(sumsOf(together), [
      [1, 1, 0, 0],
      [0, 1, 0, 0],
    ]);
    // Their own sums would tell that the one who chose the first chose the second, too.
    await reverted(admin, change);
    const apart = bodyOf(await owner.get(`/outings/${world.outing.id}`));
    assert.deepEqual(ofOptions(apart, 'id'), [1, 2, 3]);
    assert.deepEqual(sumsOf(apart), [
      [1, 1, 0, 0],
      [null, null, null, null],
      [0, 1, 0, 0],
    ]);
  });

  test('and is itself again before the end has its own votes', async (t) => {
    const world = await startVote(t, [1, 2]);
    const { owner, admin } = world;
    await vote(owner, world.outing, ballot({ 1: 'no', 2: 'yes' }));
    await reverted(admin, await merged(admin, 2, 1));
    assert.deepEqual(sumsOf(await closed(owner, world.outing)), [
      [0, 0, 1, 0],
      [1, 0, 0, 0],
    ]);
  });

  test('can get votes from a page of before, of which the better one counts, too', async (t) => {
    const world = await startVote(t, [1, 2]);
    const { owner, admin } = world;
    await merged(admin, 1, 2);
    bodyOf(await vote(owner, world.outing, ballot({ 1: 'yes', 2: 'no' })));
    bodyOf(await voteByLink(world.other, world.outing, ballot({ 1: 'no', 2: 'yes' })));
    assert.deepEqual(sumsOf(await closed(owner, world.outing)), [[2, 0, 0, 0]]);
  });

  test('takes both vetoes with it', async (t) => {
    const world = await startVote(t, [1, 2, 3]);
    const { owner, admin, service } = world;
    await vote(owner, world.outing, ballot({ 1: 'yes', 2: 'yes' }, 1));
    await joinAs(service.api, world.outing, 'Zoë', ballot({ 1: 'yes', 2: 'yes' }, 2));
    await merged(admin, 1, 2);
    assert.deepEqual(resultOf(await closed(owner, world.outing)), [3, 'votes']);
  });
});

test('a veto by the link is of the place that stayed', async (t) => {
  const world = await startVote(t, [1, 2]);
  await merged(world.admin, 3, 2);
  const answer = await voteByLink(world.other, world.outing, ballot({ 1: 'ok' }, 3));
  assert.deepEqual(field(field(bodyOf(answer), 'outing'), 'ballot'), {
    coming: true,
    choices: { 1: 'ok' },
    veto: 3,
  });
});
