import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, array, bodyOf, field } from '../../support/client.ts';
import {
  type OutingSeen,
  addOuting,
  ballot,
  closed,
  joinAs,
  openLink,
  participantsOf,
  refusalOf,
  startOutings,
  startVote,
  sumsOf,
  vote,
  voteByLink,
} from '../../support/outings.ts';
import { stampOf } from '../../../src/kit/time.ts';
import { changeStored, readStored } from '../../support/people.ts';
import { until } from '../../support/until.ts';

/** The path of the participant with this name. */
async function pathOf(api: Client, { id }: OutingSeen, name: string): Promise<string> {
  const all = array(field(bodyOf(await api.get(`/outings/${id}`)), 'participants'));
  const one = all.find((participant) => field(participant, 'name') === name);
  return `/outings/${id}/participants/${String(field(one, 'id'))}`;
}

describe('a participant', () => {
  test('is removed by the creator with the ballot, and can come back by the link', async (t) => {
    const { service, owner, other, outing } = await startVote(t);
    const { api } = service;
    const secret = await joinAs(api, outing, 'Zoë', ballot({ 1: 'yes' }, 2));
    bodyOf(await voteByLink(other, outing, ballot({ 3: 'yes' })));
    const [guest, user] = [await pathOf(owner, outing, 'Zoë'), await pathOf(owner, outing, 'bob')];
    for (const path of [guest, user]) {
      assert.equal((await owner.delete(path)).status, 204);
      assert.deepEqual(refusalOf(await owner.delete(path)), [404, 'Participant not found']);
    }
    assert.deepEqual(participantsOf(await openLink(api, outing)), [['alice', false, null, false]]);
    assert.equal(field(await openLink(api, outing, secret), 'ballot'), null);
    const again = await voteByLink(api, outing, { secret, ...ballot({}) });
    assert.deepEqual(refusalOf(again), [403, 'Unknown secret']);
    assert.deepEqual(refusalOf(await vote(other, outing, ballot({}))), [404, 'Outing not found']);
    await joinAs(api, outing, 'Zoë', ballot({ 1: 'ok' }));
    bodyOf(await voteByLink(other, outing, ballot({ 1: 'ok' })));
    assert.deepEqual(sumsOf(await closed(owner, outing))[0], [0, 2, 0, 0]);
  });

  test('is removed by no one else, nor after the end, nor as the creator or one of another outing', async (t) => {
    const { service, owner, other, admin, outing } = await startVote(t);
    await joinAs(service.api, outing, 'Zoë', ballot({ 1: 'yes' }));
    bodyOf(await voteByLink(other, outing, ballot({})));
    const path = await pathOf(owner, outing, 'Zoë');
    const own = await pathOf(owner, outing, 'alice');
    const elsewhere = await addOuting(owner, [1, 2]);
    const id = path.split('/').at(-1) ?? '';
    const refusals: readonly (readonly [Client, string, readonly unknown[]])[] = [
      [other, path, [403, 'Only its creator may do this']],
      [admin, path, [404, 'Outing not found']],
      [service.api, path, [401, 'Authentication required']],
      [owner, own, [404, 'Participant not found']],
      [owner, `/outings/${elsewhere.id}/participants/${id}`, [404, 'Participant not found']],
      [owner, `/outings/${outing.id}/participants/x`, [400, 'Invalid participant ID']],
    ];
    for (const [api, at, refusal] of refusals) assert.deepEqual(refusalOf(await api.delete(at)), refusal, at);
    await closed(owner, outing);
    assert.deepEqual(refusalOf(await owner.delete(path)), [409, 'Voting has ended']);
    bodyOf(await owner.delete(`/outings/${outing.id}`));
    assert.deepEqual(refusalOf(await owner.delete(path)), [409, 'Voting has ended']);
    assert.equal(participantsOf(await openLink(owner, outing)).length, 3);
  });
});

describe('the end of an outing', () => {
  test('is when it was decided, also for readers who come before the timer', async (t) => {
    const { owner, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    const end = new Date(Date.now() - 30_000).toISOString();
    const changed = async (): Promise<unknown> =>
      /LAST-MODIFIED:\w+/.exec(String((await service.api.get(`/shared/${outing.token}.ics`)).body))?.[0];
    changeStored(service.folder, 'UPDATE outings SET closes_at = ?', end);
    const expected = `LAST-MODIFIED:${stampOf(new Date(end))}`;
    assert.equal(await changed(), expected);
    await until(
      () => field(readStored(service.folder, 'SELECT state FROM outings')[0], 'state') === 'decided',
    );
    await closed(owner, outing);
    assert.equal(await changed(), expected);
  });

  test('is a year before all of it is removed', async (t) => {
    const { owner, service } = await startOutings(t);
    for (let count = 0; count < 24; count += 1) await addOuting(owner, [1, 2]);
    const daysAgo = (days: number): string => new Date(Date.now() - days * 864e5).toISOString();
    const set = (days: number, where: string): void => {
      changeStored(service.folder, `UPDATE outings SET changed_at = ? WHERE ${where}`, daysAgo(days));
    };
    for (const id of [1, 2]) await closed(owner, { id, token: '' });
    for (let id = 4; id <= 24; id += 1) bodyOf(await owner.delete(`/outings/${id}`));
    set(366, 'id <> 2');
    set(364, 'id = 2');
    const left = (): unknown[] =>
      readStored(service.folder, 'SELECT id FROM outings ORDER BY id').map((row) => field(row, 'id'));
    await until(() => left().length <= 2);
    assert.deepEqual(left(), [2, 3]);
    const rows = readStored(
      service.folder,
      'SELECT outing_id FROM outing_voters UNION ALL SELECT outing_id FROM outing_options',
    );
    assert.deepEqual([...new Set(rows.map((row) => field(row, 'outing_id')))], [2, 3]);
  });
});
