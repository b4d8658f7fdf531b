import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bearing, logIn, startWithAlice } from '../support/accounts.ts';
import { refusal } from '../support/changes.ts';
import { createClient, field, record, textOf } from '../support/client.ts';
import { expired } from '../support/forge.ts';
import { LOCAL, changeStored, person, readStored, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';

const LOGGED_OUT = { message: 'Logged out successfully' };
const INVALID = [401, 'Invalid or expired refresh token'];

describe('POST /auth/refresh', () => {
  test('answers a new access token and the same refresh token, as often as it is asked', async (t) => {
    const { service, alice } = await startWithAlice(t);
    for (let round = 0; round < 3; round += 1) {
      const { status, headers, body } = await service.api.post('/auth/refresh', {
        refresh_token: alice.refreshToken,
      });
      assert.equal(status, 200);
      assert.equal(headers.get('cache-control'), 'private, no-store');
      assert.deepEqual(Object.keys(record(body)), [
        ...['access_token', 'refresh_token', 'token_type', 'expires_in', 'user'],
      ]);
      assert.equal(textOf(body, 'refresh_token'), alice.refreshToken);
      const { api } = person(service.url, body, '');
      assert.equal((await api.get('/auth/me')).status, 200);
    }
  });

  test('does not lengthen the seven days of a session', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const lifetime = (): unknown[] =>
      readStored(
        service.folder,
        'SELECT created_at, expires_at, round((julianday(expires_at) - julianday(created_at)) * 24, 3) AS hours FROM sessions',
      );
    const before = lifetime();
    assert.equal(field(before[0], 'hours'), 168);
    await service.api.post('/auth/refresh', { refresh_token: alice.refreshToken });
    assert.deepEqual(lifetime(), before);
  });

  const ends: readonly [string, string][] = [
    ['expired a moment ago', "UPDATE sessions SET expires_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"],
    ['is of an inactive user', 'UPDATE users SET is_active = 0'],
    ['is of a user who is gone', 'DELETE FROM users'],
    ['has ended', 'DELETE FROM sessions'],
  ];
  test('answers 401 when the session has ended or expired, or its user is inactive or gone', async (t) => {
    const service = await startService(t, LOCAL);
    for (const [title, sql] of ends) {
      const { api, refreshToken } = await signUp(service, 'alice');
      assert.equal((await api.get('/auth/me')).status, 200, title);
      changeStored(service.folder, sql);
      const answer = await service.api.post('/auth/refresh', { refresh_token: refreshToken });
      assert.deepEqual(refusal(answer), INVALID, title);
      assert.deepEqual(refusal(await api.get('/auth/me')), [401, 'Invalid token'], title);
      changeStored(service.folder, 'DELETE FROM users');
    }
  });

  test('answers 401 to an access token, to anything unknown and to the hash of a token', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const [row] = readStored(service.folder, 'SELECT hex(token_hash) AS hash FROM refresh_tokens');
    for (const refresh_token of [
      alice.accessToken,
      'x',
      ...[513, 1_025, 60_000].map((length) => 'x'.repeat(length)),
      textOf(row, 'hash'),
      `${alice.refreshToken}=`,
    ]) {
      const answer = await service.api.post('/auth/refresh', { refresh_token });
      assert.deepEqual(refusal(answer), INVALID, refresh_token);
      assert.equal((await service.api.post('/auth/logout', { refresh_token })).status, 200);
    }
  });
});

describe('POST /auth/logout', () => {
  test('ends the session of a refresh token, its access tokens included, and no other', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const second = await logIn(service, alice);
    const bob = await signUp(service, 'bob');
    const answer = await service.api.post('/auth/logout', { refresh_token: alice.refreshToken });
    assert.deepEqual([answer.status, answer.body], [200, LOGGED_OUT]);
    assert.equal((await alice.api.get('/auth/me')).status, 401);
    assert.equal(
      (await service.api.post('/auth/refresh', { refresh_token: alice.refreshToken })).status,
      401,
    );
    for (const { api } of [second, bob]) assert.equal((await api.get('/auth/me')).status, 200);
  });

  test('ends the session of a bearer token, with an empty body or none', async (t) => {
    const service = await startService(t, LOCAL);
    for (const [name, body] of [
      ['alice', undefined],
      ['bob', '{}'],
      ['carol', '{"refresh_token":null}'],
    ] as const) {
      const { api, refreshToken } = await signUp(service, name);
      const headers = { 'Content-Type': 'application/json' };
      const answer = await api.send('/api/auth/logout', { method: 'POST', headers, ...(body && { body }) });
      assert.deepEqual([answer.status, answer.body], [200, LOGGED_OUT]);
      assert.equal((await service.api.post('/auth/refresh', { refresh_token: refreshToken })).status, 401);
    }
  });

  test('with a bearer token that has expired ends its session', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const bob = await signUp(service, 'bob');
    const answer = await service.api.post('/auth/logout', {}, bearing(expired(alice.accessToken)));
    assert.equal(answer.status, 200);
    assert.deepEqual(refusal(await alice.api.get('/auth/me')), [401, 'Invalid token']);
    assert.equal((await bob.api.get('/auth/me')).status, 200);
  });

  test('answers the same when the token is already gone, unknown or not there', async (t) => {
    const { service, alice } = await startWithAlice(t);
    await alice.api.post('/auth/logout', {});
    for (const api of [alice.api, service.api, createClient(service.url, bearing('x'))])
      for (const body of [{}, { refresh_token: alice.refreshToken }, { refresh_token: 'x' }]) {
        const answer = await api.post('/auth/logout', body);
        assert.deepEqual([answer.status, answer.body], [200, LOGGED_OUT]);
      }
  });
});

describe('a refresh token in a body', () => {
  const REFUSED: readonly [string, object, string][] = [
    ['refresh', {}, 'refresh_token is required'],
    ['refresh', { refresh_token: '' }, 'refresh_token is required'],
    ['refresh', { refresh_token: 5 }, 'refresh_token must be a string'],
    ['logout', { refresh_token: 5 }, 'refresh_token must be a string'],
  ];
  test('is refused when it is missing or no text', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [path, body, error] of REFUSED)
      assert.deepEqual(refusal(await api.post(`/auth/${path}`, body)), [400, error]);
  });
});
