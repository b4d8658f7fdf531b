import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { databasePath } from '../../../src/storage/database.ts';
import { bearing, registration, secretOf } from '../../support/accounts.ts';
import { refusal } from '../../support/changes.ts';
import { array, createClient, field, ids, record, textOf } from '../../support/client.ts';
import { LOCAL, changeStored, makeAdmin, readStored } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { type World, startWorld } from '../../support/world.ts';

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
    assert.deepEqual([checked.status, checked.body], [200, { email: null, invited_by: 'carol', expires_at }]);
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

  longTest('that is guessed, cut, expired or deleted opens nothing', async (t) => {
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

  longTest('lets in one of many who use it at the same time', async (t) => {
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

  longTest('is checked when it is made, and lists are read in parts', async (t) => {
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

const PASSWORD = 'ten tall ships at sea';

interface Links {
  readonly invitation: string;
  readonly reset: string;
}

/** A world with two administrators, alice and carol, and the links that alice made. */
async function withLinks(t: Parameters<typeof startWorld>[0]): Promise<World & Links> {
  const world = await startWorld(t);
  makeAdmin(world.service, world.people.owner);
  const used = secretOf(await world.owner.post('/invitations', {}));
  const guest = registration('dora', { invitation: used });
  assert.equal((await world.service.api.post('/auth/register', guest)).status, 201);
  return {
    ...world,
    invitation: secretOf(await world.owner.post('/invitations', {})),
    reset: secretOf(await world.owner.post('/users/3/password-reset', {})),
  };
}

async function areOpen({ service, invitation }: World & Links): Promise<boolean> {
  const look = await service.api.post('/auth/invitation', { invitation });
  return look.status === 200 && readStored(service.folder, 'SELECT * FROM password_resets').length === 1;
}

async function requireEnded(world: World & Links): Promise<void> {
  const { service, invitation, reset } = world;
  const words = 'Invitation is unknown, used or expired';
  assert.deepEqual(refusal(await service.api.post('/auth/invitation', { invitation })), [404, words]);
  const guest = registration('mallory', { invitation });
  assert.deepEqual(refusal(await service.api.post('/auth/register', guest)), [403, words]);
  const set = { token: reset, new_password: PASSWORD };
  const answer = await service.api.post('/auth/password-reset', set);
  assert.deepEqual(refusal(answer), [400, 'Reset link is unknown, used or expired']);
  // The one that was used stays, to say by whom.
  assert.deepEqual(ids((await world.admin.get('/invitations')).body), [1]);
}

describe('the open links of an administrator', () => {
  for (const flag of ['is_admin', 'is_active'])
    test(`end when ${flag} is set to 0 by hand, and do not come back with it`, async (t) => {
      const world = await withLinks(t);
      assert.equal(await areOpen(world), true);
      for (const value of [0, 1])
        changeStored(world.service.folder, `UPDATE users SET ${flag} = ${value} WHERE id = 2`);
      await requireEnded(world);
    });

  for (const change of ['is_admin = 0', 'is_active = 0', 'id = 99'])
    test(`open nothing when a tool has replaced the creator's row with one of ${change}`, async (t) => {
      const world = await withLinks(t);
      const { service, invitation, reset } = world;
      const database = new Database(databasePath(service.folder));
      // As the command sqlite3 has it; the row is replaced without a trigger.
      database.pragma('foreign_keys = OFF');
      database.exec(`CREATE TEMP TABLE copy AS SELECT * FROM users WHERE id = 2;
        UPDATE copy SET ${change};
        INSERT OR REPLACE INTO users SELECT * FROM copy`);
      database.close();
      assert.equal((await service.api.post('/auth/invitation', { invitation })).status, 404);
      const guest = registration('mallory', { invitation });
      assert.equal((await service.api.post('/auth/register', guest)).status, 403);
      const set = { token: reset, new_password: PASSWORD };
      assert.equal((await service.api.post('/auth/password-reset', set)).status, 400);
    });

  test('stay when other users change, and a link belongs to who made it last', async (t) => {
    const world = await withLinks(t);
    const { admin, service } = world;
    const reset = secretOf(await admin.post('/users/3/password-reset', {}));
    await admin.patch('/users/5', { is_active: false });
    await admin.patch('/auth/me', { full_name: 'Carol C.' });
    assert.equal(await areOpen(world), true);
    await admin.patch('/users/2', { is_active: false });
    const set = { token: reset, new_password: PASSWORD };
    assert.equal((await service.api.post('/auth/password-reset', set)).status, 200);
  });

  test('without a creator, as the operator may store them, work', async (t) => {
    const world = await withLinks(t);
    changeStored(world.service.folder, 'UPDATE invitations SET created_by = NULL');
    changeStored(world.service.folder, 'UPDATE password_resets SET created_by = NULL');
    await world.admin.delete('/users/2');
    assert.equal(await areOpen(world), true);
  });
});

const NEW_PASSWORD = 'ten tall ships at sea';
const NO_RESET = [400, 'Reset link is unknown, used or expired'];

const link = async ({ admin }: World, id = 2): Promise<string> =>
  secretOf(await admin.post(`/users/${id}/password-reset`, {}));

const use = ({ service }: World, token: unknown, new_password = NEW_PASSWORD) =>
  service.api.post('/auth/password-reset', { token, new_password });

describe('a link to set a password', () => {
  test('works once', async (t) => {
    const world = await startWorld(t);
    const { admin, people, service } = world;
    const made = await admin.post('/users/2/password-reset', {});
    assert.match(String(field(made.body, 'url')), /^\/reset#rst_[A-Za-z0-9_-]{43}$/);
    const hours = (Date.parse(String(field(made.body, 'expires_at'))) - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours <= 24);
    assert.equal((await use(world, secretOf(made))).status, 200);
    assert.equal((await service.api.post('/auth/login', people.owner)).status, 401);
    const login = await service.api.post('/auth/login', { ...people.owner, password: NEW_PASSWORD });
    assert.equal(login.status, 200);
    assert.deepEqual(refusal(await use(world, secretOf(made), 'another long password')), NO_RESET);
  });

  test('ends with a newer one, with a new password, with its time', async (t) => {
    const world = await startWorld(t);
    const first = await link(world);
    const second = await link(world);
    assert.deepEqual(refusal(await use(world, first)), NO_RESET);
    const change = { current_password: world.people.owner.password, new_password: 'my own new password' };
    assert.equal((await world.owner.post('/auth/password', change)).status, 200);
    assert.deepEqual(refusal(await use(world, second)), NO_RESET);
    const third = await link(world);
    changeStored(world.service.folder, "UPDATE password_resets SET expires_at = '2020-01-01T00:00:00.000Z'");
    assert.deepEqual(refusal(await use(world, third)), NO_RESET);
  });

  test('that is guessed, cut or of another kind opens nothing', async (t) => {
    const world = await startWorld(t);
    const whole = await link(world);
    const invitation = secretOf(await world.admin.post('/invitations', {}));
    const guessed = `rst_${'A'.repeat(43)}`;
    for (const token of [guessed, whole.slice(0, -1), whole.slice(4), `/reset#${whole}`, invitation])
      assert.deepEqual(refusal(await use(world, token)), NO_RESET, token);
    for (const [token, error] of [
      [5, 'token must be a string'],
      ['', 'token is required'],
      [null, 'token is required'],
    ])
      assert.deepEqual(refusal(await use(world, token)), [400, error]);
    assert.equal((await use(world, whole)).status, 200);
  });

  test('stays when the password is refused', async (t) => {
    const world = await startWorld(t);
    const token = await link(world);
    const refused = await use(world, token, 'alice@example.com');
    assert.deepEqual(refusal(refused), [400, 'password must not be your email or username']);
    assert.equal((await use(world, token)).status, 200);
  });

  test('sets one of the passwords that come at once', async (t) => {
    const world = await startWorld(t);
    const token = await link(world);
    const wishes = ['the first password', 'the second one!'];
    const answers = await Promise.all(wishes.map((wish) => use(world, token, wish)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
  });

  test('lets in a user who failed too often', async (t) => {
    const world = await startWorld(t);
    const { service, people } = world;
    for (let tries = 0; tries < 10; tries += 1)
      await service.api.post('/auth/login', { ...people.owner, password: 'wrong' });
    assert.equal((await service.api.post('/auth/login', people.owner)).status, 429);
    assert.equal((await use(world, await link(world))).status, 200);
    const login = await service.api.post('/auth/login', { ...people.owner, password: NEW_PASSWORD });
    assert.equal(login.status, 200);
  });

  test('sets the first password of a user who has none', async (t) => {
    const world = await startWorld(t);
    changeStored(world.service.folder, 'UPDATE users SET password_hash = NULL WHERE id = 2');
    assert.equal((await use(world, await link(world))).status, 200);
    assert.equal(field((await world.admin.get('/users/2')).body, 'has_password'), true);
  });
});

describe('local accounts that are disabled', () => {
  test('have no passwords to change', async (t) => {
    const world = await startWorld(t);
    await world.service.stop();
    const service = await startService(t, { ...LOCAL, AUTH_MODE: 'oauth', DATA_DIR: world.service.folder });
    const admin = createClient(service.url, bearing(world.people.admin.accessToken));
    for (const [path, body] of [
      ['/auth/password', { current_password: 'x', new_password: NEW_PASSWORD }],
      ['/auth/password-reset', { token: 'x', new_password: NEW_PASSWORD }],
      ['/users/2/password-reset', {}],
    ] as const)
      assert.deepEqual(refusal(await admin.post(path, body)), [403, 'Local accounts are disabled'], path);
  });
});
