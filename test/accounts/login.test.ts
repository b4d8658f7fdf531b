import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hash } from '@node-rs/argon2';
import { createPasswords } from '../../src/accounts/passwords.ts';
import { startWithAlice } from '../support/accounts.ts';
import { refusal } from '../support/changes.ts';
import { field, textOf } from '../support/client.ts';
import { LOCAL, changeStored, readStored, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';

describe('POST /auth/login', () => {
  test('answers 200 with tokens and the user, by email without case', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const { status, body } = await service.api.post('/auth/login', {
      email: ' ALICE@Example.com ',
      password: alice.password,
    });
    assert.equal(status, 200);
    assert.deepEqual(
      [field(body, 'token_type'), field(body, 'expires_in'), field(field(body, 'user'), 'id')],
      ['Bearer', 900, alice.id],
    );
    assert.notEqual(textOf(body, 'refresh_token'), alice.refreshToken);
    assert.ok(textOf(field(body, 'user'), 'last_login_at') >= textOf(field(body, 'user'), 'created_at'));
  });

  test('signs an access token as documented', async (t) => {
    const { accessToken, id } = (await startWithAlice(t)).alice;
    const [header, payload] = accessToken
      .split('.')
      .slice(0, 2)
      .map((part): unknown => JSON.parse(Buffer.from(part, 'base64url').toString()));
    assert.deepEqual(header, { alg: 'HS256', typ: 'at+jwt' });
    const [issued, expires] = [Number(field(payload, 'iat')), Number(field(payload, 'exp'))];
    assert.equal(expires - issued, 15 * 60);
    assert.ok(Math.abs(issued - Date.now() / 1000) < 5);
    assert.match(textOf(payload, 'sid'), /^[0-9a-f]{32}$/);
    assert.deepEqual(payload, {
      iss: 'restaurant-catalogue',
      aud: 'restaurant-catalogue',
      sub: String(id),
      sid: field(payload, 'sid'),
      iat: issued,
      exp: expires,
    });
  });

  test('answers an unknown email, a wrong password, an account of a provider and an inactive one alike', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const [bob, carol] = [await signUp(service, 'bob'), await signUp(service, 'carol')];
    const joined = "UPDATE users SET password_hash = NULL, provider = 'idp' WHERE id = ?";
    changeStored(service.folder, joined, bob.id);
    changeStored(service.folder, 'UPDATE users SET is_active = 0 WHERE id = ?', carol.id);
    const tries = [
      { email: 'unknown@example.com', password: 'a long password' },
      { email: 'no email at all', password: 'x' },
      { email: alice.email, password: 'a wrong password' },
      { email: alice.email, password: alice.password.toUpperCase() },
      { email: alice.email, password: alice.password + 'x'.repeat(300) },
      { email: bob.email, password: bob.password },
      { email: bob.email, password: ' ' },
      { email: carol.email, password: carol.password },
    ];
    for (const body of tries) {
      const answer = await service.api.post('/auth/login', body);
      assert.deepEqual(refusal(answer), [401, 'Invalid credentials'], body.email);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      assert.equal(answer.headers.get('cache-control'), 'private, no-store');
    }
  });

  const refusals: readonly [object, string][] = [
    [{}, 'email is required; password is required'],
    [{ email: 'a@example.com' }, 'password is required'],
    [{ email: 5, password: ['x'] }, 'email must be a string; password must be a string'],
  ];
  test('refuses a body without email and password', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [body, error] of refusals)
      assert.deepEqual(refusal(await api.post('/auth/login', body)), [400, error]);
  });

  test('strengthens a hash that was made with weaker parameters, and none other', async (t) => {
    const { service, alice } = await startWithAlice(t, {}, { passwords: createPasswords() });
    const weak = await hash(alice.password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    const stored = (): string =>
      textOf(readStored(service.folder, 'SELECT password_hash FROM users')[0], 'password_hash');
    changeStored(service.folder, 'UPDATE users SET password_hash = ?', weak);
    const wrong = { ...alice, password: 'a wrong password' };
    assert.equal((await service.api.post('/auth/login', wrong)).status, 401);
    assert.equal(stored(), weak);
    assert.equal((await service.api.post('/auth/login', alice)).status, 200);
    const strong = stored();
    assert.match(strong, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.equal((await service.api.post('/auth/login', alice)).status, 200);
    assert.equal(stored(), strong);
  });

  test('records address and user agent with the session, cut to their columns', async (t) => {
    const { service, alice } = await startWithAlice(t);
    await service.api.post('/auth/login', alice, {
      'User-Agent': 'x'.repeat(2_000),
      'X-Forwarded-For': '2001:db8:1:2:3:4:5:6',
    });
    const [, row] = readStored(service.folder, 'SELECT ip_address, user_agent FROM sessions ORDER BY id');
    assert.deepEqual(row, { ip_address: '2001:db8:1:2:3:4:5:6', user_agent: 'x'.repeat(512) });
  });

  test('remembers the last fifty addresses of an account', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const more = `INSERT INTO login_addresses (user_id, address_key, last_login_at)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      SELECT ?, 'address ' || i, printf('2020-01-01T00:%02d:00.000Z', i) FROM n`;
    changeStored(service.folder, more, alice.id);
    await service.api.post('/auth/login', alice);
    const kept = readStored(service.folder, 'SELECT address_key FROM login_addresses ORDER BY last_login_at');
    assert.equal(kept.length, 50);
    assert.equal(textOf(kept[0], 'address_key'), 'address 2');
  });

  test('sweeps sessions that have expired', async (t) => {
    const { service, alice } = await startWithAlice(t);
    changeStored(service.folder, "UPDATE sessions SET expires_at = '2020-01-01T00:00:00.000Z'");
    await service.api.post('/auth/login', alice);
    assert.deepEqual(readStored(service.folder, 'SELECT id FROM sessions'), [{ id: 2 }]);
    assert.equal(readStored(service.folder, 'SELECT session_id FROM refresh_tokens').length, 1);
  });
});
