import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rate } from '../../support/catalogue.ts';
import { field } from '../../support/client.ts';
import {
  addOuting,
  ballot,
  closed,
  endVoting,
  joinAs,
  openLink,
  refusalOf,
  resultOf,
  startOutings,
  vote,
  voteByLink,
} from '../../support/outings.ts';
import { readStored } from '../../support/people.ts';
import { until } from '../../support/until.ts';

const ONLY_CREATOR = [403, 'Only its creator may do this'];
const NOT_FOUND = [404, 'Outing not found'];

describe('closing by hand', () => {
  test('decides, and again it is the same answer', async (t) => {
    const { owner, other } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    await vote(owner, outing, ballot({ 2: 'yes' }));
    const first = await closed(owner, outing);
    assert.deepEqual([field(first, 'state'), ...resultOf(first)], ['decided', 2, 'votes']);
    await rate(other, 1, 5);
    const again = await closed(owner, outing);
    assert.deepEqual(resultOf(again), [2, 'votes']);
    const answer = await owner.post(`/outings/${outing.id}/close`, undefined);
    assert.equal(answer.status, 200);
  });

  test('is for the creator alone, as cancelling is', async (t) => {
    const { owner, other, admin, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    const close = `/outings/${outing.id}/close`;
    for (const api of [other, admin]) {
      assert.deepEqual(refusalOf(await api.post(close, {})), NOT_FOUND);
      assert.deepEqual(refusalOf(await api.delete(`/outings/${outing.id}`)), NOT_FOUND);
    }
    await voteByLink(other, outing, ballot({}));
    assert.deepEqual(refusalOf(await other.post(close, {})), ONLY_CREATOR);
    assert.deepEqual(refusalOf(await other.delete(`/outings/${outing.id}`)), ONLY_CREATOR);
    assert.equal((await service.api.post(close, {})).status, 401);
    assert.equal(field(await openLink(service.api, outing), 'state'), 'open');
  });

  test('of a tie goes to the better rated place, unless someone vetoed it', async (t) => {
    const { owner, other, service } = await startOutings(t);
    await rate(other, 2, 4);
    const [rated, vetoed] = [await addOuting(owner, [3, 2, 1]), await addOuting(owner, [3, 2, 1])];
    for (const outing of [rated, vetoed])
      await joinAs(service.api, outing, 'Zoë', ballot({ 1: 'yes', 2: 'yes' }));
    await joinAs(service.api, vetoed, 'Max', ballot({}, 2));
    assert.deepEqual(resultOf(await closed(owner, rated)), [2, 'tie_rating']);
    assert.deepEqual(resultOf(await closed(owner, vetoed)), [1, 'votes']);
  });
});

describe('closing by time', () => {
  test('happens at once for those who look, and is stored by the service itself', async (t) => {
    const { owner, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    await vote(owner, outing, ballot({ 2: 'yes' }));
    endVoting(service);
    assert.equal(field(await openLink(service.api, outing), 'state'), 'decided');
    assert.deepEqual(resultOf(await openLink(service.api, outing)), [2, 'votes']);
    const row = (): unknown => readStored(service.folder, 'SELECT state, outcome, winner FROM outings')[0];
    await until(() => field(row(), 'state') === 'decided');
    assert.deepEqual(row(), { state: 'decided', outcome: 'votes', winner: 2 });
  });

  test('decides all that ended while the service was down', async (t) => {
    const { owner, service } = await startOutings(t);
    for (const id of [1, 2, 3]) await addOuting(owner, [id, id + 1]);
    endVoting(service, 'id <> 2');
    const states = (): unknown[] =>
      readStored(service.folder, 'SELECT state FROM outings ORDER BY id').map((row) => field(row, 'state'));
    await until(() => states().filter((state) => state === 'decided').length === 2);
    assert.deepEqual(states(), ['decided', 'open', 'decided']);
  });
});

describe('cancelling', () => {
  test('ends an open outing without an outcome, and again changes nothing', async (t) => {
    const { owner, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    await vote(owner, outing, ballot({ 1: 'yes' }));
    for (let time = 0; time < 2; time += 1)
      assert.equal((await owner.delete(`/outings/${outing.id}`)).status, 204);
    const seen = await openLink(service.api, outing);
    assert.deepEqual([field(seen, 'state'), ...resultOf(seen)], ['cancelled', null, null]);
    const close = await owner.post(`/outings/${outing.id}/close`, {});
    assert.deepEqual(refusalOf(close), [409, 'The outing is cancelled']);
  });

  test('leaves the outcome of one that was decided, or whose voting has just ended', async (t) => {
    const { owner, service } = await startOutings(t);
    for (const isStored of [true, false]) {
      const outing = await addOuting(owner, [1, 2]);
      await vote(owner, outing, ballot({ 1: 'yes' }));
      if (isStored) await closed(owner, outing);
      else endVoting(service);
      await owner.delete(`/outings/${outing.id}`);
      const seen = await openLink(service.api, outing);
      assert.deepEqual([field(seen, 'state'), ...resultOf(seen)], ['cancelled', 1, 'votes']);
    }
  });
});
