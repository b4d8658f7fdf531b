import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bodyOf, field, record } from '../../support/client.ts';
import {
  startVote,
  addOuting,
  ballot,
  closed,
  endVoting,
  joinAs,
  namesIn,
  openLink,
  participantsOf,
  refusalOf,
  resultOf,
  sumsOf,
  vote,
  voteByLink,
} from '../../support/outings.ts';

const ENDED = [409, 'Voting has ended'];

describe('a ballot', () => {
  test('of the creator can be changed until the end', async (t) => {
    const { owner, outing } = await startVote(t);
    const first = bodyOf(await vote(owner, outing, ballot({ 1: 'yes', 2: 'ok', 3: 'no' }, 3)));
    assert.deepEqual(field(first, 'ballot'), {
      coming: true,
      choices: { 1: 'yes', 2: 'ok', 3: 'no' },
      veto: 3,
    });
    assert.deepEqual(participantsOf(first), [['alice', false, true, true]]);
    const second = bodyOf(await vote(owner, outing, { coming: true, choices: { 2: 'yes' } }));
    assert.deepEqual(field(second, 'ballot'), { coming: true, choices: { 2: 'yes' }, veto: null });
    const third = bodyOf(await vote(owner, outing, { coming: false }));
    assert.deepEqual(participantsOf(third), [['alice', false, false, true]]);
    bodyOf(await vote(owner, outing, ballot({ 1: 'yes', 2: 'ok', 3: 'no' }, 3)));
    assert.deepEqual(sumsOf(await closed(owner, outing)), [
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 1, 1],
    ]);
  });

  test('is for those who take part: another user joins by the first ballot with the link', async (t) => {
    const { owner, other, outing } = await startVote(t);
    assert.deepEqual(refusalOf(await vote(other, outing, ballot({}))), [404, 'Outing not found']);
    bodyOf(await other.get(`/shared/${outing.token}`));
    assert.deepEqual(refusalOf(await other.get(`/outings/${outing.id}`)), [404, 'Outing not found']);
    const joined = bodyOf(await voteByLink(other, outing, ballot({ 1: 'yes' })));
    assert.deepEqual(Object.keys(record(joined)), ['kind', 'outing']);
    assert.deepEqual(namesIn(field(joined, 'outing')), ['alice', 'bob']);
    bodyOf(await vote(other, outing, ballot({ 1: 'ok' })));
    bodyOf(await voteByLink(owner, outing, ballot({ 1: 'ok' })));
    assert.deepEqual(namesIn(bodyOf(await other.get(`/outings/${outing.id}`))), ['alice', 'bob']);
    assert.deepEqual(sumsOf(await closed(owner, outing))[0], [0, 2, 0, 0]);
  });

  test('of a user ignores a name and a secret', async (t) => {
    const { other, service, outing } = await startVote(t);
    const secret = await joinAs(service.api, outing, 'Zoë', ballot({ 1: 'yes' }));
    const answer = await voteByLink(other, outing, { ...ballot({ 1: 'no' }), name: 'Zoë', secret });
    assert.deepEqual(namesIn(field(bodyOf(answer), 'outing')), ['alice', 'Zoë', 'bob']);
    assert.deepEqual(field(await openLink(service.api, outing, secret), 'ballot'), {
      coming: true,
      choices: { 1: 'yes' },
      veto: null,
    });
  });

  test('with a token that has ended is refused, not taken for a guest’s', async (t) => {
    const { service, outing } = await startVote(t);
    const headers = { Authorization: 'Bearer none' };
    const body = { ...ballot({ 1: 'yes' }), name: 'Zoë' };
    assert.equal((await service.api.put(`/shared/${outing.token}/ballot`, body, headers)).status, 401);
    assert.deepEqual(namesIn(await openLink(service.api, outing)), ['alice']);
  });

  const OPTIONS = 'choices and veto must be of the options';
  const CHOICES = 'choices must be an object of yes, ok, no by the ids of options';
  const refusals: readonly (readonly [object, string])[] = [
    [{}, 'coming is required'],
    [{ coming: 'yes' }, 'coming must be true or false'],
    [{ coming: null }, 'coming is required'],
    [{ coming: true, choices: { 4: 'yes' } }, OPTIONS],
    [{ coming: true, veto: 4 }, OPTIONS],
    [{ coming: true, choices: { 1: 'maybe' } }, CHOICES],
    [{ coming: true, choices: { 1: ['yes'] } }, CHOICES],
    [{ coming: true, choices: { '01': 'yes' } }, CHOICES],
    [{ coming: true, choices: { '1.0': 'yes' } }, CHOICES],
    [{ coming: true, choices: { A: 'yes' } }, CHOICES],
    [{ coming: true, choices: ['yes'] }, CHOICES],
    [{ coming: true, choices: 'yes' }, CHOICES],
    [{ coming: true, veto: '1' }, 'veto must be a positive integer'],
    [{ coming: true, veto: [1, 2] }, 'veto must be a positive integer'],
  ];
  test('of the wrong shape is refused, and leaves the last one', async (t) => {
    const { owner, outing } = await startVote(t);
    await vote(owner, outing, ballot({ 1: 'yes' }, 2));
    for (const [body, sentence] of refusals) {
      assert.deepEqual(refusalOf(await vote(owner, outing, body)), [400, sentence], JSON.stringify(body));
      const byLink = await voteByLink(owner, outing, body);
      assert.deepEqual(refusalOf(byLink), [400, sentence], JSON.stringify(body));
    }
    const seen = bodyOf(await owner.get(`/outings/${outing.id}`));
    assert.deepEqual(field(seen, 'ballot'), { coming: true, choices: { 1: 'yes' }, veto: 2 });
  });

  test('after the end is refused, however it ended', async (t) => {
    const { owner, other, service, outing } = await startVote(t);
    const { api } = service;
    const secret = await joinAs(api, outing, 'Zoë', ballot({ 1: 'yes' }));
    bodyOf(await voteByLink(other, outing, ballot({ 1: 'yes' })));
    const cancelled = await addOuting(owner, [1, 2]);
    bodyOf(await owner.delete(`/outings/${cancelled.id}`));
    const over = await addOuting(owner, [1, 2]);
    endVoting(service, `id = ${over.id}`);
    await closed(owner, outing);
    for (const one of [cancelled, over, outing]) {
      assert.deepEqual(refusalOf(await vote(owner, one, ballot({}))), ENDED);
      assert.deepEqual(refusalOf(await voteByLink(owner, one, ballot({}))), ENDED);
      assert.deepEqual(refusalOf(await voteByLink(api, one, { ...ballot({}), name: 'Max' })), ENDED);
    }
    assert.deepEqual(refusalOf(await voteByLink(api, outing, { coming: false, secret })), ENDED);
    assert.deepEqual(resultOf(await openLink(api, outing, secret)), [1, 'votes']);
  });
});
