import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refusal } from '../../support/changes.ts';
import { type Client, field, record } from '../../support/client.ts';
import { addManyVisits, openUnread, readToEnd } from '../../support/diaries.ts';
import { addList, addRestaurants, putItem } from '../../support/lists.ts';
import { addOuting, ballot, inDays, joinAs, voteByLink } from '../../support/outings.ts';
import { changeStored } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { until } from '../../support/until.ts';
import { addPhoto, ratingOf, startWorld } from '../../support/world.ts';

async function linesOf(api: Client): Promise<Readonly<Record<string, unknown>>[]> {
  const { status, headers, body } = await api.get('/me/export');
  assert.deepEqual(
    [status, headers.get('content-type'), headers.get('cache-control')],
    [200, 'application/x-ndjson; charset=utf-8', 'private, no-store'],
  );
  const lines = String(body).split('\n');
  assert.equal(lines.pop(), '');
  return lines.map((line) => record(JSON.parse(line)));
}

const typesOf = (lines: readonly Readonly<Record<string, unknown>>[]): unknown[] =>
  lines.map(({ type }) => type);

const ENDS: readonly [string, (by: Readonly<Record<'owner' | 'admin', Client>>) => Promise<unknown>][] = [
  ['its user signs out', ({ owner }) => owner.post('/auth/logout', {})],
  ['its user is deactivated', ({ admin }) => admin.patch('/users/2', { is_active: false })],
];

describe('GET /me/export', () => {
  longTest('has all that is mine, and nothing of others', async (t) => {
    const { owner, other, admin, people } = await startWorld(t);
    await admin.post('/restaurants', { name: 'Chez Nous' });
    for (const api of [owner, other]) {
      await api.post('/ratings', ratingOf(1, api === owner ? 'Mine' : 'Theirs'));
      await addPhoto(api, 1, api === owner ? 'My menu' : 'Their menu');
      await api.post('/suggestions', { name: api === owner ? 'Auberge' : 'Bistro', notes: 'x' });
    }
    const lines = await linesOf(owner);
    assert.deepEqual(typesOf(lines), ['user', 'session', 'rating', 'photo', 'suggestion', 'list', 'list']);
    const [user, session, rating, photo, suggestion] = lines;
    assert.deepEqual([user?.['email'], session?.['current']], [people.owner.email, true]);
    assert.deepEqual([rating?.['comment'], rating?.['restaurant']], ['Mine', { id: 1, name: 'Chez Nous' }]);
    assert.match(String(photo?.['url']), /^\/api\/uploads\/menu_photos\//);
    assert.deepEqual([photo?.['caption'], suggestion?.['name']], ['My menu', 'Auberge']);
    const text = JSON.stringify(lines);
    for (const secret of ['Their', 'Bistro', 'bob', '$argon2', people.owner.refreshToken])
      assert.ok(!text.includes(secret), secret);
  });

  test('has lists, their items and visits, and nothing of those of others', async (t) => {
    const { owner, other, admin } = await startWorld(t);
    await addRestaurants(admin, 'A', 'B');
    for (const api of [owner, other]) {
      const name = api === owner ? 'Mine' : 'Theirs';
      const id = await addList(api, name);
      for (const restaurant of [2, 1]) await putItem(api, id, restaurant, { note: `${name} too` });
      await api.post('/visits', { restaurant_id: 1, note: name, companions: [name] });
    }
    const lines = await linesOf(owner);
    const kinds = ['list', 'list', 'list', 'item', 'item', 'visit'];
    assert.deepEqual(typesOf(lines).slice(-6), kinds);
    const [list, first, second, visit] = lines.slice(-4);
    const { list_id, restaurant, position, note } = record(first);
    assert.deepEqual(
      [list_id, restaurant, position, note],
      [list?.['id'], { id: 2, name: 'B' }, 1, 'Mine too'],
    );
    assert.deepEqual([list?.['name'], second?.['position'], visit?.['note']], ['Mine', 2, 'Mine']);
    assert.ok(!JSON.stringify(lines).includes('Theirs'));
  });

  test('has outings with the own ballot, and neither those who take part nor the link', async (t) => {
    const { owner, other, admin, service } = await startWorld(t);
    await addRestaurants(admin, 'A', 'B');
    const at = inDays(1);
    const made = await addOuting(owner, [1, 2], { title: 'Friday', at });
    const joined = await addOuting(other, [2, 1]);
    await addOuting(other, [1, 2], { title: 'Theirs' });
    await joinAs(service.api, made, 'Widdershins', ballot({ 1: 'yes' }));
    for (const one of [made, joined]) await voteByLink(owner, one, ballot({ 2: 'ok' }, 1));
    const lines = await linesOf(owner);
    const outings = lines.filter(({ type }) => type === 'outing');
    assert.deepEqual(
      outings.map(({ id, created_by }) => [id, field(created_by, 'username')]),
      [
        [joined.id, 'bob'],
        [made.id, 'alice'],
      ],
    );
    const { closes_at, created_by: _alice, ...rest } = record(outings[1]);
    assert.deepEqual(rest, {
      type: 'outing',
      id: made.id,
      title: 'Friday',
      at,
      state: 'open',
      outcome: null,
      winner: null,
      ballot: { coming: true, choices: { 2: 'ok' }, veto: 1 },
      options: [
        { id: 1, name: 'A' },
        { id: 2, name: 'B' },
      ],
    });
    assert.ok(String(closes_at) < at);
    for (const secret of ['Theirs', 'Widdershins', made.token, joined.token])
      assert.ok(!JSON.stringify(lines).includes(secret), secret);
  });

  test('is whole when it is long', async (t) => {
    const { owner, admin, people, service } = await startWorld(t);
    await admin.post('/restaurants', { name: 'Chez Nous' });
    await owner.post('/ratings', ratingOf(1));
    const copies = `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, created_at, updated_at, user_id)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 449)
      SELECT 1, 5, 5, 5, created_at, created_at, ? FROM ratings, n`;
    changeStored(service.folder, copies, people.owner.id);
    const lines = await linesOf(owner);
    const ids = lines.filter(({ type }) => type === 'rating').map(({ id }) => id);
    assert.deepEqual([ids.length, new Set(ids).size], [450, 450]);
  });

  test('of the placeholder has what has no author', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    await api.post('/ratings', ratingOf(1, 'Nice'));
    const lines = await linesOf(api);
    assert.deepEqual(typesOf(lines), ['user', 'rating', 'list', 'list']);
    assert.equal(field(lines[1], 'comment'), 'Nice');
  });

  longTest(
    'is under way once at a time for each user, until it is complete or its client has gone',
    async (t) => {
      const { owner, other, people, service } = await startWorld(t);
      await addManyVisits(service, owner, people.owner.id);
      assert.equal((await owner.send('/api/me/export', { method: 'HEAD' })).status, 200);
      const reader = await openUnread(service.port, '/api/me/export', people.owner.accessToken);
      assert.deepEqual(refusal(await owner.get('/me/export')), [409, 'An export is under way']);
      assert.equal((await other.get('/me/export')).status, 200);
      reader.destroy();
      await until(async () => (await owner.get('/me/export')).status === 200);
      assert.equal((await owner.get('/me/export')).status, 200);
    },
  );

  for (const [title, end] of ENDS)
    longTest(`ends within what was sent when ${title}`, async (t) => {
      const { owner, other, admin, people, service } = await startWorld(t);
      await addManyVisits(service, owner, people.owner.id);
      const reader = await openUnread(service.port, '/api/me/export', people.owner.accessToken);
      await end({ owner, admin });
      changeStored(service.folder, "UPDATE visits SET note = 'written later' WHERE user_id = 2");
      const { all, isWhole } = await readToEnd(reader);
      assert.ok(!isWhole && !all.includes('written later'));
      assert.equal((await owner.get('/me/export')).status, 401);
      assert.equal((await other.get('/me/export')).status, 200);
      const errors = service.logs.filter((line) => field(line, 'level') === 'error');
      assert.deepEqual(errors, []);
    });

  longTest(
    'is under way once at a time for the placeholder, too, and no further read than its client takes it',
    async (t) => {
      const service = await startService(t);
      const { api, port } = service;
      await addManyVisits(service, api, null);
      const reader = await openUnread(port, '/api/me/export');
      assert.deepEqual(refusal(await api.get('/me/export')), [409, 'An export is under way']);
      // A write is not held up, and the visit is behind all that was read.
      await api.post('/visits', { restaurant_id: 1, visited_on: '1900-01-01', note: 'The last one' });
      let seen = '';
      reader.on('data', (chunk: Buffer) => {
        seen = seen.slice(-200) + chunk.toString('latin1');
      });
      await until(() => seen.includes('The last one'));
      await until(async () => (await api.get('/me/export')).status === 200);
    },
  );
});
