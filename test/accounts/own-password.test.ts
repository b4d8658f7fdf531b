import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiTokenOf, bearing, logIn, startWithAlice } from '../support/accounts.ts';
import { refusal } from '../support/changes.ts';
import { changeStored } from '../support/people.ts';

// That with which alice has signed up.
const OLD = 'alice and a long password';
const NEW = 'ten tall ships at sea';
const CHANGED = { message: 'Password changed', ended_sessions: 0, api_tokens: 0 };

const change = (current: string, next = NEW): object => ({ current_password: current, new_password: next });

describe('POST /auth/password', () => {
  test('ends the other sessions, and neither this one nor API tokens', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const [elsewhere, token] = [await logIn(service, alice), await apiTokenOf(alice.api)];
    const answer = await alice.api.post('/auth/password', change(alice.password));
    assert.deepEqual([answer.status, answer.body], [200, { ...CHANGED, ended_sessions: 1, api_tokens: 1 }]);
    assert.equal((await elsewhere.api.get('/auth/me')).status, 401);
    const refreshed = await service.api.post('/auth/refresh', { refresh_token: elsewhere.refreshToken });
    assert.equal(refreshed.status, 401);
    for (const bearer of [token, alice.accessToken])
      assert.equal((await service.api.get('/auth/me', bearing(bearer))).status, 200);
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
