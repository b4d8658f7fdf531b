import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { apiTokenOf, bearing, logIn, registration, secretOf, startWithAlice } from '../support/accounts.ts';
import { run } from '../support/backups.ts';
import { refusal } from '../support/changes.ts';
import { array, field } from '../support/client.ts';
import { TOKEN_HEADER, claimsOf, expired, signed } from '../support/forge.ts';
import { makeDatabaseBefore } from '../support/old-database.ts';
import { LOCAL, person, readStored, signUp } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { startWorld } from '../support/world.ts';

const INVALID = [401, 'Invalid token'];
const EXPIRED = [401, 'Token has expired'];
const OLD_REFRESH_TOKEN = 'x'.repeat(43);

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

describe('after a backup is restored', () => {
  test('tokens of the backup go on, and later ones open nothing, though ids are given again', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const backup = join(temporaryFolder(t), 'backup.tar');
    const script = await apiTokenOf(alice.api);
    await run(service.folder, 'backup', backup);
    const [bob, later] = [await signUp(service, 'bob'), await logIn(service, alice)];
    const lost = [bob.accessToken, await apiTokenOf(bob.api), later.accessToken];
    await service.stop();
    await run(service.folder, 'restore', backup, '--force');

    const restored = await startService(t, { ...LOCAL, DATA_DIR: service.folder });
    const mallory = await signUp(restored, 'mallory');
    await logIn(restored, mallory);
    assert.equal(mallory.id, bob.id);
    assert.equal(readStored(service.folder, 'SELECT id FROM sessions WHERE id IN (2, 3)').length, 2);
    for (const token of lost) {
      assert.deepEqual(refusal(await restored.api.get('/auth/me', bearing(token))), INVALID);
    }
    for (const { refreshToken } of [bob, later]) {
      const answer = await restored.api.post('/auth/refresh', { refresh_token: refreshToken });
      assert.equal(answer.status, 401);
    }
    for (const token of [alice.accessToken, script])
      assert.equal(field((await restored.api.get('/auth/me', bearing(token))).body, 'id'), alice.id);
    const goesOn = await restored.api.post('/auth/refresh', { refresh_token: alice.refreshToken });
    assert.equal(goesOn.status, 200);
  });

  test('open invitations and links to set a password have ended', async (t) => {
    const { admin, people, service } = await startWorld(t);
    const used = secretOf(await admin.post('/invitations', {}));
    await service.api.post('/auth/register', registration('dora', { invitation: used }));
    const invitation = secretOf(await admin.post('/invitations', {}));
    const token = secretOf(await admin.post(`/users/${people.owner.id}/password-reset`, {}));
    const backup = join(temporaryFolder(t), 'backup.tar');
    await run(service.folder, 'backup', backup);
    await service.stop();
    await run(service.folder, 'restore', backup, '--force');
    const { api } = await startService(t, { ...LOCAL, DATA_DIR: service.folder });
    assert.equal((await api.post('/auth/invitation', { invitation })).status, 404);
    const reset = { token, new_password: 'ten tall ships at sea' };
    assert.equal((await api.post('/auth/password-reset', reset)).status, 400);
    assert.equal((await api.get('/auth/me', bearing(people.admin.accessToken))).status, 200);
    const stored = readStored(service.folder, 'SELECT id FROM invitations WHERE used_at IS NOT NULL');
    assert.equal(stored.length, 1);
  });

  test('a lost token ends no session', async (t) => {
    const service = await startService(t, LOCAL);
    const backup = join(temporaryFolder(t), 'backup.tar');
    await run(service.folder, 'backup', backup);
    const bob = await signUp(service, 'bob');
    await service.stop();
    await run(service.folder, 'restore', backup, '--force');
    const restored = await startService(t, { ...LOCAL, DATA_DIR: service.folder });
    const mallory = await signUp(restored, 'mallory');
    for (const token of [bob.accessToken, expired(bob.accessToken)])
      assert.equal((await restored.api.post('/auth/logout', {}, bearing(token))).status, 200);
    assert.equal((await mallory.api.get('/auth/me')).status, 200);
  });
});

describe('an access token that names its session by its id', () => {
  test('has expired, opens and ends nothing, and its client gets a new one by a refresh', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const old = signed(TOKEN_HEADER, { ...claimsOf(alice.accessToken), sid: '1' });
    for (const path of ['/auth/me', '/auth/tokens']) {
      const answer = await service.api.get(path, bearing(old));
      assert.deepEqual(refusal(answer), EXPIRED);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
    assert.equal((await service.api.post('/auth/logout', {}, bearing(old))).status, 200);
    const refreshed = await service.api.post('/auth/refresh', { refresh_token: alice.refreshToken });
    assert.equal((await person(service.url, refreshed.body, '').api.get('/auth/me')).status, 200);
  });
});

describe('a logout', () => {
  test('with a bearer token that has expired ends its session', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const bob = await signUp(service, 'bob');
    const answer = await service.api.post('/auth/logout', {}, bearing(expired(alice.accessToken)));
    assert.equal(answer.status, 200);
    assert.deepEqual(refusal(await alice.api.get('/auth/me')), INVALID);
    assert.equal((await bob.api.get('/auth/me')).status, 200);
  });
});

describe('an upgrade', () => {
  const LATER = '2999-01-01T00:00:00.000Z';

  test('from before names of sessions leaves everyone signed in, and the search of users complete', async (t) => {
    const folder = temporaryFolder(t);
    const now = new Date().toISOString();
    makeDatabaseBefore(folder, 'session_names', (connection) => {
      connection
        .prepare(
          `INSERT INTO users (id, email, email_key, username, username_key, full_name, is_admin, created_at, updated_at)
           VALUES (2, 'alice@example.com', 'alice@example.com', 'alice', 'alice', 'Zoë', 1, ?, ?)`,
        )
        .run(now, now);
      const insert = connection.prepare(`INSERT INTO sessions VALUES (?, 2, '127.0.0.1', 'app/1', ?, ?, ?)`);
      for (const id of [1, 2]) insert.run(id, now, now, LATER);
      connection
        .prepare('INSERT INTO refresh_tokens (token_hash, session_id) VALUES (?, 1)')
        .run(hashOf(OLD_REFRESH_TOKEN));
    });
    await run(folder, 'migrate');
    const service = await startService(t, { ...LOCAL, DATA_DIR: folder });
    const { body } = await service.api.post('/auth/refresh', { refresh_token: OLD_REFRESH_TOKEN });
    const { id, api } = person(service.url, body, '');
    assert.equal(id, 2);
    const sessions = array((await api.get('/auth/sessions')).body);
    assert.deepEqual(
      sessions.map((session) => [field(session, 'id'), field(session, 'current'), field(session, 'cookie')]),
      [
        [1, true, false],
        [2, false, false],
      ],
    );
    assert.equal(field((await api.get('/users?q=zoe')).body, 'total'), 1);
  });

  test('from names that were stored in clear leaves access tokens valid, and a refresh gives others', async (t) => {
    const folder = temporaryFolder(t);
    const now = new Date().toISOString();
    const sid = '0123456789abcdef'.repeat(2);
    makeDatabaseBefore(folder, 'stolen_copies', (connection) => {
      connection
        .prepare(
          `INSERT INTO users (id, email, email_key, username, username_key, search_key, created_at, updated_at)
           VALUES (2, 'alice@example.com', 'alice@example.com', 'alice', 'alice', 'alice', ?, ?)`,
        )
        .run(now, now);
      connection
        .prepare(
          `INSERT INTO sessions (id, user_id, ip_address, user_agent, created_at, last_used_at, expires_at, sid)
           VALUES (1, 2, '127.0.0.1', 'app/1', ?, ?, ?, ?)`,
        )
        .run(now, now, LATER, sid);
      const insert = connection.prepare(
        'INSERT INTO refresh_tokens (token_hash, session_id, rotated_at, successor_salt) VALUES (?, 1, ?, ?)',
      );
      insert.run(hashOf('y'.repeat(43)), now, Buffer.alloc(32));
      insert.run(hashOf(OLD_REFRESH_TOKEN), null, null);
    });
    await run(folder, 'migrate');
    const service = await startService(t, { ...LOCAL, DATA_DIR: folder });
    const issued = Math.floor(Date.now() / 1000);
    const claims = { iss: 'restaurant-catalogue', aud: 'restaurant-catalogue', sub: '2', sid };
    const old = bearing(signed(TOKEN_HEADER, { ...claims, iat: issued, exp: issued + 900 }));
    const [session] = array((await service.api.get('/auth/sessions', old)).body);
    assert.equal(field(session, 'current'), true);
    const { body } = await service.api.post('/auth/refresh', { refresh_token: OLD_REFRESH_TOKEN });
    const { api, accessToken } = person(service.url, body, '');
    assert.notEqual(claimsOf(accessToken)['sid'], sid);
    assert.equal((await api.get('/auth/me')).status, 200);
    assert.equal((await service.api.get('/auth/me', old)).status, 401);
  });
});
