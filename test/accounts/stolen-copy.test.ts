import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { bearing, startWithAlice } from '../support/accounts.ts';
import { array, field } from '../support/client.ts';
import { TOKEN_HEADER, claimsOf, encode } from '../support/forge.ts';
import { person, readStored, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';

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
    test(`opens no session, although the key that signs is in it, with rotation ${REFRESH_TOKEN_ROTATION}`, async (t) => {
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
    });
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
