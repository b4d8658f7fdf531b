import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allChanges, changeOf, cursorForNow, idsOf } from '../support/changes.ts';
import { type Client, array, createClient, field } from '../support/client.ts';
import { LOCAL, type Person, changeStored, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { follow } from '../support/streams.ts';
import { until } from '../support/until.ts';
import { startWorld } from '../support/world.ts';

const VISIT = { restaurant_id: 1, visited_on: '2026-01-02', note: 'Nobody else knows' };
const OLD = "UPDATE changes SET at = '2020-01-01T00:00:00.000Z' WHERE kind = 'visit'";

/** Logs visits of a user, past the service. */
function logVisits(folder: string, ownerId: number, count: number): void {
  changeStored(
    folder,
    `INSERT INTO changes (at, kind, entity_id, action, name, after, owner_id, actor_id, via)
     WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     SELECT '2026-01-01T00:00:00.000Z', 'visit', n, 'create', 'Made up', '{}', ?, ?, 'api' FROM numbers`,
    count,
    ownerId,
    ownerId,
  );
}

/** All that tells where the log ends, as a caller sees it. */
async function ends(api: Client, cursor: string): Promise<unknown[]> {
  const back = field((await api.get('/changes?order=newest&limit=1')).body, 'next');
  const queries = [
    '',
    'since=start',
    'since=start&limit=1',
    'since=start&kind=photo',
    `since=${cursor}`,
    `since=${cursor}&kind=rating`,
    'order=newest',
    'order=newest&limit=1',
    `order=newest&since=${String(back)}`,
    'order=newest&kind=photo',
  ];
  return Promise.all(queries.map(async (query) => (await api.get(`/changes?${query}`)).body));
}

describe('the private writes of others', () => {
  longTest('move no cursor, and leave no trace in any page or in the id of a stream', async (t) => {
    const { service, people, owner, other, admin, token } = await startWorld(t);
    await owner.post('/restaurants', { name: 'Chez Nous' });
    await owner.post('/categories', { name: 'Nordic' });
    const cursor = await cursorForNow(other);
    const headers = { Authorization: `Bearer ${people.other.accessToken}` };
    const ready = async (): Promise<unknown> =>
      (await follow(t, service.url, { headers })).events.map(({ id }) => id);
    const before = await Promise.all([other, admin].map((api) => ends(api, cursor)));
    const readyBefore = await ready();
    const visited = await token.post('/visits', VISIT);
    assert.equal(visited.status, 201);
    assert.equal((await owner.put('/lists/want/items/1', {})).status, 200);
    assert.deepEqual(await Promise.all([other, admin].map((api) => ends(api, cursor))), before);
    assert.deepEqual(await ready(), readyBefore);
    assert.equal((await other.get(`/changes/${changeOf(visited)}`)).status, 404);
    assert.ok((await cursorForNow(owner)) !== cursor);
    assert.equal((await allChanges(owner, '', { from: cursor })).length, 2);
  });

  longTest('are skipped at once, however many there are', async (t) => {
    const { service, people, owner, other } = await startWorld(t);
    await owner.post('/restaurants', { name: 'Chez Nous' });
    const cursor = await cursorForNow(other);
    const headers = { Authorization: `Bearer ${people.other.accessToken}` };
    logVisits(service.folder, people.owner.id, 25_000);
    const late = await follow(t, service.url, { headers, query: `since=${cursor}` });
    const id = changeOf(await owner.post('/restaurants', { name: 'Chez Eux' }));
    for (const query of [`since=${cursor}`, `since=${cursor}&kind=restaurant`, 'order=newest&limit=1']) {
      const { body } = await other.get(`/changes?${query}`);
      assert.equal(field(array(field(body, 'data'))[0], 'id'), id, query);
    }
    const pages = await allChanges(other, 'kind=restaurant', { from: 'newest', limit: 1 });
    assert.deepEqual(idsOf(pages), [id, 1]);
    await until(() => late.events.length === 2);
    assert.equal(late.events[1]?.data['id'], id);
  });

  test('do not make a cursor invalid once they are too old, as those of the reader do', async (t) => {
    const before = await startService(t, LOCAL);
    const [alice, bob] = [await signUp(before, 'alice'), await signUp(before, 'bob')];
    await alice.api.post('/restaurants', { name: 'Chez Nous' });
    changeStored(before.folder, "UPDATE changes SET at = '2020-01-01T00:00:00.000Z'");
    const cursors = [await cursorForNow(alice.api), await cursorForNow(bob.api)];
    await alice.api.post('/visits', VISIT);
    changeStored(before.folder, OLD);
    await alice.api.post('/restaurants', { name: 'Chez Eux' });
    const ready = changeOf(await bob.api.post('/restaurants', { name: 'Chez Vous' }));
    await before.stop();
    const { url } = await startService(t, { ...LOCAL, DATA_DIR: before.folder });
    const read = ({ accessToken }: Person, cursor = '') =>
      createClient(url, { Authorization: `Bearer ${accessToken}` }).get(`/changes?since=${cursor}`);
    await until(async () => (await read(alice, cursors[0])).status === 410);
    const { status, body } = await read(bob, cursors[1]);
    assert.deepEqual([status, field(array(field(body, 'data'))[1], 'id')], [200, ready]);
  });
});
