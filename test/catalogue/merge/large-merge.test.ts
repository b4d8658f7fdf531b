import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { MOST_MOVES, Moves } from '../../../src/catalogue/restaurants/moves.ts';
import { openExistingStorage } from '../../../src/storage/storage.ts';
import { changeOf, refusal, revert } from '../../support/changes.ts';
import { type Answer, type Client, field, headerValues } from '../../support/client.ts';
import { addItems } from '../../support/lists.ts';
import { addManyTo, faultsIn, merge, startTwins } from '../../support/merges.ts';
import { changeStored } from '../../support/people.ts';
import { scaled } from '../../support/size.ts';

const RATINGS = scaled(20_000);
const VISITS = scaled(5_000);
// A server that did the work itself would answer none of them before.
const MEANWHILE = 5;

/** Waits for a write, and counts the reads and other writes that are answered before it. */
async function meanwhile(api: Client, write: Promise<Answer>): Promise<readonly [Answer, number]> {
  let answered = 0;
  let before = 0;
  const done = write.finally(() => (before = answered));
  const end = done.then(() => true);
  const isDone = (): Promise<boolean> => Promise.race([end, immediate(false)]);
  while (!(await isDone())) {
    assert.equal((await api.get('/restaurants/3')).status, 200);
    assert.equal((await api.put('/restaurants/3', { phone: `+33 ${answered}` })).status, 200);
    answered += 2;
  }
  return [await done, before];
}

describe('a merge of restaurants with a lot to move', () => {
  test('and its revert let other requests go on, and are one write each', async (t) => {
    const { admin, owner, people, service } = await startTwins(t);
    addManyTo(service.folder, 2, people.owner.id, RATINGS, VISITS);
    await addItems(owner, 'want', [2]);
    const countsAt = async (id: number): Promise<unknown[]> => [
      field(field((await admin.get(`/restaurants/${id}`)).body, 'avg_rating'), 'count'),
      field((await owner.get(`/visits?restaurant_id=${id}&limit=1`)).body, 'total'),
      field((await owner.get('/lists/want')).body, 'item_count'),
    ];
    const before = (await admin.get('/restaurants/2')).body;
    const [done, answered] = await meanwhile(admin, merge(admin, 1, 2));
    assert.equal(done.status, 200);
    assert.deepEqual(done.body, (await admin.get('/restaurants/1')).body);
    assert.ok(answered >= MEANWHILE, `${answered} were answered`);
    assert.deepEqual(await countsAt(1), [RATINGS, VISITS, 1]);
    assert.equal(
      (await admin.get('/restaurants/2')).headers.get('link'),
      '</api/restaurants/1>; rel="canonical"',
    );
    assert.deepEqual(faultsIn(service), []);

    const [back, answeredThen] = await meanwhile(admin, revert(admin, changeOf(done)));
    assert.equal(back.status, 200);
    assert.ok(answeredThen >= MEANWHILE, `${answeredThen} were answered`);
    assert.deepEqual((await admin.get('/restaurants/2')).body, before);
    assert.deepEqual(await countsAt(2), [RATINGS, VISITS, 1]);
    assert.deepEqual(await countsAt(1), [0, 0, 1]);
    assert.deepEqual(faultsIn(service), []);
    const [again] = await meanwhile(admin, revert(admin, changeOf(back)));
    assert.equal(again.status, 200);
    assert.deepEqual(await countsAt(1), [RATINGS, VISITS, 1]);
    assert.deepEqual(faultsIn(service), []);
  });

  test('is refused and repeated as one that moves little', async (t) => {
    const { admin, owner, people, service } = await startTwins(t, { WRITE_ACCESS: 'admins' });
    addManyTo(service.folder, 2, people.owner.id, 1_001, 0);
    assert.deepEqual(refusal(await merge(admin, 1, 2, 9)), [404, 'Restaurant not found']);
    assert.equal((await merge(owner, 1, 2)).status, 403);
    await admin.post('/restaurants', { name: 'Autre', address: '1 Rue du Bac, Paris' });
    assert.deepEqual(refusal(await merge(admin, 3, 2)), [409, 'Restaurant already exists: "Autre" (id 4)']);
    const key = { 'Idempotency-Key': 'one' };
    const post = (path: string): Promise<Answer> => admin.post(path, { from: [2] }, key);
    const [first, second] = [await post('/restaurants/1/merge'), await post('/restaurants/1/merge')];
    assert.deepEqual([first.status, second.body], [200, first.body]);
    assert.deepEqual(headerValues(second, 'change', 'idempotent-replay'), [
      first.headers.get('change'),
      'true',
    ]);
    const change = changeOf(first);
    await admin.put('/restaurants/1', { phone: '1' });
    assert.deepEqual(refusal(await revert(admin, change)), [
      409,
      `Change ${change} cannot be reverted: phone of restaurant 1 was changed later`,
    ]);
    assert.equal((await revert(owner, change)).status, 403);
    assert.deepEqual(faultsIn(service), []);
  });

  test('is one with long texts or many lists, too, and so is its revert', async (t) => {
    const { service } = await startTwins(t);
    const storage = openExistingStorage(service.folder);
    const moves = new Moves(storage.queries.file('moves'));
    const counts: number[] = [];
    try {
      for (const sql of [
        `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, created_at, updated_at, comment)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
         SELECT 2, 1, 1, 1, '2026-01-01T00:00:00.000Z', '', printf('%.*c', 5000, 'x') FROM n`,
        `INSERT INTO moved (from_id, kind, id) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 110)
         SELECT 3, 'item', i FROM n`,
      ]) {
        changeStored(service.folder, sql);
        counts.push(moves.count([2]), moves.count([3]));
      }
    } finally {
      storage.close();
    }
    assert.deepEqual(
      counts.map((count) => count > MOST_MOVES),
      [true, false, true, true],
    );
  });
});
