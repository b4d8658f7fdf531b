import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, bodyOf } from '../../support/client.ts';
import {
  addOuting,
  ballot,
  closed,
  participantsOf,
  refusalOf,
  startOutings,
  sumsOf,
  vote,
  voteByLink,
} from '../../support/outings.ts';
import { remove } from '../../support/accounts.ts';

const UNKNOWN = [404, 'Link is unknown or expired'];

describe('the end of an account', () => {
  const link = async (api: Client, token: string): Promise<unknown[]> => {
    const answer = await api.get(`/shared/${token}`);
    return answer.status === 200 ? [200] : refusalOf(answer);
  };

  test('of a participant for good takes the vote along, and that of the creator the outing', async (t) => {
    const { owner, other, service, people } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    await vote(owner, outing, ballot({ 1: 'yes' }));
    await voteByLink(other, outing, ballot({ 2: 'yes' }, 1));
    const end = (api: Client, password: string): Promise<unknown> => remove(api, '/auth/me', { password });
    await end(other, people.other.password);
    const seen = bodyOf(await owner.get(`/outings/${outing.id}`));
    assert.deepEqual(participantsOf(seen), [['alice', false, true, true]]);
    assert.deepEqual(sumsOf(await closed(owner, outing)), [
      [1, 0, 0, 0],
      [0, 0, 0, 0],
    ]);
    await end(owner, people.owner.password);
    assert.deepEqual(await link(service.api, outing.token), UNKNOWN);
  });
});
