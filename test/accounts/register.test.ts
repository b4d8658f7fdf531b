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
  test('refuses what is no account, and names all of its faults', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [body, error] of refusals)
      assert.deepEqual(
        refusal(await api.post('/auth/register', body)),
        [400, error],
        JSON.stringify(body).slice(0, 90),
      );
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
  test('takes whatever is within the limits', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [index, more] of accepted.entries()) {
      const body = { ...ALICE, email: `${index}@example.com`, username: `alice ${index}`, ...more };
      const title = JSON.stringify(more).slice(0, 60);
      assert.equal((await api.post('/auth/register', body)).status, 201, title);
      assert.equal((await api.post('/auth/login', body)).status, 200, title);
    }
  });

  const twins: readonly [object, string][] = [
    [{ username: 'other' }, 'User already exists: email is taken'],
    [{ username: 'other', email: 'ALICE@example.COM' }, 'User already exists: email is taken'],
    [{ email: 'other@example.com' }, 'User already exists: username is taken'],
    [{ email: 'other@example.com', username: 'ＡＬＩＣＥ' }, 'User already exists: username is taken'],
    [{}, 'User already exists: email and username are taken'],
  ];
  test('answers 409 to a twin of an account', async (t) => {
    const { api } = await startService(t, LOCAL);
    await api.post('/auth/register', ALICE);
    for (const [change, error] of twins)
      assert.deepEqual(refusal(await api.post('/auth/register', { ...ALICE, ...change })), [409, error]);
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

const BLANK = 'password must not be blank';
const OWN = 'password must not be your email or username';
const SHORT = 'password must be at least 8 characters';
const RABBIT = { email: 'alice.liddell@example.com', username: 'White Rabbit' };

const FAULTS: readonly [string, string][] = [
  ['        ', BLANK],
  ['   ', `${SHORT}; ${BLANK}`],
  ['\t\u00a0\u3000 \u2028\u200b\ufeff\u00ad', BLANK],
  ['\u3164'.repeat(8), BLANK],
  ['\u2800'.repeat(8), BLANK],
  ['alice.liddell@example.com', OWN],
  ['ALICE.LIDDELL@EXAMPLE.COM', OWN],
  ['alice.liddell', OWN],
  ['Alice.Liddell', OWN],
  ['white rabbit', OWN],
  ['ｗｈｉｔｅ ｒａｂｂｉｔ', OWN],
];
const ACCEPTED = ['alice.liddell1', 'alice.liddell@', ' white rabbit', 'example.com', '  x      '];

describe('a new password', () => {
  test('that is blank or a name of its owner is refused', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [password, error] of FAULTS) {
      const answer = await api.post('/auth/register', { ...RABBIT, password });
      assert.deepEqual(refusal(answer), [400, error], JSON.stringify(password));
    }
  });

  test('is refused for all of its faults, and those of the other fields, at once', async (t) => {
    const { api } = await startService(t, LOCAL);
    const short = { email: 'bob@example.com', username: 'x', password: 'BOB' };
    assert.deepEqual(refusal(await api.post('/auth/register', short)), [400, `${SHORT}; ${OWN}`]);
    const common = { email: 'x', username: 'password1', password: 'password1' };
    assert.deepEqual(refusal(await api.post('/auth/register', common)), [
      400,
      `email must be a valid email address; ${OWN}; password is too common`,
    ]);
  });

  test('that only holds a name, or blanks among others, is accepted as it came', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [index, password] of ACCEPTED.entries()) {
      const owner = { ...RABBIT, email: `alice.liddell@${index}.example`, username: `White Rabbit ${index}` };
      assert.equal((await api.post('/auth/register', { ...owner, password })).status, 201, password);
      assert.equal((await api.post('/auth/login', { ...owner, password })).status, 200, password);
    }
  });
});
