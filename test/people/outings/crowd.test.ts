import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bodyOf, field } from '../../support/client.ts';
import {
  startVote,
  ballot,
  closed,
  inDays,
  joinAs,
  openLink,
  participantsOf,
  resultOf,
  seenIn,
  voteByLink,
} from '../../support/outings.ts';
import { startService } from '../../support/service.ts';
import { createRestaurants } from '../../support/catalogue.ts';

const namesIn = (outing: unknown): unknown[] => participantsOf(outing).map(([name]) => name);

describe('guests who come at the same moment', () => {
  test('have different names, and are 50 at most with the creator', async (t) => {
    const { service, outing } = await startVote(t);
    const { api } = service;
    const join = async (name: string): Promise<number> =>
      (await voteByLink(api, outing, { name, ...ballot({ 1: 'yes' }) })).status;
    const same = await Promise.all(['Zoë', 'zoë', 'ZOË', 'Zoë'].map(join));
    assert.deepEqual(same.toSorted(), [200, 409, 409, 409]);
    const many = await Promise.all(Array.from({ length: 55 }, (_, index) => join(`Guest ${index}`)));
    assert.equal(many.filter((status) => status === 200).length, 48);
    assert.equal(namesIn(await openLink(api, outing)).length, 50);
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
