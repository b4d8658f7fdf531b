import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand, startServerProcess } from '../support/cli.ts';
import { field, ids } from '../support/client.ts';
import { LOCAL } from '../support/people.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';
import { faultsOfDatabase } from './sound.ts';

describe('a data folder that a server has', () => {
  test('is refused to another server and to a migration, in one line that names it, and the first goes on', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const { api } = await startServerProcess(t, { DATA_DIR });
    for (const command of ['serve', 'migrate']) {
      const { code, err } = await runCommand([command], { variables: { DATA_DIR, PORT: '0' } });
      assert.deepEqual([code, err], [1, `another server is running on the data folder ${DATA_DIR}\n`]);
    }
    assert.equal((await api.post('/restaurants', { name: 'Chez Nous' })).status, 201);
  });

  test('picks up what commands write at the same time as itself', async (t) => {
    const variables = { ...LOCAL, DATA_DIR: temporaryFolder(t) };
    const { api } = await startServerProcess(t, { ...LOCAL, DATA_DIR: variables.DATA_DIR });
    const rows = Array.from({ length: 500 }, (_, row) => `{"name":"Imported ${row}"}`).join('\n');
    const account = (name: string): object => ({
      email: `${name}@example.com`,
      username: name,
      password: `${name} and a long password`,
    });
    const [imported, created, exported] = await Promise.all([
      runCommand(['import', '-', '--format', 'ndjson'], { variables, input: rows }),
      runCommand(['user', 'create', 'chef@example.com'], { variables, input: 'chef and a long password\n' }),
      runCommand(['export', '-', '--format', 'ndjson'], { variables }),
      // On a busy machine some are asked to try again.
      ...['alice', 'bob', 'carol'].map((name) =>
        until(async () => {
          const { status } = await api.post('/auth/register', account(name));
          assert.ok([201, 503].includes(status));
          return status === 201;
        }),
      ),
    ]);
    assert.deepEqual([imported.code, imported.err], [0, 'read as ndjson\n']);
    assert.deepEqual([created.code, created.err], [0, '']);
    assert.equal(exported.code, 0);
    assert.match(exported.err, /^\d+ restaurants written to standard output\n$/);
    assert.equal(ids((await api.get('/restaurants')).body).length, 500);
    assert.deepEqual(
      faultsOfDatabase(variables.DATA_DIR).filter((fault) => !fault.startsWith('accounts')),
      [],
    );
  });

  test('is free again once that server was killed, and after its lock file was damaged it says what to do', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const first = await startServerProcess(t, { DATA_DIR });
    first.process.kill('SIGKILL');
    await first.ended;
    assert.equal((await runCommand(['migrate'], { variables: { DATA_DIR } })).code, 0);
    const second = await startServerProcess(t, { DATA_DIR });
    assert.deepEqual(field((await second.api.get('/health')).body, 'status'), 'ok');
    second.process.kill('SIGKILL');
    await second.ended;
    const lock = join(DATA_DIR, 'server.lock');
    writeFileSync(lock, 'nonsense '.repeat(1_000));
    const { code, err } = await runCommand(['serve'], { variables: { DATA_DIR, PORT: '0' } });
    assert.equal(code, 1);
    assert.match(
      err,
      /^cannot lock the data folder [^\n]+; when no server runs there, remove \S+server\.lock\n$/,
    );
  });
});
