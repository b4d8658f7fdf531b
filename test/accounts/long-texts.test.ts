import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';
import { createLoginAttempts } from '../../src/accounts/attempts.ts';
import { startWithAlice } from '../support/accounts.ts';
import { refusal } from '../support/changes.ts';
import { startServerProcess } from '../support/cli.ts';
import { LOCAL } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';

const REFUSED = [401, 'Invalid credentials'];
// One character that compatibility normalisation (NFKC) makes eighteen of.
const SWELLING = '\ufdfa';

/** The bytes of the heap that are in use after a collection. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('the heap cannot be collected');
  Reflect.apply(collect, undefined, []);
  return process.memoryUsage().heapUsed;
}

describe('a login with an over-long text', () => {
  test('is refused like that of an unknown account, and counted', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const tries = [
      { email: `${'a'.repeat(300)}@example.com`, password: alice.password },
      { email: `${alice.email}${' '.repeat(600)}`, password: alice.password },
      { email: `${' '.repeat(600)}${alice.email}`, password: alice.password },
      { email: `\ud83c${SWELLING.repeat(2_000)}`, password: alice.password },
      { email: alice.email, password: alice.password + 'x'.repeat(20_000) },
      { email: alice.email, password: SWELLING.repeat(20_000) },
    ];
    for (const body of tries) {
      const answer = await service.api.post('/auth/login', body);
      assert.deepEqual(refusal(answer), REFUSED, body.email.slice(0, 30));
    }
    assert.equal((await service.api.post('/auth/login', alice)).status, 200);
    for (const body of tries.slice(0, 5)) {
      const statuses = new Set<number>();
      for (let count = 0; count < 11; count += 1)
        statuses.add((await service.api.post('/auth/login', body)).status);
      assert.deepEqual([...statuses], [401, 429], body.email.slice(0, 30));
    }
  });

  test('costs no memory, however many there are and however much longer normalisation makes them', async (t) => {
    const { api, process: child } = await startServerProcess(t, {
      ...LOCAL,
      DATA_DIR: temporaryFolder(t),
      HOST: '127.0.0.1',
      NODE_OPTIONS: '--max-old-space-size=96',
    });
    for (let count = 0; count < 150; count += 1) {
      const email = `${count} ${SWELLING.repeat(20_000)}`;
      assert.equal((await api.post('/auth/login', { email, password: 'a wrong password' })).status, 401);
    }
    assert.equal((await api.get('/health')).status, 200);
    assert.equal(child.exitCode, null);
  });

  test('of megabytes is refused, and the service goes on', async (t) => {
    const { api } = await startService(t, LOCAL);
    const long = 'a'.repeat(9 * 1024 * 1024);
    for (const body of [
      { email: long, password: 'a wrong password' },
      { email: 'alice@example.com', password: long },
    ])
      assert.ok([401, 413].includes((await api.post('/auth/login', body)).status));
    assert.equal((await api.get('/health')).status, 200);
  });
});

describe('the count of failed logins', () => {
  test('takes no more memory for long accounts than for short ones', () => {
    const attempts = createLoginAttempts();
    const before = heapUsed();
    for (let count = 0; count < 200; count += 1)
      attempts.failed(`${count} ${SWELLING.repeat(200_000)}`, '192.0.2.1');
    const more = (heapUsed() - before) / 1024 / 1024;
    assert.equal(attempts.size(), 400);
    assert.ok(more < 20, `${more} MB`);
  });
});
