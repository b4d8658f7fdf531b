import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { array, bodyOf, field, headerValues, ids } from '../../support/client.ts';
import { changeStored } from '../../support/people.ts';
import { inTurns } from '../../support/in-turns.ts';
import {
  addOuting,
  ballot,
  closed,
  inDays,
  openLink,
  participantsOf,
  refusalOf,
  startOutings,
  vote,
  voteByLink,
} from '../../support/outings.ts';

const NOT_FOUND = [404, 'Outing not found'];

describe('an outing', () => {
  test('is found by those who take part alone, and the link shows it to everyone', async (t) => {
    const { owner, other, admin, service } = await startOutings(t);
    const outing = await addOuting(owner, [1, 2]);
    const path = `/outings/${outing.id}`;
    for (const api of [other, admin]) assert.deepEqual(refusalOf(await api.get(path)), NOT_FOUND);
    assert.equal((await service.api.get(path)).status, 401);
    assert.deepEqual(refusalOf(await owner.get('/outings/99')), NOT_FOUND);
    await vote(owner, outing, ballot({ 1: 'yes' }));
    const answer = await service.api.get(`/shared/${outing.token}`);
    assert.deepEqual(headerValues(answer, 'cache-control', 'referrer-policy', 'x-robots-tag', 'etag'), [
      'private, no-store',
      'no-referrer',
      'noindex',
      null,
    ]);
    assert.equal(field(answer.body, 'kind'), 'outing');
    for (const api of [service.api, other]) {
      const seen = await openLink(api, outing);
      assert.equal(field(seen, 'ballot'), null);
      assert.deepEqual(participantsOf(seen), [['alice', false, true, true]]);
    }
  });

  test('is one of at most 100 that a user has open, and of 1000 in a year', async (t) => {
    const { owner, other, service } = await startOutings(t);
    await inTurns(100, 4, () => addOuting(owner, [1, 2]));
    const body = { at: inDays(1), options: [1, 2] };
    assert.deepEqual(refusalOf(await owner.post('/outings', body)), [409, 'At most 100 open outings']);
    await addOuting(other, [1, 2]);
    bodyOf(await owner.delete('/outings/7'));
    await closed(owner, { id: 8, token: '' });
    await addOuting(owner, [1, 2]);
    await addOuting(owner, [1, 2]);
    assert.equal((await owner.post('/outings', body)).status, 409);
    const older = `INSERT INTO outings (user_id, token, at, closes_at, state, created_at, changed_at)
      SELECT user_id, value, at, closes_at, 'cancelled', created_at, changed_at FROM outings, json_each(?) WHERE outings.id = 7`;
    changeStored(service.folder, older, JSON.stringify(Array.from({ length: 898 }, (_, i) => `${i}`)));
    await closed(owner, { id: 9, token: '' });
    const refused = [409, 'You have started 1000 outings in a year'];
    assert.deepEqual(refusalOf(await owner.post('/outings', body)), refused);
  });
});

describe('the outings of a user', () => {
  test('are the own and the joined ones, the newest first, page by page', async (t) => {
    const { owner, other, service } = await startOutings(t);
    for (let count = 0; count < 4; count += 1) await addOuting(owner, [1, 2]);
    const joined = await addOuting(other, [1, 2]);
    await addOuting(other, [2, 3]);
    await voteByLink(owner, joined, ballot({ 1: 'yes' }));
    await owner.delete('/outings/2');
    await closed(owner, { id: 3, token: '' });
    const found: number[] = [];
    let [cursor, pages]: [unknown, number] = ['', 0];
    while (typeof cursor === 'string' && pages < 9) {
      const page: unknown = bodyOf(await owner.get(`/outings?limit=2${cursor && `&cursor=${cursor}`}`));
      assert.equal(field(page, 'total'), 5);
      found.push(...ids(field(page, 'data')));
      cursor = field(page, 'next_cursor');
      pages += 1;
    }
    assert.equal(pages, 3);
    assert.deepEqual(found, [5, 4, 3, 2, 1]);
    const states = array(field((await owner.get('/outings')).body, 'data')).map((one) => field(one, 'state'));
    assert.deepEqual(states, ['open', 'open', 'decided', 'cancelled', 'open']);
    assert.equal((await service.api.get('/outings')).status, 401);
    assert.equal((await owner.get('/outings?cursor=x')).status, 400);
    assert.deepEqual(ids(field((await other.get('/outings')).body, 'data')), [6, 5]);
  });
});
