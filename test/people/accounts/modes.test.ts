import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bearing, registration, startWithAlice } from '../../support/accounts.ts';
import { refusal } from '../../support/changes.ts';
import { createClient, field } from '../../support/client.ts';
import { LOCAL, person, readStored } from '../../support/people.ts';
import { startService } from '../../support/service.ts';

const BOB = registration('bob');
const NOT_CONFIGURED = [503, 'OAuth is not configured'];
const PROVIDER_PATHS = ['idp', 'idp/callback', 'oidc', 'oidc/login', 'oidc/callback'];

describe('mode none', () => {
  test('has a placeholder user, who every caller is, with any token or none', async (t) => {
    const { api, url } = await startService(t);
    for (const client of [api, createClient(url, bearing('nonsense'))]) {
      const { status, body } = await client.get('/auth/me');
      assert.equal(status, 200);
      assert.deepEqual(body, {
        id: 1,
        email: 'test@example.com',
        username: 'testuser',
        provider: 'local',
        provider_id: null,
        full_name: 'Test User',
        avatar_url: null,
        is_active: true,
        is_admin: true,
        email_verified: true,
        last_login_at: null,
        created_at: '1970-01-01T00:00:00.000Z',
        updated_at: '1970-01-01T00:00:00.000Z',
      });
      assert.equal((await client.post('/restaurants', { name: `By ${Math.random()}` })).status, 201);
    }
  });

  test('makes no account, and no link to one, that a later mode would have', async (t) => {
    const { service: local } = await startWithAlice(t);
    await local.stop();
    const { api, folder } = await startService(t, { DATA_DIR: local.folder });
    for (const answer of [
      await api.post('/auth/register', BOB),
      await api.post('/invitations', {}),
      await api.post('/users/2/password-reset', {}),
    ])
      assert.deepEqual(refusal(answer), [403, 'Accounts are disabled while AUTH_MODE is none']);
    for (const [table, rows] of [
      ['users', 1],
      ['invitations', 0],
      ['password_resets', 0],
    ] as const)
      assert.equal(readStored(folder, `SELECT * FROM ${table}`).length, rows, table);
  });

  test('lets those who have an account sign in, refresh and sign out, as clients do in every mode', async (t) => {
    const { service: local, alice } = await startWithAlice(t);
    await local.stop();
    const { api } = await startService(t, { DATA_DIR: local.folder });
    const login = await api.post('/auth/login', alice);
    assert.deepEqual([login.status, field(field(login.body, 'user'), 'id')], [200, alice.id]);
    const token = { refresh_token: field(login.body, 'refresh_token') };
    assert.equal((await api.post('/auth/refresh', token)).status, 200);
    assert.equal((await api.post('/auth/logout', token)).status, 200);
    assert.equal((await api.post('/auth/refresh', token)).status, 401);
  });

  test('leaves the placeholder’s names and id to those who register later', async (t) => {
    const { api } = await startService(t, LOCAL);
    const names = { email: 'test@example.com', username: 'testuser' };
    const answer = await api.post('/auth/register', { ...BOB, ...names });
    assert.deepEqual([answer.status, field(field(answer.body, 'user'), 'id')], [201, 2]);
  });
});

describe('mode oauth', () => {
  test('has no local accounts', async (t) => {
    const { api } = await startService(t, { AUTH_MODE: 'oauth' });
    for (const path of ['/auth/register', '/auth/login']) {
      const answer = await api.post(path, BOB);
      assert.deepEqual(refusal(answer), [403, 'Local accounts are disabled']);
    }
    assert.equal((await api.post('/restaurants', { name: 'A' })).status, 401);
  });

  test('signs with a key that it makes once when none is given', async (t) => {
    const { service: local, alice } = await startWithAlice(t);
    await local.stop();
    const before = await startService(t, { DATA_DIR: local.folder });
    const tokens = (await before.api.post('/auth/login', alice)).body;
    await before.stop();
    const keys = "SELECT 1 FROM generated_keys WHERE name = 'access tokens'";
    assert.equal(readStored(before.folder, keys).length, 1);
    for (let start = 0; start < 2; start += 1) {
      const service = await startService(t, { AUTH_MODE: 'oauth', DATA_DIR: before.folder });
      assert.equal((await person(service.url, tokens, '').api.get('/auth/me')).status, 200);
      await service.stop();
    }
  });
});

describe('sign-in with a provider', () => {
  for (const variables of [{}, LOCAL, { AUTH_MODE: 'oauth' }, { ...LOCAL, AUTH_MODE: 'both' }])
    test(`answers 503 where there is none: ${JSON.stringify(variables)}`, async (t) => {
      const { api } = await startService(t, variables);
      for (const path of PROVIDER_PATHS) {
        const answer = await api.get(`/auth/${path}?code=x&state=y`);
        assert.deepEqual(refusal(answer), NOT_CONFIGURED, path);
      }
    });
});

describe('the first administrator', () => {
  const ADMIN = { ADMIN_EMAIL: 'Chef@example.com', ADMIN_PASSWORD: ' the kitchen is closed ' };
  const credentials = { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD };

  test('is made at the start and signs in with the password as it was set', async (t) => {
    const { api } = await startService(t, { ...LOCAL, ...ADMIN });
    const { status, body } = await api.post('/auth/login', credentials);
    assert.equal(status, 200);
    const user = field(body, 'user');
    assert.deepEqual(
      [field(user, 'username'), field(user, 'is_admin'), field(user, 'email_verified')],
      ['Chef', true, true],
    );
  });

  test('is never changed afterwards', async (t) => {
    const service = await startService(t, { ...LOCAL, ...ADMIN });
    await service.stop();
    const later = await startService(t, {
      ...LOCAL,
      ...ADMIN,
      ADMIN_EMAIL: 'chef@EXAMPLE.com',
      ADMIN_PASSWORD: 'another long password',
      DATA_DIR: service.folder,
    });
    assert.equal(readStored(later.folder, 'SELECT id FROM users').length, 1);
    assert.equal((await later.api.post('/auth/login', credentials)).status, 200);
    const other = { ...credentials, password: 'another long password' };
    assert.equal((await later.api.post('/auth/login', other)).status, 401);
  });

  test('is not made of an account that is there; the log says how', async (t) => {
    const { service, alice } = await startWithAlice(t);
    await service.stop();
    const later = await startService(t, {
      ...LOCAL,
      ADMIN_EMAIL: alice.email,
      ADMIN_PASSWORD: 'another long password',
      DATA_DIR: service.folder,
    });
    assert.match(JSON.stringify(later.logs), /"warn".*catalogue user grant-admin/);
    assert.equal(field(field((await later.api.post('/auth/login', alice)).body, 'user'), 'is_admin'), false);
  });
});
