import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { ageRotations, startWithAlice } from '../support/accounts.ts';
import { type Answer, textOf } from '../support/client.ts';
import { LOCAL, person, readStored } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';

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
