import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { remove, startWithAlice } from '../../support/accounts.ts';
import { refusal } from '../../support/changes.ts';
import { array, field, record, textOf } from '../../support/client.ts';
import { changeStored, person, readStored, signUp } from '../../support/people.ts';
import { startService } from '../../support/service.ts';

const PLACEHOLDER = [403, 'The placeholder user cannot be changed'];

describe('PATCH /auth/me', () => {
  test('changes the names that are sent, and clears a full name', async (t) => {
    const { api } = (await startWithAlice(t)).alice;
    const renamed = await api.patch('/auth/me', { username: 'Alice II' });
    assert.deepEqual(
      [renamed.status, textOf(renamed.body, 'username'), textOf(renamed.body, 'full_name')],
      [200, 'Alice II', 'alice'],
    );
    const cleared = await api.patch('/auth/me', { full_name: null });
    const { username, full_name } = record(cleared.body);
    assert.deepEqual([username, full_name], ['Alice II', null]);
    assert.deepEqual((await api.get('/auth/me')).body, cleared.body);
    assert.deepEqual((await api.patch('/auth/me', {})).body, cleared.body);
    // The case of the own name may change.
    assert.equal((await api.patch('/auth/me', { username: 'ALICE II' })).status, 200);
  });

  test('refuses names of others, also such that look the same', async (t) => {
    const { service, alice } = await startWithAlice(t);
    await signUp(service, 'scope');
    for (const username of ['scope', 'SCOPE', 'sc0pe']) {
      const answer = await alice.api.patch('/auth/me', { username });
      assert.deepEqual(refusal(answer), [409, 'User already exists: username is taken'], username);
    }
  });

  test('changes nothing but names', async (t) => {
    const { api, email } = (await startWithAlice(t)).alice;
    const { body } = await api.patch('/auth/me', { email: 'x@example.com', is_admin: true, id: 9 });
    assert.deepEqual([textOf(body, 'email'), field(body, 'is_admin'), field(body, 'id')], [email, false, 2]);
    for (const [username, error] of [
      [null, 'username is required'],
      ['', 'username is required'],
      ['a\u200bb', 'username holds invisible or look-alike characters'],
      ['x'.repeat(101), 'username must be at most 100 characters'],
    ])
      assert.deepEqual(refusal(await api.patch('/auth/me', { username })), [400, error]);
  });
});

describe('the own sessions', () => {
  test('are listed, the most recently used first, and can be ended one by one', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const bob = await signUp(service, 'bob');
    const login = await service.api.post('/auth/login', alice, { 'User-Agent': 'phone' });
    const phone = person(service.url, login.body, '');
    const [first, second, ...more] = array((await alice.api.get('/auth/sessions')).body).map(record);
    assert.deepEqual(
      [first, second].map((one) => [one?.['user_agent'], one?.['current'], one?.['cookie']]),
      [
        ['phone', false, false],
        ['node', true, false],
      ],
    );
    assert.deepEqual(more, []);
    const path = `/auth/sessions/${String(first?.['id'])}`;
    assert.deepEqual(refusal(await bob.api.delete(path)), [404, 'Session not found']);
    assert.equal((await phone.api.get('/auth/me')).status, 200);
    assert.equal((await alice.api.delete(path)).status, 204);
    assert.equal((await phone.api.get('/auth/me')).status, 401);
    assert.deepEqual(refusal(await alice.api.delete(path)), [404, 'Session not found']);
    assert.deepEqual(refusal(await alice.api.delete('/auth/sessions/x')), [400, 'Invalid session ID']);
    assert.equal((await alice.api.delete(`/auth/sessions/${String(second?.['id'])}`)).status, 204);
    assert.equal((await alice.api.get('/auth/me')).status, 401);
  });

  test('that have expired are not listed, and there are none in mode none', async (t) => {
    const { service, alice } = await startWithAlice(t);
    await service.api.post('/auth/login', alice);
    changeStored(service.folder, "UPDATE sessions SET expires_at = '2020' WHERE id = 2");
    assert.equal(array((await alice.api.get('/auth/sessions')).body).length, 1);
    assert.equal((await alice.api.delete('/auth/sessions/2')).status, 404);
    const { api } = await startService(t);
    assert.deepEqual((await api.get('/auth/sessions')).body, []);
  });
});

describe('DELETE /auth/me', () => {
  test('wants the password, and ends all access', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const { password } = alice;
    for (const [body, status, error] of [
      [{}, 400, 'password is required'],
      [{ password: 'wrong' }, 403, 'Current password is wrong'],
      [{ password, contributions: 'sell' }, 400, 'contributions must be one of keep, delete'],
    ] as const)
      assert.deepEqual(refusal(await remove(alice.api, '/auth/me', body)), [status, error]);
    assert.equal((await remove(alice.api, '/auth/me', { password })).status, 204);
    assert.equal((await alice.api.get('/auth/me')).status, 401);
    assert.equal((await service.api.post('/auth/login', alice)).status, 401);
    for (const table of ['users', 'sessions', 'refresh_tokens', 'login_addresses', 'erasures'])
      assert.deepEqual(readStored(service.folder, `SELECT * FROM ${table}`), [], table);
    // Email and username are free again; the id is not.
    assert.equal((await signUp(service, 'alice')).id, 3);
  });

  test('wants the username of a user who has no password', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const { api } = alice;
    changeStored(service.folder, 'UPDATE users SET password_hash = NULL');
    for (const body of [{}, { confirm: 'Alice' }, { password: 'alice' }])
      assert.deepEqual(refusal(await remove(api, '/auth/me', body)), [400, 'confirm must be your username']);
    assert.equal((await remove(api, '/auth/me', { confirm: 'alice' })).status, 204);
  });

  test('may come without a media type, but not with another one', async (t) => {
    const { api, password } = (await startWithAlice(t)).alice;
    const body = Buffer.from(JSON.stringify({ password }));
    const send = (headers: Record<string, string>) =>
      api.send('/api/auth/me', { method: 'DELETE', headers, body });
    assert.equal((await send({ 'Content-Type': 'text/plain' })).status, 415);
    assert.equal((await send({})).status, 204);
  });
});

describe('the placeholder of mode none', () => {
  test('cannot be changed', async (t) => {
    const { api } = await startService(t);
    const answers = [
      await api.patch('/auth/me', { username: 'x' }),
      await remove(api, '/auth/me', { confirm: 'testuser' }),
      await api.post('/auth/password', { current_password: 'x', new_password: 'a long password' }),
      await api.patch('/users/1', { is_active: false }),
      await api.delete('/users/1'),
      await api.delete('/users/1/sessions'),
      await api.delete('/users/1/access'),
      await api.delete('/auth/access'),
      await api.post('/users/1/password-reset', {}),
    ];
    for (const answer of answers) assert.deepEqual(refusal(answer), PLACEHOLDER);
    assert.deepEqual(field((await api.get('/users')).body, 'data'), []);
    assert.deepEqual(refusal(await api.get('/users/1')), [404, 'User not found']);
  });
});

// That with which alice has signed up.
const OLD = 'alice and a long password';
const NEW = 'ten tall ships at sea';

const change = (current: string, next = NEW): object => ({ current_password: current, new_password: next });

describe('POST /auth/password', () => {
  test('lets the new password in, and the old one no longer', async (t) => {
    const { service, alice } = await startWithAlice(t);
    assert.equal((await alice.api.post('/auth/password', change(alice.password))).status, 200);
    assert.equal((await service.api.post('/auth/login', alice)).status, 401);
    assert.equal((await service.api.post('/auth/login', { ...alice, password: NEW })).status, 200);
  });

  test('refuses a wrong password, and after ten of them the right one too', async (t) => {
    const { service, alice } = await startWithAlice(t);
    for (let tries = 0; tries < 10; tries += 1) {
      const answer = await alice.api.post('/auth/password', change('wrong'));
      assert.deepEqual(refusal(answer), [403, 'Current password is wrong']);
    }
    const waiting = await alice.api.post('/auth/password', change(alice.password));
    assert.deepEqual(refusal(waiting), [429, 'Too many failed logins. Please try again later.']);
    assert.ok(Number(waiting.headers.get('retry-after')) > 0);
    // One count for logins and for this.
    assert.equal((await service.api.post('/auth/login', alice)).status, 429);
  });

  const faults: readonly [string, object, string][] = [
    ['no passwords', {}, 'current_password is required; new_password is required'],
    ['another type', { current_password: 5, new_password: NEW }, 'current_password must be a string'],
    ['a short one', change(OLD, 'short'), 'password must be at least 8 characters'],
    ['the own email', change(OLD, 'Alice@example.com'), 'password must not be your email or username'],
  ];
  test('refuses what cannot be a password, and says why', async (t) => {
    const { alice } = await startWithAlice(t);
    for (const [title, body, error] of faults)
      assert.deepEqual(refusal(await alice.api.post('/auth/password', body)), [400, error], title);
  });

  test('knows users who have no password', async (t) => {
    const { service, alice } = await startWithAlice(t);
    changeStored(service.folder, 'UPDATE users SET password_hash = NULL');
    const answer = await alice.api.post('/auth/password', change(alice.password));
    assert.deepEqual(refusal(answer), [409, 'This account has no password']);
  });

  test('is won by one of two that come at once', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const wishes = ['first of two passwords', 'second of two passwords'];
    const answers = await Promise.all(
      wishes.map((wish) => alice.api.post('/auth/password', change(alice.password, wish))),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403]);
    const winner = wishes[answers.findIndex(({ status }) => status === 200)] ?? '';
    assert.equal((await service.api.post('/auth/login', { ...alice, password: winner })).status, 200);
  });
});
