import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import { allChanges, cursorForNow, deeds, idsOf, refusal } from '../support/changes.ts';
import { type Answer, type Client, field, record, textOf } from '../support/client.ts';
import { changeStored } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { until } from '../support/until.ts';
import { ratingOf } from '../support/world.ts';

const INVALID = [400, 'Invalid cursor'] as const;
const GONE = 'Changes behind this cursor are not kept';

const read = (api: Client, query: string): Promise<Answer> => api.get(`/changes?${query}`);
const places = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `P ${index}` }));

/** Requires the answer that leads a follower back to the lists. */
function requireGone(answer: Answer): void {
  assert.deepEqual(refusal(answer), [410, GONE]);
  assert.equal(answer.headers.get('link'), '</api/restaurants>; rel="alternate"');
}

/** Cursors for the places behind each of the first changes. */
async function cursorsOf(api: Client, count: number): Promise<string[]> {
  const cursors: string[] = [];
  for (let since = 'start'; cursors.length < count;)
    cursors.push((since = textOf((await read(api, `since=${since}&limit=1`)).body, 'next')));
  return cursors;
}

describe('GET /changes', () => {
  test('answers no data without a place, but a cursor for now, which is valid on an empty log', async (t) => {
    const { api } = await startService(t);
    for (const query of ['', 'kind=rating']) {
      const { body } = await read(api, query);
      assert.deepEqual({ ...record(body), next: 0 }, { data: [], next: 0, has_more: false });
    }
    const now = await cursorForNow(api);
    await createRestaurants(api, places(3));
    const later = await cursorForNow(api);
    await createRestaurants(api, [{ name: 'Last' }]);
    assert.deepEqual(idsOf(await allChanges(api, '', { from: now })), [1, 2, 3, 4]);
    assert.deepEqual(idsOf(await allChanges(api, '', { from: later })), [4]);
    const end = await read(api, `since=${await cursorForNow(api)}`);
    assert.deepEqual([field(end.body, 'data'), field(end.body, 'has_more')], [[], false]);
  });

  longTest('ends a page after a megabyte, in whatever script the changes are', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, places(1));
    const rating = { restaurant_id: 1, food_rating: 5, service_rating: 5, ambiance_rating: 5 };
    const comment = '寿司'.repeat(2500);
    for (let at = 0; at < 80; at += 1) await api.post('/ratings', { ...rating, comment });
    const page = await read(api, 'since=start&limit=1000');
    assert.equal(field(page.body, 'has_more'), true);
    const size = Buffer.byteLength(JSON.stringify(page.body));
    assert.ok(size > 900_000 && size < 1_100_000, `${size} bytes`);
    assert.equal((await allChanges(api, '', { limit: 1000 })).length, 81);
  });

  test('goes back from the newest to the end, where there is no next', async (t) => {
    const { api } = await startService(t);
    const empty = await read(api, 'order=newest');
    assert.deepEqual(empty.body, { data: [], next: null, has_more: false });
    await createRestaurants(api, places(5));
    assert.deepEqual(idsOf(await allChanges(api, '', { from: 'newest', limit: 2 })), [5, 4, 3, 2, 1]);
    const whole = await read(api, 'order=newest&limit=5');
    assert.deepEqual([field(whole.body, 'next'), field(whole.body, 'has_more')], [null, false]);
  });

  test('takes a cursor with any filters', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, places(3));
    const [, second = ''] = await cursorsOf(api, 2);
    await api.post('/ratings', ratingOf(1));
    const found = await allChanges(api, 'kind=rating&action=create', { from: second });
    assert.deepEqual(deeds(found), ['rating create']);
    const filtered = textOf((await read(api, 'since=start&kind=photo')).body, 'next');
    await createRestaurants(api, [{ name: 'Last' }]);
    assert.deepEqual(idsOf(await allChanges(api, '', { from: filtered })), [5]);
  });

  test('refuses what is no cursor of its own, or one of the other order', async (t) => {
    const [{ api }, other] = [await startService(t), await startService(t)];
    for (const one of [api, other.api]) await createRestaurants(one, places(3));
    const cursor = await cursorForNow(api);
    const back = textOf((await read(api, 'order=newest&limit=1')).body, 'next');
    const middle = Math.floor(cursor.length / 2);
    const tampered =
      cursor.slice(0, middle) + (cursor[middle] === 'A' ? 'B' : 'A') + cursor.slice(middle + 1);
    const batches = 'x'.repeat(40);
    for (const bad of [
      back,
      tampered,
      cursor.slice(0, -1),
      `${cursor}A`,
      'x',
      batches,
      await cursorForNow(other.api),
    ])
      assert.deepEqual(refusal(await read(api, `since=${bad}`)), INVALID, bad);
    for (const bad of [cursor, 'start', 'x'])
      assert.deepEqual(refusal(await read(api, `order=newest&since=${bad}`)), INVALID, bad);
    assert.deepEqual(refusal(await api.get(`/changes/stream?since=${back}`)), INVALID);
    assert.deepEqual(refusal(await api.get('/changes/stream', { 'Last-Event-ID': 'x' })), INVALID);
  });

  test('refuses limits out of range, unknown words, and ids of no one kind', async (t) => {
    const { api } = await startService(t);
    const needs = 'entity_id needs one kind';
    for (const query of ['entity_id=1', 'entity_id=1&kind=rating,photo'])
      assert.deepEqual(refusal(await read(api, query)), [400, needs]);
    assert.equal((await read(api, 'entity_id=1&kind=rating')).status, 200);
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=x',
      'kind=user',
      'action=purge',
      'order=up',
      'actor=x',
    ])
      assert.equal((await read(api, query)).status, 400, query);
    for (const query of ['limit=1', 'limit=1000']) assert.equal((await read(api, query)).status, 200);
  });
});

describe('a cursor', () => {
  test('ends where changes behind it were removed for their age, and is good otherwise', async (t) => {
    const before = await startService(t);
    await createRestaurants(before.api, places(6));
    const cursors = await cursorsOf(before.api, 6);
    const empty = 'start';
    const back = textOf((await read(before.api, 'order=newest&limit=4')).body, 'next');
    await before.stop();
    changeStored(before.folder, "UPDATE changes SET at = '2020-01-01T00:00:00.000Z' WHERE id <= 3");
    const settings = { DATA_DIR: before.folder, CHANGE_LOG_DAYS: '40' };
    const { api } = await startService(t, settings);
    await until(async () => (await allChanges(api)).length === 3);
    // Behind the third nothing is missing, but it was another change before its age was made up.
    for (const gone of cursors.slice(0, 2)) requireGone(await read(api, `since=${gone}`));
    requireGone(await read(api, `order=newest&since=${back}`));
    assert.deepEqual(idsOf(await allChanges(api, '', { from: cursors[3] ?? '' })), [5, 6]);
    assert.deepEqual(idsOf(await allChanges(api, '', { from: empty })), [4, 5, 6]);
    requireGone(await api.get(`/changes/stream?since=${cursors[0] ?? ''}`));
    assert.equal((await api.get('/changes/3')).status, 404);
    assert.deepEqual(idsOf(await allChanges(api, '', { from: 'newest', limit: 1 })), [6, 5, 4]);
  });

  test('that was for an empty log ends with its first change', async (t) => {
    const before = await startService(t);
    const cursor = await cursorForNow(before.api);
    await createRestaurants(before.api, places(3));
    await before.stop();
    changeStored(before.folder, "UPDATE changes SET at = '2020-01-01T00:00:00.000Z'");
    const { api } = await startService(t, { DATA_DIR: before.folder });
    // The last one stays: cursors for now stand there.
    await until(async () => (await allChanges(api)).length === 1);
    requireGone(await read(api, `since=${cursor}`));
  });

  test('ends where an older database was restored and another change stands there', async (t) => {
    const first = await startService(t);
    await createRestaurants(first.api, places(2));
    await first.stop();
    const copy = temporaryFolder(t);
    cpSync(first.folder, copy, { recursive: true });
    const lost = await startService(t, { DATA_DIR: first.folder });
    const shared = await cursorForNow(lost.api);
    await createRestaurants(lost.api, [{ name: 'Lost 1' }, { name: 'Lost 2' }]);
    const cursors = await cursorsOf(lost.api, 4);
    await lost.stop();
    rmSync(first.folder, { recursive: true });
    const { api } = await startService(t, { DATA_DIR: copy });
    for (const beyond of cursors.slice(2)) requireGone(await read(api, `since=${beyond}`));
    await createRestaurants(api, places(6).slice(2));
    for (const other of cursors.slice(2)) requireGone(await read(api, `since=${other}`));
    assert.deepEqual(idsOf(await allChanges(api, '', { from: shared })), [3, 4, 5, 6]);
  });
});
