import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bodyOf } from '../../support/client.ts';
import { merged } from '../../support/merges.ts';
import {
  startVote,
  ballot,
  closed,
  ofOptions,
  openLink,
  resultOf,
  timedEventsOf,
  vote,
} from '../../support/outings.ts';

describe('a winner', () => {
  test('that is merged into another option afterwards is still the winner, under the id that stays', async (t) => {
    const world = await startVote(t, [1, 2]);
    const { owner, admin, service } = world;
    await vote(owner, world.outing, ballot({ 2: 'yes' }));
    assert.deepEqual(resultOf(await closed(owner, world.outing)), [2, 'votes']);
    await merged(admin, 1, 2);
    assert.deepEqual(resultOf(await openLink(service.api, world.outing)), [1, 'votes']);
    const [event] = timedEventsOf(String((await service.api.get(`/shared/${world.outing.token}.ics`)).body));
    assert.deepEqual([event?.status, event?.location], ['CONFIRMED', 'A']);
  });

  test('that is deleted afterwards stays in the calendar under its name', async (t) => {
    const world = await startVote(t, [1, 2]);
    const { owner, admin, service } = world;
    await vote(owner, world.outing, ballot({ 2: 'yes' }));
    await closed(owner, world.outing);
    bodyOf(await admin.delete('/restaurants/2'));
    const seen = await openLink(service.api, world.outing);
    assert.deepEqual(
      [resultOf(seen), ofOptions(seen, 'out')],
      [
        [2, 'votes'],
        [null, 'deleted'],
      ],
    );
    const [event] = timedEventsOf(String((await service.api.get(`/shared/${world.outing.token}.ics`)).body));
    assert.deepEqual([event?.status, event?.location], ['CONFIRMED', 'B']);
  });
});
