import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { migrateFolder } from '../../../src/storage/storage.ts';
import { bearing, startWithAlice } from '../../support/accounts.ts';
import { refusal } from '../../support/changes.ts';
import { array, field } from '../../support/client.ts';
import { TOKEN_HEADER, claimsOf, signed } from '../../support/forge.ts';
import { makeDatabaseBefore } from '../../support/old-database.ts';
import { LOCAL, person, readStored } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';

const EXPIRED = [401, 'Token has expired'];
const OLD_REFRESH_TOKEN = 'x'.repeat(43);

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

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
    migrateFolder(folder);
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
    migrateFolder(folder);
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

  test('from before links had creators ends the open ones that no administrator answers for', async (t) => {
    const folder = temporaryFolder(t);
    const now = new Date().toISOString();
    makeDatabaseBefore(folder, 'stolen_copies', (connection) => {
      for (const [id, isAdmin, isActive] of [
        [2, 1, 1],
        [3, 0, 1],
        [4, 1, 0],
      ])
        connection
          .prepare(
            `INSERT INTO users (id, email, email_key, username, username_key, is_admin, is_active, created_at, updated_at)
             VALUES (:id, 'u' || :id, 'u' || :id, 'u' || :id, 'u' || :id, :isAdmin, :isActive, :now, :now)`,
          )
          .run({ id, isAdmin, isActive, now });
      for (const createdBy of [2, 3, 4, null])
        for (const usedAt of [null, now])
          connection
            .prepare(
              `INSERT INTO invitations (secret_hash, created_at, created_by, expires_at, used_at)
               VALUES (randomblob(32), ?, ?, ?, ?)`,
            )
            .run(now, createdBy, '2999-01-01T00:00:00.000Z', usedAt);
      connection
        .prepare("INSERT INTO password_resets VALUES (2, randomblob(32), '2999-01-01T00:00:00.000Z')")
        .run();
    });
    migrateFolder(folder);
    const open = readStored(folder, 'SELECT created_by FROM invitations WHERE used_at IS NULL');
    assert.deepEqual(
      open.map((row) => field(row, 'created_by')),
      [2],
    );
    assert.equal(readStored(folder, 'SELECT 1 FROM invitations').length, 5);
    assert.deepEqual(readStored(folder, 'SELECT * FROM password_resets'), []);
    const { api } = await startService(t, { DATA_DIR: folder });
    assert.equal(array((await api.get('/invitations')).body).length, 5);
  });

  test('from before the rules of usernames leaves them as they are, and no new one may look like them', async (t) => {
    const folder = temporaryFolder(t);
    const names = ['paypal', 'раураl', 'ali\u200bce', '\u3164'];
    makeDatabaseBefore(folder, 'username_skeletons', (connection) => {
      const insert = connection.prepare(
        `INSERT INTO users (email, email_key, username, username_key, created_at, updated_at)
         VALUES (:email, :email, :username, :username, '2026', '2026')`,
      );
      for (const [index, username] of names.entries())
        insert.run({ email: `${index}@example.com`, username });
    });
    migrateFolder(folder);
    const service = await startService(t, { ...LOCAL, DATA_DIR: folder });
    const password = 'correct horse battery';
    for (const username of ['paypa1', 'alice'])
      assert.equal(
        (await service.api.post('/auth/register', { email: 'new@example.com', username, password })).status,
        409,
      );
    const free = await service.api.post('/auth/register', {
      email: 'n@example.com',
      username: 'n',
      password,
    });
    assert.equal(free.status, 201);
    const stored = readStored(folder, 'SELECT username FROM users ORDER BY id');
    assert.deepEqual(
      stored.map((row) => field(row, 'username')),
      [...names, 'n'],
    );
  });
});
