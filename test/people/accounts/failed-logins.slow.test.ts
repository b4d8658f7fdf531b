import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { remove } from '../../support/accounts.ts';
import { startServerProcess } from '../../support/cli.ts';
import { record } from '../../support/client.ts';
import { LOCAL, changeStored, signUp } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';

const TYPED = 'my secret, typed into the wrong field';
// One character that compatibility normalisation (NFKC) makes eighteen of.
const SWELLING = '\ufdfa';

describe('a failed login', () => {
  test('is a line of the log with the account and the address, and never with what was typed', async (t) => {
    const service = await startService(t, LOCAL);
    const { api, logs } = service;
    const [alice, bob] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
    changeStored(service.folder, 'UPDATE users SET is_active = 0 WHERE id = ?', bob.id);
    for (const [email, password] of [
      ['ALICE@example.com', TYPED],
      [TYPED, alice.password],
      ['nobody@example.com', TYPED],
      [bob.email, bob.password],
    ])
      assert.equal((await api.post('/auth/login', { email, password })).status, 401);
    const change = { current_password: TYPED, new_password: 'ten tall ships at sea' };
    assert.equal((await alice.api.post('/auth/password', change)).status, 403);
    assert.equal((await remove(alice.api, '/auth/me', { password: TYPED })).status, 403);
    assert.equal((await api.post('/auth/login', alice)).status, 200);
    const failed = logs.map(record).filter(({ message }) => message === 'login failed');
    const line = (user: object): object => ({
      level: 'warn',
      message: 'login failed',
      ...user,
      client: '127.0.0.1',
    });
    assert.deepEqual(
      failed.map(({ time: _time, ...rest }) => rest),
      [{ user: alice.id }, {}, {}, { user: bob.id }, { user: alice.id }, { user: alice.id }].map(line),
    );
    assert.doesNotMatch(JSON.stringify(logs), /my secret|nobody@/);
  });

  test('is found by the recipe of the manual for fail2ban, which no one can put the address of another into', async (t) => {
    const manual = readFileSync(new URL('../../../static/manual/security.md', import.meta.url), 'utf8');
    const [, recipe = ''] = /^failregex = (.*)$/m.exec(manual) ?? [];
    assert.match(recipe, /<ADDR>/);
    const found = new RegExp(recipe.replace('<ADDR>', '(?<address>[0-9a-f.:]+)'));
    const server = await startServerProcess(t, {
      ...LOCAL,
      HOST: '127.0.0.1',
      DATA_DIR: temporaryFolder(t),
      TRUSTED_PROXIES: 'loopback',
    });
    const forged = '"message":"login failed","client":"203.0.113.9"';
    for (const client of ['192.0.2.7', '2001:db8::7'])
      await server.api.post(
        '/auth/login',
        { email: forged, password: forged },
        { 'X-Forwarded-For': client, 'User-Agent': forged, 'X-Request-Id': forged },
      );
    await server.api.get(`/restaurants/${encodeURIComponent(forged)}?q=${encodeURIComponent(forged)}`);
    await fetch(`${server.url}/api/${forged.replaceAll('"', '%22')}`);
    server.process.kill('SIGTERM');
    const { out } = await server.ended;
    const addresses = out.split('\n').flatMap((line) => found.exec(line)?.groups?.['address'] ?? []);
    assert.deepEqual(addresses, ['192.0.2.7', '2001:db8::7']);
  });

  test('costs no memory, however long the email is, and however much longer normalisation makes it', async (t) => {
    const { api, process: child } = await startServerProcess(t, {
      ...LOCAL,
      DATA_DIR: temporaryFolder(t),
      HOST: '127.0.0.1',
      NODE_OPTIONS: '--max-old-space-size=64',
    });
    for (let count = 0; count < 90; count += 1) {
      const email = `${count} ${SWELLING.repeat(20_000)}`;
      assert.equal((await api.post('/auth/login', { email, password: 'a wrong password' })).status, 401);
    }
    assert.equal((await api.get('/health')).status, 200);
    assert.equal(child.exitCode, null);
  });
});
