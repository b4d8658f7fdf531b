import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { bearing, registration, secretOf } from '../support/accounts.ts';
import { refusal } from '../support/changes.ts';
import { array, createClient, field, ids, record, textOf } from '../support/client.ts';
import { LOCAL, changeStored, readStored } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { type World, startWorld } from '../support/world.ts';

const NOT_VALID = 'Invitation is unknown, used or expired';

/** A service whose registration is closed to all but guests, once its people are there. */
async function guarded(t: TestContext, REGISTRATION = 'invite'): Promise<Pick<World, 'service' | 'admin'>> {
  const { service, people } = await startWorld(t);
  await service.stop();
  const again = await startService(t, { ...LOCAL, REGISTRATION, DATA_DIR: service.folder });
  return { service: again, admin: createClient(again.url, bearing(people.admin.accessToken)) };
}

async function invite({ admin }: Pick<World, 'admin'>, body: object = {}): Promise<string> {
  return secretOf(await admin.post('/invitations', body));
}

describe('an invitation', () => {
  test('shows its link once, and later who has used it', async (t) => {
    const world = await guarded(t);
    const { admin, service } = world;
    const made = await admin.post('/invitations', { note: '<b>Dora</b> from work', expires_in_days: 2 });
    assert.equal(made.headers.get('location'), '/api/invitations/1');
    const { url, note, email, created_by, created_at, expires_at } = record(made.body);
    assert.match(String(url), /^\/join#inv_[A-Za-z0-9_-]{43}$/);
    assert.deepEqual([note, email, created_by], ['Dora from work', null, { id: 4, username: 'carol' }]);
    assert.equal(Date.parse(String(expires_at)) - Date.parse(String(created_at)), 2 * 86_400_000);
    assert.deepEqual((await admin.get('/invitations/1')).body, { ...record(made.body), url: null });

    const invitation = secretOf(made);
    const checked = await service.api.post('/auth/invitation', { invitation });
    assert.deepEqual([checked.status, checked.body], [200, { email: null, expires_at }]);
    const joined = await service.api.post('/auth/register', registration('dora', { invitation }));
    assert.equal(joined.status, 201);
    const { used_at, used_by } = record((await admin.get('/invitations/1')).body);
    assert.deepEqual([typeof used_at, used_by], ['string', { id: 5, username: 'dora' }]);
  });

  test('is needed where registration is by invitation, and each lets in one person', async (t) => {
    const world = await guarded(t);
    const { api } = world.service;
    const without = await api.post('/auth/register', registration('dora'));
    assert.deepEqual(refusal(without), [403, 'Registration is by invitation']);
    const empty = await api.post('/auth/register', registration('dora', { invitation: null }));
    assert.deepEqual(refusal(empty), [403, 'Registration is by invitation']);
    const invitation = await invite(world);
    assert.equal((await api.post('/auth/register', registration('dora', { invitation }))).status, 201);
    const replayed = await api.post('/auth/register', registration('mallory', { invitation }));
    assert.deepEqual(refusal(replayed), [403, NOT_VALID]);
    assert.deepEqual(refusal(await api.post('/auth/invitation', { invitation })), [404, NOT_VALID]);
  });

  test('that is guessed, cut, expired or deleted opens nothing', async (t) => {
    const world = await guarded(t);
    const { api } = world.service;
    const [expired, deleted, whole] = [await invite(world), await invite(world), await invite(world)];
    const end = "UPDATE invitations SET expires_at = '2020-01-01T00:00:00.000Z' WHERE id = 1";
    changeStored(world.service.folder, end);
    assert.equal((await world.admin.delete('/invitations/2')).status, 204);
    const wrong = [
      expired,
      deleted,
      `inv_${'A'.repeat(43)}`,
      whole.slice(0, -1),
      `${whole}A`,
      whole.slice(4),
      whole.toUpperCase(),
      `/join#${whole}`,
      "inv_' OR 1=1 --",
      'x',
    ];
    for (const invitation of wrong) {
      const looked = await api.post('/auth/invitation', { invitation });
      assert.deepEqual(refusal(looked), [404, NOT_VALID], invitation);
      const answer = await api.post('/auth/register', registration('mallory', { invitation }));
      assert.deepEqual(refusal(answer), [403, NOT_VALID], invitation);
    }
    const odd: readonly [unknown, string][] = [
      [5, 'invitation must be a string'],
      ['', 'invitation is required'],
      [['x'], 'invitation must be a string'],
    ];
    for (const [invitation, error] of odd)
      assert.deepEqual(refusal(await api.post('/auth/invitation', { invitation })), [400, error]);
    assert.equal(readStored(world.service.folder, 'SELECT * FROM users').length, 3);
  });

  test('for one address is for no other, and is not used up by a registration that is refused', async (t) => {
    const world = await guarded(t);
    const { api } = world.service;
    const invitation = await invite(world, { email: 'Dora@example.com' });
    const stolen = await api.post('/auth/register', registration('mallory', { invitation }));
    assert.deepEqual(refusal(stolen), [400, 'email must be the invited one']);
    const taken = await api.post('/auth/register', registration('dora', { invitation, username: 'alice' }));
    assert.deepEqual(refusal(taken), [409, 'User already exists: username is taken']);
    assert.equal((await api.post('/auth/register', registration('dora', { invitation }))).status, 201);
  });

  test('lets in one of many who use it at the same time', async (t) => {
    const world = await guarded(t);
    const invitation = await invite(world);
    const names = Array.from({ length: 6 }, (_, index) => `guest${index}`);
    const answers = await Promise.all(
      names.map((name) => world.service.api.post('/auth/register', registration(name, { invitation }))),
    );
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 1);
    // A busy machine turns some away with 503 before their passwords are hashed.
    assert.ok(
      statuses.every((status) => [201, 403, 503].includes(status)),
      statuses.join(),
    );
    assert.equal(readStored(world.service.folder, 'SELECT * FROM users').length, 4);
  });

  test('says nothing of other users to guests who have none', async (t) => {
    const { service } = await guarded(t);
    const taken = registration('alice', { invitation: `inv_${'A'.repeat(43)}` });
    assert.deepEqual(refusal(await service.api.post('/auth/register', taken)), [403, NOT_VALID]);
    const without = await service.api.post('/auth/register', registration('alice'));
    assert.deepEqual(refusal(without), [403, 'Registration is by invitation']);
  });

  test('works where registration is open, and neither is made nor used where it is closed', async (t) => {
    const open = await startWorld(t);
    const invitation = await invite(open);
    const used = await open.service.api.post('/auth/register', registration('dora', { invitation }));
    assert.equal(used.status, 201);
    const wrong = await open.service.api.post('/auth/register', registration('eve', { invitation }));
    assert.deepEqual(refusal(wrong), [403, NOT_VALID]);
    const closed = await guarded(t, 'closed');
    assert.deepEqual(refusal(await closed.admin.post('/invitations', {})), [409, 'Registration is closed']);
    for (const more of [{ invitation }, {}]) {
      const late = await closed.service.api.post('/auth/register', registration('dora', more));
      assert.deepEqual(refusal(late), [403, 'Registration is closed']);
    }
  });

  test('is checked when it is made, and lists are read in parts', async (t) => {
    const world = await guarded(t);
    const { admin } = world;
    const faults: readonly [object, string][] = [
      [{ email: 'nobody' }, 'email must be a valid email address'],
      [{ expires_in_days: 31 }, 'expires_in_days must be an integer from 1 to 30'],
      [{ expires_in_days: 0 }, 'expires_in_days must be an integer from 1 to 30'],
      [{ note: 'x'.repeat(256) }, 'note must be at most 255 characters'],
      [{ note: 5, email: 6 }, 'email must be a string; note must be a string'],
    ];
    for (const [body, error] of faults)
      assert.deepEqual(refusal(await admin.post('/invitations', body)), [400, error]);
    for (let count = 0; count < 3; count += 1) await invite(world);
    assert.deepEqual(ids((await admin.get('/invitations')).body), [3, 2, 1]);
    assert.deepEqual(ids((await admin.get('/invitations?limit=1&offset=1')).body), [2]);
    assert.ok(array((await admin.get('/invitations')).body).every((one) => field(one, 'url') === null));
    assert.deepEqual(refusal(await admin.delete('/invitations/9')), [404, 'Invitation not found']);
    assert.deepEqual(refusal(await admin.get('/invitations/x')), [400, 'Invalid invitation ID']);
    assert.match(textOf((await admin.get('/invitations/3')).body, 'expires_at'), /Z$/);
  });
});
