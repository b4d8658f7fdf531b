import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { ageRotations, bearing, logIn, startWithAlice } from '../../support/accounts.ts';
import { refusal } from '../../support/changes.ts';
import { type Answer, array, createClient, field, record, textOf } from '../../support/client.ts';
import { TOKEN_HEADER, claimsOf, encode, expired } from '../../support/forge.ts';
import { LOCAL, changeStored, person, readStored, signUp } from '../../support/people.ts';
import { type Service, startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

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
        'access_token',
        'refresh_token',
        'token_type',
        'expires_in',
        'user',
        'pending_suggestions',
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

describe('the sessions of a user', () => {
  test('are at most fifty: the oldest ends', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const bob = await signUp(service, 'bob');
    const second = await logIn(service, alice);
    for (let count = 0; count < 48; count += 1) await logIn(service, alice);
    assert.equal((await alice.api.get('/auth/me')).status, 200);
    const last = await logIn(service, alice);
    assert.equal((await alice.api.get('/auth/me')).status, 401);
    for (const { api } of [second, last, bob]) assert.equal((await api.get('/auth/me')).status, 200);
    assert.equal(array((await last.api.get('/auth/sessions')).body).length, 50);
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

const rotating = (t: TestContext): ReturnType<typeof startWithAlice> =>
  startWithAlice(t, { REFRESH_TOKEN_ROTATION: 'true' });

function refresh({ api }: Service, refresh_token: string, headers: object = {}): Promise<Answer> {
  return api.post('/auth/refresh', { refresh_token }, { 'User-Agent': 'app/1', ...headers });
}

function sessionCount({ folder }: Service): number {
  return readStored(folder, 'SELECT id FROM sessions').length;
}

describe('with REFRESH_TOKEN_ROTATION=true a refresh token', () => {
  test('is replaced at every refresh, and its successor goes on', async (t) => {
    const { service, alice } = await rotating(t);
    const tokens = [alice.refreshToken];
    for (let round = 0; round < 3; round += 1) {
      const { status, body } = await refresh(service, tokens.at(-1) ?? '');
      assert.equal(status, 200);
      assert.match(textOf(body, 'refresh_token'), /^[\w-]{43}$/);
      tokens.push(textOf(body, 'refresh_token'));
      assert.equal((await person(service.url, body, '').api.get('/auth/me')).status, 200);
    }
    assert.equal(new Set(tokens).size, 4);
    assert.equal(sessionCount(service), 1);
  });

  test('that is used again later ends the whole session', async (t) => {
    const { service, alice } = await rotating(t);
    const next = (await refresh(service, alice.refreshToken)).body;
    ageRotations(service);
    const reused = await refresh(service, alice.refreshToken);
    assert.deepEqual([reused.status, reused.body], [401, { error: 'Invalid or expired refresh token' }]);
    assert.equal(sessionCount(service), 0);
    assert.equal((await refresh(service, textOf(next, 'refresh_token'))).status, 401);
    assert.equal((await person(service.url, next, '').api.get('/auth/me')).status, 401);
    assert.equal((await alice.api.get('/auth/me')).status, 401);
  });

  test('that the same client sends again within ten seconds returns the same successor', async (t) => {
    const { service, alice } = await rotating(t);
    const answers = await Promise.all(Array.from({ length: 16 }, () => refresh(service, alice.refreshToken)));
    const successors = new Set(answers.map(({ body }) => textOf(body, 'refresh_token')));
    assert.equal(successors.size, 1);
    assert.equal(readStored(service.folder, 'SELECT 1 FROM refresh_tokens').length, 2);
    const [successor = ''] = successors;
    assert.equal((await refresh(service, successor)).status, 200);
  });

  for (const [title, header] of [
    ['another client', { 'User-Agent': 'thief/1' }],
    ['a client at another address', { 'X-Forwarded-For': '203.0.113.9' }],
  ] as const)
    test(`that ${title} sends within ten seconds ends the session`, async (t) => {
      const { service, alice } = await rotating(t);
      await refresh(service, alice.refreshToken);
      assert.equal((await refresh(service, alice.refreshToken, header)).status, 401);
      assert.equal(sessionCount(service), 0);
    });

  test('of an older generation ends the session, however young it is', async (t) => {
    const { service, alice } = await rotating(t);
    const second = textOf((await refresh(service, alice.refreshToken)).body, 'refresh_token');
    await refresh(service, second);
    assert.equal((await refresh(service, alice.refreshToken)).status, 401);
    assert.equal(sessionCount(service), 0);
  });

  test('logs out wherever in its rotation it stands', async (t) => {
    const { service, alice } = await rotating(t);
    await refresh(service, alice.refreshToken);
    await service.api.post('/auth/logout', { refresh_token: alice.refreshToken });
    assert.equal(sessionCount(service), 0);
  });

  test('keeps the seven days of its session', async (t) => {
    const { service, alice } = await rotating(t);
    const expiry = (): unknown => readStored(service.folder, 'SELECT expires_at FROM sessions');
    const before = expiry();
    await refresh(service, alice.refreshToken);
    assert.deepEqual(expiry(), before);
  });

  test('that was rotated before is not good again when rotation is turned off', async (t) => {
    const { service, alice } = await rotating(t);
    const second = textOf((await refresh(service, alice.refreshToken)).body, 'refresh_token');
    ageRotations(service);
    await service.stop();
    const later = await startService(t, { ...LOCAL, DATA_DIR: service.folder });
    assert.equal((await refresh(later, second)).status, 200);
    assert.equal((await refresh(later, alice.refreshToken)).status, 401);
    assert.equal((await refresh(later, second)).status, 401);
  });
});

/** Every value of the tables with accounts, in each form that a name of a session could have. */
function valuesOf(folder: string): Set<string> {
  const database = new Database(join(folder, 'catalogue.db'), { readonly: true });
  const found = new Set<string>();
  for (const table of ['users', 'sessions', 'refresh_tokens', 'login_addresses'])
    for (const row of database.prepare<[], unknown[]>(`SELECT * FROM ${table}`).raw().all())
      for (const value of row) {
        const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
        const hex = bytes.toString('hex');
        const base64 = bytes.toString('base64url');
        for (const text of [String(value), hex, hex.slice(0, 32), hex.slice(-32), base64]) found.add(text);
      }
  database.close();
  return found;
}

describe('a copy of the database of a service in mode oauth', () => {
  for (const REFRESH_TOKEN_ROTATION of ['false', 'true'])
    longTest(
      `opens no session, although the key that signs is in it, with rotation ${REFRESH_TOKEN_ROTATION}`,
      async (t) => {
        const { service: local, alice } = await startWithAlice(t);
        await local.stop();
        const oauth = { AUTH_MODE: 'oauth', REFRESH_TOKEN_ROTATION, DATA_DIR: local.folder };
        const service = await startService(t, oauth);
        const { body } = await service.api.post('/auth/refresh', { refresh_token: alice.refreshToken });
        const refreshed = person(service.url, body, '');
        assert.equal((await refreshed.api.get('/auth/me')).status, 200);

        const select = "SELECT value FROM generated_keys WHERE name = 'access tokens'";
        const key = field(readStored(service.folder, select)[0], 'value');
        assert.ok(Buffer.isBuffer(key));
        const own = claimsOf(refreshed.accessToken);
        const forge = (sid: unknown): string => {
          const input = `${encode(JSON.stringify(TOKEN_HEADER))}.${encode(JSON.stringify({ ...own, sid }))}`;
          return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
        };
        const status = async (token: string): Promise<number> =>
          (await service.api.get('/auth/me', bearing(token))).status;
        assert.equal(await status(forge(own['sid'])), 200);
        for (const value of valuesOf(service.folder)) assert.equal(await status(forge(value)), 401, value);
      },
    );
});

describe('a session whose refresh token is rotated', () => {
  test('keeps the access tokens that it had, and is one session to its user', async (t) => {
    const { service, alice } = await startWithAlice(t, { REFRESH_TOKEN_ROTATION: 'true' });
    await signUp(service, 'bob');
    const { body } = await service.api.post('/auth/refresh', { refresh_token: alice.refreshToken });
    const later = person(service.url, body, '');
    for (const { api } of [alice, later]) {
      const [session, ...more] = array((await api.get('/auth/sessions')).body);
      assert.deepEqual([field(session, 'current'), more], [true, []]);
    }
    const change = { current_password: alice.password, new_password: 'ten tall ships at sea' };
    const changed = await alice.api.post('/auth/password', change);
    assert.equal(field(changed.body, 'ended_sessions'), 0);
    assert.equal((await later.api.get('/auth/me')).status, 200);
    assert.equal((await alice.api.post('/auth/logout', {})).status, 200);
    for (const { api } of [alice, later]) assert.equal((await api.get('/auth/me')).status, 401);
  });
});
