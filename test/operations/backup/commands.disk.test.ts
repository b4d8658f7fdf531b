import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openStorage } from '../../../src/storage/storage.ts';
import { backUp, fingerprint, restoreInto, run, startFilled } from '../../support/backups.ts';
import { runCommand, startServerProcess } from '../../support/cli.ts';
import { ids } from '../../support/client.ts';
import { makeOldDatabase } from '../../support/old-database.ts';
import { readStored } from '../../support/people.ts';
import { storedFiles } from '../../support/photos.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { until } from '../../support/until.ts';

describe('catalogue backup, check and restore', () => {
  test('make a backup for its owner alone, look at it, and bring the catalogue back', async (t) => {
    const { folder, stop } = await startFilled(t);
    const place = temporaryFolder(t);
    const target = join(place, 'saved');
    const { out, err } = await run(folder, 'backup', target);
    assert.deepEqual([out, err], [`Backed up to ${target}: the database and 2 photo files, verified.\n`, '']);
    assert.equal(statSync(target).mode & 0o777, 0o700);
    for (const name of ['SHA256SUMS', 'backup.json', 'catalogue.db'])
      assert.equal(statSync(join(target, name)).mode & 0o777, 0o600);

    const scratch = join(place, 'scratch');
    mkdirSync(scratch);
    const checked = await runCommand(['check', target], { variables: { TMPDIR: scratch } });
    assert.match(checked.out, /^ok {4}backup of 20\S+Z: the database and 2 photo files\n$/);
    const left = readdirSync(scratch).filter((name) => name.startsWith('catalogue'));
    assert.deepEqual(left, [], 'the copy of the database that it looked at is gone');

    const data = join(place, 'data');
    assert.match(
      (await run(data, 'restore', target)).out,
      /^Restored the backup of 20[^\n]+Z with 2 photo files into [^\n]+data\.\n$/,
    );
    assert.ok(!(await run(data, 'check')).out.includes('fault'));

    await stop();
    const before = fingerprint(folder);
    const refused = await runCommand(['restore', target], { variables: { DATA_DIR: folder } });
    assert.deepEqual([refused.code, fingerprint(folder)], [1, before]);
    const forced = await run(folder, 'restore', target, '--force');
    const [, aside = ''] = /^The data of before is in (.*)\.$/m.exec(forced.out) ?? [];
    assert.deepEqual(ids(readStored(aside, 'SELECT id FROM restaurants')), [1, 2, 3]);
  });

  test('name what they make in a folder by the time, and keep the newest', async (t) => {
    const { folder } = await startFilled(t);
    const place = join(temporaryFolder(t), 'new');
    await run(folder, 'backup', `${place}/`);
    const [first = ''] = readdirSync(place);
    assert.match(first, /^catalogue-\d{8}T\d{6}Z$/);
    for (const day of ['01', '02', '03']) mkdirSync(join(place, `catalogue-202001${day}T000000Z`));
    await run(folder, 'backup', place, '--tar', '--keep', '3');
    const left = readdirSync(place);
    assert.deepEqual(left.slice(0, 2), ['catalogue-20200103T000000Z', first]);
    assert.match(left[2] ?? '', /^catalogue-\d{8}T\d{6}Z\.tar$/);
    assert.equal(left.length, 3);
    assert.equal(statSync(join(place, left[2] ?? '')).mode & 0o777, 0o600);
  });

  test('report photos whose files are missing, and go on', async (t) => {
    const { folder } = await startFilled(t);
    const place = temporaryFolder(t);
    const [first = ''] = storedFiles(folder);
    rmSync(join(folder, 'photos', first));
    const name = first.slice(3);
    const { err } = await run(folder, 'backup', join(place, 'saved'));
    assert.equal(err, `the file of a photo is missing: ${name}\n`);
    assert.ok((await run(folder, 'check', join(place, 'saved'))).out.includes(`missing already: ${name}`));
  });

  test('refuse in one line what would write over something or cannot work, and leave nothing behind', async (t) => {
    const { folder } = await startFilled(t);
    const place = temporaryFolder(t);
    const [file, saved] = [join(place, 'file'), join(place, 'saved')];
    writeFileSync(file, 'mine');
    await backUp(folder, saved);
    const before = fingerprint(place);
    const refusals: readonly (readonly [string, string, RegExp])[] = [
      [folder, file, /^\S+file already exists; a backup never overwrites anything\n$/],
      [folder, `${saved}/`, /^\S+saved is itself a backup or a data folder; backups belong next to it\n$/],
      [folder, folder, /^\S+ is itself a backup or a data folder; backups belong next to it\n$/],
      [folder, `${file}/`, /^cannot make \S+file: [^\n]+\n$/],
      [join(place, 'empty'), 'x', /^there is no catalogue in \S+empty: catalogue\.db is missing [^\n]+\n$/],
    ];
    for (const [DATA_DIR, target, message] of refusals) {
      const { code, out, err } = await runCommand(['backup', target], { variables: { DATA_DIR } });
      assert.deepEqual([code, out], [1, ''], target);
      assert.match(err, message);
    }
    assert.deepEqual(fingerprint(place), before);
  });

  test('say that an older backup is to be migrated', async (t) => {
    const place = temporaryFolder(t);
    const [folder, data] = [join(place, 'old'), join(place, 'data')];
    makeOldDatabase(folder);
    await backUp(folder, join(place, 'saved'));
    const line = 'It is from an older version; the next start upgrades it, or run: catalogue migrate\n';
    assert.ok((await run(data, 'restore', join(place, 'saved'))).out.endsWith(line));
    await run(data, 'migrate');
    const later = await startService(t, { DATA_DIR: data });
    assert.deepEqual(ids((await later.api.get('/restaurants/1/ratings')).body), [2, 1]);
  });

  test('never take a restore that was cut short for an empty catalogue; a start completes it', async (t) => {
    const { folder, stop } = await startFilled(t);
    const place = temporaryFolder(t);
    await backUp(folder, join(place, 'saved'));
    await stop();
    const half = join(place, 'half');
    mkdirSync(half);
    await restoreInto(join(half, 'restore.ready', 'new'), join(place, 'saved'));
    mkdirSync(join(half, 'restore.ready', 'old'));
    for (const args of [['export', '-', '--format', 'ndjson'], ['check'], ['backup', join(place, 'x')]]) {
      const { code, err } = await runCommand(args, { variables: { DATA_DIR: half } });
      assert.equal(code, 1);
      assert.match(
        err,
        /^a restore into .* was cut short; it is completed by the next start of the service, or /,
      );
    }
    const later = await startService(t, { DATA_DIR: half });
    assert.deepEqual(ids((await later.api.get('/restaurants')).body), [3, 2, 1]);
    assert.deepEqual(
      readdirSync(half).filter((name) => name.includes('restore')),
      [],
    );
  });
});

describe('BACKUP_SCHEDULE', () => {
  test('makes up for a backup that was missed, once', async (t) => {
    const [folder, place] = [temporaryFolder(t), join(temporaryFolder(t), 'backups')];
    const variables = { DATA_DIR: folder, BACKUP_SCHEDULE: '00:00', BACKUP_DIR: place };
    const server = await startServerProcess(t, variables);
    await until(() => server.log().includes('"a scheduled backup is made"'));
    const names = readdirSync(place);
    assert.equal(names.length, 1);
    await run(folder, 'check', join(place, names[0] ?? ''));
    server.process.kill('SIGTERM');
    assert.equal((await server.ended).code, 0);
    assert.equal(server.log().match(/a scheduled backup begins/g)?.length, 1);
  });

  test('leaves nothing of a backup under way when the service stops', async (t) => {
    const [folder, place] = [temporaryFolder(t), join(temporaryFolder(t), 'backups')];
    openStorage(folder).close();
    const variables = { DATA_DIR: folder, BACKUP_SCHEDULE: '00:00', BACKUP_DIR: place };
    const server = await startServerProcess(t, variables);
    await until(() => server.log().includes('"a scheduled backup begins"'));
    server.process.kill('SIGTERM');
    assert.equal((await server.ended).code, 0);
    const left = existsSync(place) ? readdirSync(place).filter((name) => name.includes('partial')) : [];
    assert.deepEqual(left, []);
    assert.ok(!server.log().includes('failed'), server.log());
  });
});
