import assert from 'node:assert/strict';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { type Ended, runCommand, startServerProcess } from '../support/cli.ts';
import { type Variables, temporaryFolder } from '../support/service.ts';

function doctor(t: TestContext, variables: Variables, cwd = temporaryFolder(t)): Promise<Ended> {
  return runCommand(['doctor'], { variables, cwd });
}

/** Everything in a folder with what a change would change, but for the memory in which readers note where they read. */
function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.endsWith('-shm'))
    .map((name) => {
      const { size, mode, mtimeMs } = statSync(join(folder, name));
      return [name, size, mode, mtimeMs].join(' ');
    })
    .toSorted();
}

function requireLines(out: string, lines: readonly (RegExp | string)[]): void {
  for (const line of lines)
    assert.ok(
      out.split('\n').some((one) => (typeof line === 'string' ? one === line : line.test(one))),
      `${String(line)} is not in ${out}`,
    );
}

describe('catalogue doctor', () => {
  test('finds nothing wrong while a server runs and after it, and changes nothing', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const { api, process: server, ended } = await startServerProcess(t, { DATA_DIR });
    await api.post('/restaurants', { name: 'Chez Nous' });
    const served = contents(DATA_DIR);
    const during = await doctor(t, { DATA_DIR });
    assert.equal(during.code, 0, during.out);
    requireLines(during.out, [/^ok {5}a server is running on /]);
    assert.deepEqual(contents(DATA_DIR), served);
    assert.equal((await api.post('/restaurants', { name: 'Chez Moi' })).status, 201);

    server.kill('SIGTERM');
    await ended;
    const before = contents(DATA_DIR);
    const { code, out, err } = await doctor(t, { DATA_DIR });
    assert.deepEqual([code, err], [0, '']);
    for (const line of out.trimEnd().split('\n')) assert.match(line, /^(ok|note|risk) {2,5}\S/);
    for (const part of [
      'SQLite 3.',
      `DATA_DIR is ${DATA_DIR}`,
      'no server is running',
      'up to date',
      '0 photos, 0 bytes',
      '0 photo files in the trash, 0 bytes',
      '2 changes since 20',
      `there is no backup in ${DATA_DIR}/backups; set BACKUP_SCHEDULE`,
    ])
      assert.ok(out.includes(part), `${part} is not in ${out}`);
    assert.deepEqual(contents(DATA_DIR), before);
  });

  test('reports a missing data folder, and does not make it', async (t) => {
    const cwd = temporaryFolder(t);
    const { code, out } = await doctor(t, { BACKUP_DIR: '/dev/null/backups' }, cwd);
    assert.equal(code, 0);
    requireLines(out, [
      /^note {3}DATA_DIR .*data is not there yet: the first start makes it/,
      /^risk {3}no backup can be written to \S+ \(a part of this path is a file, not a folder\); change /,
    ]);
    assert.deepEqual(readdirSync(cwd), []);
  });

  test('names every fault of the settings without its secrets, and looks at the data all the same', async (t) => {
    const DATA_DIR = join(temporaryFolder(t), 'none');
    const map = join(DATA_DIR, 'paris.pmtiles');
    const { code, out } = await doctor(t, {
      DATA_DIR,
      PORT: 'x',
      JWT_SECRET_KEY: 'canary-canary',
      MAP_TILES: map,
      AUTHMODE: 'canary',
    });
    assert.equal(code, 1);
    requireLines(out, [
      'fault  PORT must be an integer from 0 to 65535, not "x"',
      'fault  JWT_SECRET_KEY must be at least 16 bytes, and random',
      /^fault {2}MAP_TILES names a file that cannot be used/,
      'risk   AUTHMODE is not a setting; did you mean AUTH_MODE?',
      /^note {3}DATA_DIR \S+none is not there yet/,
    ]);
    assert.doesNotMatch(out, /canary/);
  });

  test('names what is unsafe: settings, misspelt ones, files that others can read, missing backups', async (t) => {
    const cwd = temporaryFolder(t);
    const secret = join(cwd, 'signing');
    writeFileSync(join(cwd, '.env'), 'AUTHMODE=canary\n');
    writeFileSync(secret, '0123456789abcdef0123456789abcdef');
    for (const path of [join(cwd, '.env'), secret]) chmodSync(path, 0o640);
    const production = { NODE_ENV: 'production', AUTH_MODE: 'local', JWT_SECRET_KEY_FILE: secret };
    const backups = { BACKUP_DIR: join(cwd, 'backups'), BACKUP_SCHEDULE: '03:30' };
    const { code, out } = await doctor(t, { ...production, ...backups }, cwd);
    assert.equal(code, 0);
    requireLines(out, [
      /^risk {3}anyone may make an account and write the catalogue: set REGISTRATION=invite or closed, /,
      'risk   AUTHMODE is not a setting; did you mean AUTH_MODE?',
      /^risk {3}the file of settings \S+\.env is open to other users of this machine \(mode 640\)/,
      /^risk {3}JWT_SECRET_KEY_FILE \S+signing is open to other users /,
      /^risk {3}there is no backup in \S+backups; the service makes them while it runs; /,
    ]);
    assert.doesNotMatch(out, /canary/);
  });
});
