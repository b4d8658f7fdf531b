import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { sqlFolder } from '../../src/storage/statements.ts';
import { fingerprint } from '../support/backups.ts';
import { type Ended, runCommand, runOn, startServerProcess } from '../support/cli.ts';
import { type Client, array, field, ids, record, textOf } from '../support/client.ts';
import { sample } from '../support/images.ts';
import {
  makeDatabaseWithDeletedPhoto,
  makeDatabaseWithPhoto,
  makeOldDatabase,
} from '../support/old-database.ts';
import { LOCAL, changeStored, readStored, signUp } from '../support/people.ts';
import { storedFiles } from '../support/photos.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { mountMemory, whyNoMount } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const [, ...LATER] = readdirSync(new URL('migrations/', sqlFolder))
  .sort()
  .map((file) => file.replace('.sql', ''));
const BACKUP = /^before-upgrade-\d{8}T\d{6}Z$/;

function oldFolder(t: TestContext): string {
  const folder = temporaryFolder(t);
  makeOldDatabase(folder);
  return folder;
}

const made = (folder: string): string[] =>
  readdirSync(folder).filter((name) => /^(before-upgrade|upgrading)-/.test(name));

const serve = (folder: string, variables: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  runCommand(['serve'], { variables: { DATA_DIR: folder, PORT: '0', ...variables } });

async function requireWhole(api: Client): Promise<void> {
  const ratings = (await api.get('/restaurants/1/ratings')).body;
  assert.deepEqual(ids(ratings), [2, 1]);
  for (const rating of array(ratings)) assert.equal(field(rating, 'updated_at'), field(rating, 'created_at'));
  for (const q of ['old', '大', '寿司', '築地寿司大'])
    assert.deepEqual(ids((await api.get(`/search?q=${encodeURIComponent(q)}`)).body), [1], q);
}

describe('a start with a database of the first version', () => {
  test('upgrades it after a verified backup, says so, and loses nothing', async (t) => {
    const folder = oldFolder(t);
    const service = await startService(t, { ...LOCAL, DATA_DIR: folder });
    await requireWhole(service.api);
    const { api } = await signUp(service, 'alice');
    assert.equal((await api.delete('/ratings/1')).status, 204);
    const restaurant = (await service.api.get('/restaurants/1')).body;
    assert.equal(field(field(restaurant, 'avg_rating'), 'overall'), 2);

    const [name = '', ...more] = made(folder);
    assert.match(name, BACKUP);
    assert.deepEqual(more, []);
    const backup = join(folder, name);
    const messages = service.logs.map((line) => textOf(line, 'message'));
    assert.deepEqual(messages.slice(0, 2), ['backing up before an upgrade', 'upgraded the database']);
    const { migrations, backup: message, restore } = record(service.logs[1]);
    assert.deepEqual(
      [migrations, message, restore],
      [LATER.join(', '), backup, `catalogue restore ${backup} --force`],
    );
    assert.deepEqual(readStored(backup, 'SELECT version FROM schema_migrations'), [{ version: 1 }]);
    const { code, out } = await runCommand(['check', backup]);
    assert.equal(code, 0, out);
  });

  test('makes one backup, of the photos too, which a restore brings back', async (t) => {
    const folder = temporaryFolder(t);
    makeDatabaseWithPhoto(folder, sample('baseline'));
    for (let start = 0; start < 2; start += 1) await (await startService(t, { DATA_DIR: folder })).stop();
    const [name = '', ...more] = made(folder);
    assert.deepEqual(more, []);
    const later = await startService(t, { DATA_DIR: folder });
    await later.api.delete('/restaurants/1');
    await later.stop();
    const variables = { DATA_DIR: folder };
    const { code } = await runCommand(['restore', join(folder, name), '--force'], { variables });
    assert.equal(code, 0);
    const restored = await startService(t, variables);
    assert.equal((await restored.api.get('/restaurants/1/photos')).status, 200);
    assert.equal(made(folder).length, 2);
  });

  test('leaves the file of a photo that was deleted just before for a quarter of an hour, and starts the log', async (t) => {
    const folder = temporaryFolder(t);
    const now = Date.now();
    makeDatabaseWithDeletedPhoto(folder, sample('baseline'), new Date(now).toISOString());
    const files = storedFiles(folder);
    const { api, stop } = await startService(t, { DATA_DIR: folder });
    const due = new Date(now + 15 * 60_000).toISOString();
    const trash = 'SELECT file_size, change_id, due_at FROM photo_trash';
    assert.deepEqual(readStored(folder, trash), [{ file_size: 0, change_id: null, due_at: due }]);
    const log = await api.get('/changes?since=start');
    assert.deepEqual(field(log.body, 'data'), []);
    assert.deepEqual(
      storedFiles(folder).filter((file) => files.includes(file)),
      files,
    );
    await stop();
    changeStored(folder, 'UPDATE photo_trash SET due_at = ?', new Date(now).toISOString());
    await startService(t, { DATA_DIR: folder });
    await until(() => storedFiles(folder).length === 0);
  });

  test('refuses it with MIGRATE=manual until it is migrated, and makes no backup', async (t) => {
    const folder = oldFolder(t);
    const { code, err } = await serve(folder, { MIGRATE: 'manual' });
    assert.equal(code, 1);
    assert.match(err, /^[^\n]* is from an older version; back it up, then run: catalogue migrate\n$/);
    assert.deepEqual(made(folder), []);
    for (const out of [`Applied ${LATER.join(', ')}.\n`, 'The database is up to date.\n'])
      assert.deepEqual(await runOn(folder, 'migrate'), { code: 0, out, err: '' });
    await requireWhole((await startService(t, { DATA_DIR: folder, MIGRATE: 'manual' })).api);
  });

  test('refuses it on a replica, and leaves it as it is', async (t) => {
    const folder = oldFolder(t);
    const before = fingerprint(folder);
    const { code, err } = await serve(folder, { READ_ONLY: 'true' });
    assert.equal(code, 1);
    assert.match(err, /is from an older version; bring the primary up to this version first\n$/);
    assert.deepEqual(fingerprint(folder), before);
  });

  test('ends in one line when a migration fails, with the old database and no backup left', async (t) => {
    const folder = temporaryFolder(t);
    // The migration cannot tell when its file is due.
    makeDatabaseWithDeletedPhoto(folder, sample('baseline'), 'never');
    const database = (): string | undefined => fingerprint(folder)['catalogue.db'];
    const before = database();
    const { code, out, err } = await serve(folder);
    assert.equal(code, 1, out);
    assert.match(
      err,
      /^cannot upgrade the database in \S+: CHECK constraint failed: [^\n]+; nothing was changed\n$/,
    );
    assert.deepEqual(made(folder), []);
    assert.equal(database(), before);
  });

  test('ends in one line when the backup does not hold, with the old database', async (t) => {
    const folder = oldFolder(t);
    const database = new Database(join(folder, 'catalogue.db'));
    database
      .unsafeMode(true)
      .exec('PRAGMA foreign_keys = OFF; INSERT INTO restaurant_food_types VALUES (1, 99)');
    database.close();
    const { code, err } = await serve(folder);
    assert.equal(code, 1);
    assert.match(
      err,
      /^cannot upgrade the database in \S+: the database of the backup is damaged: [^\n]+; nothing was changed\n$/,
    );
    assert.deepEqual(made(folder), []);
    assert.deepEqual(readStored(folder, 'SELECT max(version) AS version FROM schema_migrations'), [
      { version: 1 },
    ]);
  });

  test('ends in one line where there is no space', { skip: whyNoMount() ?? false }, async (t) => {
    const folder = mountMemory(t, '4m');
    makeOldDatabase(folder);
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(join(folder, 'filler'), Buffer.alloc(bavail * bsize - 120_000));
    const { code, err } = await serve(folder);
    assert.equal(code, 1);
    assert.match(
      err,
      /^cannot upgrade the database in \S+: there is no space left [^\n]+; nothing was changed\n$/,
    );
    assert.deepEqual(made(folder), []);
  });

  test('settles what a crash left of earlier upgrades', async (t) => {
    const folder = oldFolder(t);
    const old = 'upgrading-20260101T000000Z';
    for (const name of [old, `${old}.partial-abcdef`]) mkdirSync(join(folder, name));
    const { stop } = await startService(t, { DATA_DIR: folder });
    assert.equal(made(folder).length, 1);
    await stop();
    for (const name of [old, `${old}.partial-abcdef`]) mkdirSync(join(folder, name));
    await startService(t, { DATA_DIR: folder });
    assert.ok(existsSync(join(folder, 'before-upgrade-20260101T000000Z')));
    assert.equal(made(folder).length, 2);
  });

  test('is foretold by the doctor', async (t) => {
    const DATA_DIR = oldFolder(t);
    const startWith = async (
      variables: Readonly<Record<string, string>>,
    ): Promise<[number | null, string]> => {
      const { code, out } = await runCommand(['doctor'], { variables: { DATA_DIR, ...variables } });
      return [code, /^\w+ +the database is from an older version.*; (.*)$/m.exec(out)?.[1] ?? out];
    };
    const upgrade = 'the next start makes a backup in DATA_DIR, verifies it and upgrades the database';
    assert.deepEqual(await startWith({}), [0, upgrade]);
    assert.deepEqual(await startWith({ MIGRATE: 'manual' }), [1, 'back it up, then run: catalogue migrate']);
    assert.deepEqual(await startWith({ READ_ONLY: 'true' }), [
      1,
      'bring the primary up to this version first',
    ]);
  });

  test('stops on SIGTERM like any other once it is over', async (t) => {
    const { process: server, ended } = await startServerProcess(t, { DATA_DIR: oldFolder(t) });
    server.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });
});
