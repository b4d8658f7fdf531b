import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { type Ended, runCommand, runOn, startServerProcess } from '../support/cli.ts';
import { changeStored } from '../support/people.ts';
import { startWithRestaurant, upload } from '../support/photos.ts';
import { startService, temporaryFolder } from '../support/service.ts';

type Variables = Readonly<Record<string, string>>;

function doctor(t: TestContext, variables: Variables, cwd = temporaryFolder(t)): Promise<Ended> {
  return runCommand(['doctor'], { variables, cwd });
}

/** A data folder that a service has used and left. */
async function usedFolder(t: TestContext): Promise<string> {
  const { api, stop, folder } = await startService(t);
  assert.equal((await api.post('/restaurants', { name: 'Chez Nous' })).status, 201);
  await stop();
  return folder;
}

/** Everything in a folder with what a change would change. */
function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const { size, mode, mtimeMs } = statSync(join(folder, name));
      return [name, size, mode, mtimeMs].join(' ');
    })
    .toSorted();
}

describe('catalogue doctor', () => {
  test('finds nothing wrong with a folder that a service has left, and leaves it as it is', async (t) => {
    const DATA_DIR = await usedFolder(t);
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
      '1 change since 20',
    ])
      assert.ok(out.includes(part), `${part} is not in ${out}`);
    assert.deepEqual(contents(DATA_DIR), before);
  });

  test('works next to a running server, which notices nothing', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const { api } = await startServerProcess(t, { DATA_DIR });
    await api.post('/restaurants', { name: 'Chez Nous' });
    const before = contents(DATA_DIR);
    const { code, out } = await doctor(t, { DATA_DIR });
    assert.equal(code, 0, out);
    assert.match(out, /^ok {5}a server is running on /m);
    assert.deepEqual(contents(DATA_DIR), before);
    assert.equal((await api.post('/restaurants', { name: 'Chez Moi' })).status, 201);
  });

  test('says how much space the change log and the trash take', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    for (let count = 0; count < 2; count += 1) await upload(api);
    await api.delete('/restaurants/1');
    const { out } = await doctor(t, { DATA_DIR: folder });
    assert.match(out, /^ok {5}0 photos, 0 bytes$/m);
    assert.match(out, /^ok {5}2 photo files in the trash, [1-9]\d*(\.\d kB| bytes)$/m);
    assert.match(out, /^ok {5}4 changes since 20\S+Z, \d+\.\d kB$/m);
  });

  test('reports a missing data folder, and does not make it', async (t) => {
    const cwd = temporaryFolder(t);
    const { code, out } = await doctor(t, {}, cwd);
    assert.equal(code, 0);
    assert.match(out, /^note {3}DATA_DIR .*data is not there yet: the first start makes it/m);
    assert.deepEqual(readdirSync(cwd), []);
  });

  test('names every fault of the settings, and looks at the data all the same', async (t) => {
    const DATA_DIR = await usedFolder(t);
    const { code, out } = await doctor(t, { DATA_DIR, PORT: 'x', AUTH_MODE: 'y' });
    assert.equal(code, 1);
    assert.match(out, /^fault {2}PORT must be an integer from 0 to 65535, not "x"$/m);
    assert.match(out, /^fault {2}AUTH_MODE must be one of /m);
    assert.match(out, /^ok {5}the database is up to date /m);
  });

  const spoiled: readonly [string, (folder: string) => void, RegExp, number][] = [
    [
      'a folder that is open to others',
      (folder) => {
        chmodSync(folder, 0o750);
      },
      /^risk {3}DATA_DIR \S+ is open to other users of this machine \(mode 750\); run: chmod 700 \S+$/m,
      0,
    ],
    [
      'a database that is open to others',
      (folder) => {
        chmodSync(join(folder, 'catalogue.db'), 0o644);
      },
      /^risk {3}the database \S+ is open to other users of this machine \(mode 644\); run: chmod 600 \S+$/m,
      0,
    ],
    [
      'a database from an older version',
      (folder) => {
        changeStored(folder, 'DELETE FROM schema_migrations WHERE version > ?', 5);
      },
      /^note {3}the database is from an older version \(0006_places(?:, \d{4}_\w+)*\); the next start makes a backup in DATA_DIR, /m,
      0,
    ],
    [
      'a database that is none',
      (folder) => {
        writeFileSync(join(folder, 'catalogue.db'), 'no database '.repeat(1_000));
      },
      /^fault {2}\S+catalogue\.db is damaged: /m,
      1,
    ],
    [
      'a clock that is behind what was stored',
      (folder) => {
        changeStored(folder, `UPDATE restaurants SET created_at = '2999-01-01T00:00:00.000Z'`);
      },
      /^risk {3}the newest record is of 2999-01-01T00:00:00\.000Z, which the clock has not reached; /m,
      0,
    ],
    [
      'a file where the folder should be',
      (folder) => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, '');
      },
      /^fault {2}DATA_DIR \S+ is no folder; /m,
      1,
    ],
  ];
  for (const [title, spoil, line, expected] of spoiled)
    test(`finds ${title}`, async (t) => {
      const DATA_DIR = await usedFolder(t);
      spoil(DATA_DIR);
      const { code, out } = await doctor(t, { DATA_DIR });
      assert.match(out, line);
      assert.equal(code, expected);
    });

  test('finds settings and secrets that others can read', async (t) => {
    const cwd = temporaryFolder(t);
    const file = join(cwd, 'signing');
    writeFileSync(join(cwd, '.env'), 'PORT=0\n');
    writeFileSync(file, '0123456789abcdef0123456789abcdef');
    for (const path of [join(cwd, '.env'), file]) chmodSync(path, 0o640);
    const { out } = await doctor(t, { JWT_SECRET_KEY_FILE: file }, cwd);
    assert.match(
      out,
      /^risk {3}the file of settings \S+\.env is open to other users of this machine \(mode 640\)/m,
    );
    assert.match(out, /^risk {3}JWT_SECRET_KEY_FILE \S+signing is open to other users /m);
  });

  test('tries whether a backup can be written, and does not advise a schedule that is set', async (t) => {
    const DATA_DIR = await usedFolder(t);
    const backups = join(temporaryFolder(t), 'backups');
    const scheduled = { DATA_DIR, BACKUP_DIR: backups, BACKUP_SCHEDULE: '03:30' };
    const { out } = await doctor(t, scheduled);
    assert.match(out, /^note {3}there is no backup in \S+backups; the service makes them while it runs; /m);
    assert.doesNotMatch(out, /no backup can be written/);
    mkdirSync(backups);
    assert.doesNotMatch((await doctor(t, scheduled)).out, /no backup can be written/);
    assert.deepEqual(readdirSync(backups), []);

    const file = join(backups, 'file');
    writeFileSync(file, '');
    for (const BACKUP_DIR of [file, join(file, 'backups')])
      for (const BACKUP_SCHEDULE of ['03:30', ''])
        assert.match(
          (await doctor(t, { DATA_DIR, BACKUP_DIR, BACKUP_SCHEDULE })).out,
          /^risk {3}no backup can be written to \S+ \(a part of this path is a file, not a folder\); change /m,
        );
  });

  test('says how old the newest backup is', async (t) => {
    const DATA_DIR = await usedFolder(t);
    const folder = join(DATA_DIR, 'backups');
    assert.match(
      (await doctor(t, { DATA_DIR })).out,
      /^note {3}there is no backup in \S+backups; set BACKUP_SCHEDULE/m,
    );
    assert.equal((await runOn(DATA_DIR, 'backup', `${folder}/`)).code, 0);
    assert.match(
      (await doctor(t, { DATA_DIR })).out,
      /^ok {5}the newest backup in \S+ is 0 days old \(1 in all\)\nnote {3}\S+ is on the disk of the data; keep a copy /m,
    );
    const [made = ''] = readdirSync(folder);
    renameSync(join(folder, made), join(folder, 'catalogue-20260101T033000Z'));
    const production = { DATA_DIR, NODE_ENV: 'production', AUTH_MODE: 'oauth' };
    assert.match(
      (await doctor(t, production)).out,
      /^risk {3}the newest backup in \S+ is \d+ days old \(1 in all\); set BACKUP_SCHEDULE/m,
    );
  });
});
