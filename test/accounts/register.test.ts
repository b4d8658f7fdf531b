import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPasswords } from '../../src/accounts/passwords.ts';
import { startWithAlice } from '../support/accounts.ts';
import { refusal } from '../support/changes.ts';
import { field, textOf } from '../support/client.ts';
import { LOCAL, readStored } from '../support/people.ts';
import { startService } from '../support/service.ts';

const ALICE = {
  email: 'alice@example.com',
  username: 'alice',
  password: 'correct horse battery',
  full_name: 'Alice',
};

describe('POST /auth/register', () => {
  test('makes an account, signs it in and answers tokens and user', async (t) => {
    const { api } = await startService(t, LOCAL);
    const ignored = { is_admin: true, id: 7, provider: 'x' };
    const { status, headers, body } = await api.post('/auth/register', { ...ALICE, ...ignored });
    assert.equal(status, 201);
    assert.equal(headers.get('location'), '/api/auth/me');
    assert.equal(headers.get('cache-control'), 'private, no-store');
    assert.match(textOf(body, 'access_token'), /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.match(textOf(body, 'refresh_token'), /^[\w-]{43}$/);
    assert.deepEqual([field(body, 'token_type'), field(body, 'expires_in')], ['Bearer', 900]);
    const user = field(body, 'user');
    assert.match(textOf(user, 'last_login_at'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(user, {
      id: 2,
      email: 'alice@example.com',
      username: 'alice',
      provider: 'local',
      provider_id: null,
      full_name: 'Alice',
      avatar_url: null,
      is_active: true,
      is_admin: false,
      email_verified: false,
      last_login_at: field(user, 'last_login_at'),
      created_at: field(user, 'created_at'),
      updated_at: field(user, 'created_at'),
    });
  });

  test('trims and sanitises the names, and leaves the password as it came', async (t) => {
    const { api } = await startService(t, LOCAL);
    const password = '  <b>päss\tword</b>  ';
    const answer = await api.post('/auth/register', {
      email: ' Alice@Example.com ',
      username: ' <i>Alice</i> & co ',
      full_name: '<script>x</script>',
      password,
    });
    const user = field(answer.body, 'user');
    assert.deepEqual(
      [field(user, 'email'), field(user, 'username'), field(user, 'full_name')],
      ['Alice@Example.com', 'Alice & co', null],
    );
    for (const [tried, status] of [
      [password, 200],
      [password.trim(), 401],
      ['päss\tword', 401],
    ] as const) {
      const login = await api.post('/auth/login', { email: ALICE.email, password: tried });
      assert.equal(login.status, status, tried);
    }
  });

  test('stores the password as an Argon2id hash with the parameters of OWASP, and nothing of the tokens', async (t) => {
    const { service } = await startWithAlice(t, {}, { passwords: createPasswords() });
    const [row] = readStored(service.folder, 'SELECT password_hash FROM users');
    assert.match(textOf(row, 'password_hash'), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$]{22}\$[^$]{43}$/);
    const [token] = readStored(service.folder, 'SELECT hex(token_hash) AS hash FROM refresh_tokens');
    assert.match(textOf(token, 'hash'), /^[0-9A-F]{64}$/);
  });

  const refusals: readonly [object, string][] = [
    [{}, 'email is required; username is required; password is required'],
    [{ ...ALICE, email: 'alice' }, 'email must be a valid email address'],
    [{ ...ALICE, email: '  ' }, 'email is required'],
    [{ ...ALICE, email: 'a@b' }, 'email must be a valid email address'],
    [{ ...ALICE, email: '@example.com' }, 'email must be a valid email address'],
    [{ ...ALICE, email: 'a b@example.com' }, 'email must be a valid email address'],
    [{ ...ALICE, email: 'a..b@example.com' }, 'email must be a valid email address'],
    [{ ...ALICE, email: 'a@-example.com' }, 'email must be a valid email address'],
    [{ ...ALICE, email: '<b>a</b>@example.com' }, 'email must be a valid email address'],
    [{ ...ALICE, email: 'a@example.com\u0000' }, 'email must be a valid email address'],
    [{ ...ALICE, email: `${'a'.repeat(65)}@example.com` }, 'email must be a valid email address'],
    [{ ...ALICE, email: `a@${'b.'.repeat(130)}com` }, 'email must be at most 255 characters'],
    [{ ...ALICE, email: 5 }, 'email must be a string'],
    [{ ...ALICE, username: '<b></b>' }, 'username is required'],
    [{ ...ALICE, username: 'a'.repeat(101) }, 'username must be at most 100 characters'],
    [{ ...ALICE, full_name: 'a'.repeat(256) }, 'full_name must be at most 255 characters'],
    [{ ...ALICE, password: null }, 'password is required'],
    [{ ...ALICE, password: 12345678 }, 'password must be a string'],
    [{ ...ALICE, password: 'seven77' }, 'password must be at least 8 characters'],
    [{ ...ALICE, password: '🍕'.repeat(7) }, 'password must be at least 8 characters'],
    [{ ...ALICE, password: 'a'.repeat(257) }, 'password must be at most 256 characters'],
    [{ ...ALICE, password: '\ud83c no Unicode' }, 'password is not valid Unicode'],
    [{ ...ALICE, password: 'password' }, 'password is too common'],
    [{ ...ALICE, password: 'PassWord123' }, 'password is too common'],
    [{ ...ALICE, password: 'qwertyuiop', username: '' }, 'username is required; password is too common'],
  ];
  for (const [body, error] of refusals)
    test(`refuses ${JSON.stringify(body).slice(0, 90)}`, async (t) => {
      const { api } = await startService(t, LOCAL);
      assert.deepEqual(refusal(await api.post('/auth/register', body)), [400, error]);
    });

  const accepted: readonly Readonly<Record<string, string>>[] = [
    { email: `${'a'.repeat(64)}@${'b'.repeat(63)}.example.com` },
    { email: "o'hara+menu_1@mail.example.co.uk" },
    { email: 'josé@bücher.example' },
    { email: 'root@localhost' },
    { password: '🍕'.repeat(8) },
    { password: '🍕'.repeat(256) },
    { username: '寿司'.repeat(50) },
  ];
  for (const more of accepted)
    test(`takes ${JSON.stringify(more).slice(0, 60)}`, async (t) => {
      const { api } = await startService(t, LOCAL);
      const body = { ...ALICE, ...more };
      assert.equal((await api.post('/auth/register', body)).status, 201);
      assert.equal((await api.post('/auth/login', body)).status, 200);
    });

  const twins: readonly [object, string][] = [
    [{ username: 'other' }, 'User already exists: email is taken'],
    [{ username: 'other', email: 'ALICE@example.COM' }, 'User already exists: email is taken'],
    [{ email: 'other@example.com' }, 'User already exists: username is taken'],
    [{ email: 'other@example.com', username: 'ＡＬＩＣＥ' }, 'User already exists: username is taken'],
    [{}, 'User already exists: email and username are taken'],
  ];
  for (const [change, error] of twins)
    test(`answers 409 to a twin of an account: ${JSON.stringify(change)}`, async (t) => {
      const { api } = await startService(t, LOCAL);
      await api.post('/auth/register', ALICE);
      const twin = { ...ALICE, ...change };
      assert.deepEqual(refusal(await api.post('/auth/register', twin)), [409, error]);
    });

  test('makes one account of many requests at once', async (t) => {
    const { api, folder } = await startService(t, LOCAL);
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.post('/auth/register', ALICE)));
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 1);
    // A busy machine turns some away with 503 before their passwords are hashed.
    assert.ok(
      statuses.every((status) => [201, 409, 503].includes(status)),
      statuses.join(),
    );
    assert.equal(readStored(folder, 'SELECT id FROM users').length, 1);
  });
});
