import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bodyOf, field } from '../../support/client.ts';
import { changeStored } from '../../support/people.ts';
import {
  startOutings,
  startVote,
  addOuting,
  ballot,
  closed,
  inDays,
  joinAs,
  namesIn,
  openLink,
  participantsOf,
  refusalOf,
  resultOf,
  seenIn,
  sumsOf,
  vote,
  voteByLink,
} from '../../support/outings.ts';
import { startService } from '../../support/service.ts';
import { createRestaurants } from '../../support/catalogue.ts';

describe('guests who come at the same moment', () => {
  test('have different names, are ten at most at one address, and leave ten of 50 places to users', async (t) => {
    const { service, owner, other } = await startOutings(t, { TRUSTED_PROXIES: 'loopback' });
    const { api } = service;
    const outing = await addOuting(owner, [1, 2]);
    const join = async (name: string, from: string): Promise<string> => {
      const answer = await voteByLink(api, outing, { name, ...ballot({ 1: 'ok' }) }, from);
      return answer.status === 200 ? 'joined' : String(field(answer.body, 'error'));
    };
    const count = (answers: readonly string[]): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const one of answers) counts[one] = (counts[one] ?? 0) + 1;
      return counts;
    };
    const same = await Promise.all(['Zoë', 'zoë', 'ZOË', 'Zoë'].map((name) => join(name, '2001:db8::1')));
    assert.deepEqual(count(same), { joined: 1, 'name already exists': 3 });
    // One /64 counts as one address.
    const near = await Promise.all(
      Array.from({ length: 15 }, (_, index) => join(`Near ${index}`, `2001:db8::${index + 2}`)),
    );
    assert.deepEqual(count(near), { joined: 9, 'An outing has at most 10 guests from one address': 6 });
    const far = await Promise.all(
      Array.from({ length: 35 }, (_, index) => join(`Far ${index}`, `192.0.2.${index}`)),
    );
    assert.deepEqual(count(far), { joined: 29, 'The last 10 places are for people with an account': 6 });
    bodyOf(await voteByLink(other, outing, ballot({ 1: 'ok' })));
    const seen = await closed(owner, outing);
    assert.deepEqual([participantsOf(seen).length, sumsOf(seen)[0]], [41, [0, 40, 0, 0]]);
  });

  test('are refused beside 50 participants, who can all change their votes', async (t) => {
    const { service, owner, other, outing } = await startVote(t);
    const secret = await joinAs(service.api, outing, 'Zoë', ballot({ 1: 'yes' }));
    const add = `INSERT INTO outing_voters (outing_id, guest_name, name_key, secret_hash, coming)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 48) SELECT 1, i, i, x'00', 1 FROM n`;
    changeStored(service.folder, add);
    const full = [409, 'An outing has at most 50 participants'];
    assert.deepEqual(refusalOf(await voteByLink(other, outing, ballot({}))), full);
    assert.deepEqual(refusalOf(await voteByLink(service.api, outing, { name: 'Last', ...ballot({}) })), full);
    bodyOf(await voteByLink(service.api, outing, { secret, ...ballot({ 1: 'no' }) }));
    bodyOf(await vote(owner, outing, ballot({ 1: 'no' })));
    assert.deepEqual(sumsOf(await closed(owner, outing))[0], [0, 0, 2, 0]);
  });
});

describe('an outing of mode none', () => {
  test('has no creator, and people vote under names that they type', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'A' }, { name: 'B' }]);
    const answer = await api.post('/outings', { at: inDays(1), options: [1, 2] });
    assert.equal(field(bodyOf(answer), 'created_by'), null);
    assert.deepEqual(participantsOf(answer.body), []);
    const outing = seenIn(answer);
    await joinAs(api, outing, 'Zoë', ballot({ 2: 'yes' }));
    await joinAs(api, outing, 'Max', ballot({ 2: 'ok' }));
    assert.deepEqual(namesIn(bodyOf(await api.get(`/outings/${outing.id}`))), ['Zoë', 'Max']);
    assert.deepEqual(resultOf(await closed(api, outing)), [2, 'votes']);
    assert.equal((await api.delete(`/outings/${outing.id}`)).status, 204);
    assert.equal(field(await openLink(api, outing), 'state'), 'cancelled');
  });
});
