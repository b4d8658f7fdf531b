import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rate } from '../../support/catalogue.ts';
import { field } from '../../support/client.ts';
import {
  addOuting,
  ballot,
  closed,
  inHours,
  joinAs,
  openLink,
  refusalOf,
  resultOf,
  startOutings,
  vote,
  voteByLink,
} from '../../support/outings.ts';
import { changeStored, readStored } from '../../support/people.ts';
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

  const ties: readonly (readonly [string, number | null, string, readonly object[], readonly number[]])[] = [
    ['a tie goes to the better rated', 2, 'tie_rating', [ballot({ 1: 'yes', 2: 'yes' })], [2]],
    ['a tie of equals goes to the earlier option', 3, 'tie_order', [ballot({ 1: 'ok', 3: 'ok' })], []],
    ['a veto beats all', 1, 'votes', [ballot({ 3: 'yes', 1: 'ok' }), ballot({ 2: 'no' }, 3)], [3]],
    ['everything vetoed', null, 'nothing_left', [ballot({}, 1), ballot({}, 2), ballot({}, 3)], []],
    ['no one comes', null, 'no_votes', [{ coming: false, choices: { 1: 'yes' } }], []],
    ['no one voted', null, 'no_votes', [], []],
  ];
  for (const [title, winner, outcome, ballots, rated] of ties)
    test(`${title}: ${outcome}`, async (t) => {
      const { owner, other, service } = await startOutings(t);
      const outing = await addOuting(owner, [3, 2, 1]);
      for (const id of rated) await rate(other, id, 4);
      for (const [index, body] of ballots.entries())
        await joinAs(service.api, outing, `Guest ${index}`, body);
      const made = await closed(owner, outing);
      assert.deepEqual([field(made, 'state'), ...resultOf(made)], ['decided', winner, outcome]);
    });
});

describe('closing by time', () => {
  test('happens at once for those who look, and is stored by the service itself', async (t) => {
    const { owner, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    await vote(owner, outing, ballot({ 2: 'yes' }));
    changeStored(service.folder, 'UPDATE outings SET closes_at = ?', inHours(-1 / 3600));
    assert.equal(field(await openLink(service.api, outing), 'state'), 'decided');
    assert.deepEqual(resultOf(await openLink(service.api, outing)), [2, 'votes']);
    const row = (): unknown => readStored(service.folder, 'SELECT state, outcome, winner FROM outings')[0];
    await until(() => field(row(), 'state') === 'decided');
    assert.deepEqual(row(), { state: 'decided', outcome: 'votes', winner: 2 });
  });

  test('decides all that ended while the service was down', async (t) => {
    const { owner, service } = await startOutings(t);
    for (const id of [1, 2, 3]) await addOuting(owner, [id, id + 1]);
    changeStored(
      service.folder,
      "UPDATE outings SET closes_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 hour') WHERE id <> 2",
    );
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

  test('leaves the outcome of one that was decided', async (t) => {
    const { owner, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    await vote(owner, outing, ballot({ 1: 'yes' }));
    await closed(owner, outing);
    await owner.delete(`/outings/${outing.id}`);
    const seen = await openLink(service.api, outing);
    assert.deepEqual([field(seen, 'state'), ...resultOf(seen)], ['cancelled', 1, 'votes']);
  });
});

test('cancelling right after the end of voting leaves the outcome that others may have seen', async (t) => {
  const { owner, service } = await startOutings(t);
  const outing = await addOuting(owner, [1, 2]);
  await vote(owner, outing, ballot({ 1: 'yes' }));
  changeStored(
    service.folder,
    "UPDATE outings SET closes_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 hour')",
  );
  await owner.delete(`/outings/${outing.id}`);
  const seen = await openLink(service.api, outing);
  assert.deepEqual([field(seen, 'state'), ...resultOf(seen)], ['cancelled', 1, 'votes']);
});
