import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { datedName, rotate } from '../../../src/operations/backup/dated.ts';
import { command } from '../../../src/cli/backup.ts';
import { inspectData } from '../../../src/operations/inspection/check.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { backUp, fingerprint, readBackup, restoreInto, startFilled } from '../../support/backups.ts';
import { array, field, ids, textOf } from '../../support/client.ts';
import { sample } from '../../support/images.ts';
import { makeDatabaseWithPhoto, makeOldDatabase } from '../../support/old-database.ts';
import { readStored } from '../../support/people.ts';
import { placeOf, storedFiles } from '../../support/photos.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const PHOTOS = '/restaurants/1/photos';

const idsIn = (folder: string): unknown[] =>
  ids(readStored(folder, 'SELECT id FROM restaurants ORDER BY id'));

const restoresIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.includes('restore'));

const faultsIn = (folder: string): string[] => [...inspectData(folder)].flatMap(({ faults }) => faults);

describe('a backup', () => {
  longTest(
    'is a folder with database, photos and checksums, or a file that tar unpacks to the same',
    async (t) => {
      const { folder } = await startFilled(t);
      const place = temporaryFolder(t);
      const target = join(place, 'saved');
      assert.deepEqual((await backUp(folder, target)).photos, 2);
      assert.deepEqual(readdirSync(target).sort(), ['SHA256SUMS', 'backup.json', 'catalogue.db', 'photos']);
      assert.deepEqual(storedFiles(target), storedFiles(folder));
      const manifest: unknown = JSON.parse(readFileSync(join(target, 'backup.json'), 'utf8'));
      assert.deepEqual([field(manifest, 'format'), field(manifest, 'photos')], [1, 2]);
      const { status, stderr } = spawnSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: target });
      assert.equal(status, 0, stderr.toString());

      const [archive, unpacked] = [join(place, 'saved.tar'), join(place, 'unpacked')];
      await backUp(folder, archive);
      mkdirSync(unpacked);
      execFileSync('tar', ['xf', archive, '-C', unpacked]);
      assert.equal(spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: unpacked }).status, 0);
      assert.deepEqual(storedFiles(unpacked), storedFiles(folder));
      assert.equal((await readBackup(unpacked)).manifest.photos, 2);
    },
  );

  test('takes no space for photos on the same disk, and reports those whose files are missing or are links', async (t) => {
    const { folder } = await startFilled(t);
    const [first = '', second = ''] = storedFiles(folder);
    const onDisk = join(folder, 'backups', 'saved');
    mkdirSync(join(folder, 'backups'));
    await backUp(folder, onDisk);
    for (const name of [first, second])
      assert.equal(
        statSync(join(onDisk, 'photos', name)).ino,
        statSync(join(folder, 'photos', name)).ino,
        name,
      );

    const backup = join(temporaryFolder(t), 'saved');
    rmSync(join(folder, 'photos', first));
    rmSync(join(folder, 'photos', second));
    symlinkSync('/etc/hostname', join(folder, 'photos', second));
    const names = [first, second].map((name) => name.slice(3)).sort();
    assert.deepEqual((await backUp(folder, backup)).missing, names);
    assert.deepEqual(readdirSync(backup), ['SHA256SUMS', 'backup.json', 'catalogue.db']);
    assert.deepEqual((await readBackup(backup)).manifest.missing, names);
  });

  test('is never written over anything, nor into a folder that is not there', async (t) => {
    const { folder } = await startFilled(t);
    const place = temporaryFolder(t);
    writeFileSync(join(place, 'file'), 'mine');
    const before = fingerprint(place);
    await assert.rejects(backUp(folder, join(place, 'file')), {
      message: `${join(place, 'file')} already exists; a backup never overwrites anything`,
    });
    await assert.rejects(backUp(folder, join(place, 'no', 'where')), {
      message: `cannot write a backup in ${join(place, 'no')}: there is no such file or folder`,
    });
    assert.deepEqual(fingerprint(place), before);
  });

  test('makes the oldest ones go that have names of their times, and nothing else', (t) => {
    const place = temporaryFolder(t);
    const strangers = ['catalogue-2020.tar', 'catalogue-20200101T000000Z.txt', 'notes', 'x.partial-abcdef'];
    for (const name of strangers) writeFileSync(join(place, name), 'mine');
    // Of backups that were killed: one days ago, and one that may be under way.
    const [remains = '', partial = ''] = ['05T000000Z.tar', '06T000000Z'].map(
      (end) => `catalogue-202001${end}.partial-abcdef`,
    );
    for (const name of [remains, partial]) writeFileSync(join(place, name), 'half');
    for (const name of [remains, ...strangers]) utimesSync(join(place, name), 0, 0);
    for (const day of ['01', '02', '03']) mkdirSync(join(place, `catalogue-202001${day}T000000Z`));
    writeFileSync(join(place, 'catalogue-20200104T000000Z.tar'), 'old');
    const newest = `${datedName(new Date())}.tar`;
    writeFileSync(join(place, newest), 'new');
    rotate(join(place, newest), 2);
    assert.deepEqual(
      readdirSync(place).sort(),
      [newest, 'catalogue-20200104T000000Z.tar', partial, ...strangers].sort(),
    );
  });

  test('is not begun by a command that is used in a wrong way', async () => {
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [['no/one.tar', '--keep', '2'], /^--keep is for a folder of backups$/],
      [['no/one', '--tar'], /^--tar is for a folder of backups; /],
      [['.', '--keep', '0'], /^--keep takes a number from 1 to 10000$/],
      [['.', '--keep', '1e3'], /^--keep takes a number/],
      [[], /^backup takes one path$/],
      [['a', 'b'], /^backup takes one path$/],
      [[''], /^backup takes one path$/],
    ];
    for (const [args, message] of wrong)
      await assert.rejects(async () => command.run([...args]), { name: 'UsageError', message });
  });
});

describe('a backup of a catalogue with a deleted restaurant', () => {
  longTest('holds what undoing the deletion brings back, its photos and their files too', async (t) => {
    const { folder, api } = await startFilled(t);
    const before = await api.get(PHOTOS);
    const files = storedFiles(folder);
    await api.delete('/restaurants/1');
    const place = temporaryFolder(t);
    for (const form of ['saved', 'saved.tar']) {
      const [backup, target] = [join(place, form), join(place, `data of ${form}`)];
      assert.equal((await backUp(folder, backup)).photos, 2);
      await restoreInto(target, backup);
      assert.deepEqual(faultsIn(target), []);
      const later = await startService(t, { DATA_DIR: target });
      assert.deepEqual(storedFiles(target), files);
      assert.equal((await later.api.get('/restaurants/1')).status, 404);
      const deletions = field((await later.api.get('/changes?since=start&action=delete')).body, 'data');
      const [deletion] = array(deletions);
      const undone = await later.api.post(`/changes/${String(field(deletion, 'id'))}/revert`, {});
      assert.equal(undone.status, 200);
      const { body } = await later.api.get(PHOTOS);
      assert.deepEqual(body, before.body);
      for (const photo of array(body)) {
        const { status, headers } = await later.api.send(textOf(photo, 'url'), {});
        const size = String(field(photo, 'file_size'));
        assert.deepEqual([status, headers.get('content-length')], [200, size], placeOf(photo));
      }
    }
  });

  test('lacks the files of what cannot come back', async (t) => {
    const { folder, api } = await startFilled(t, { TRASH_DAYS: '0' });
    await api.delete('/photos/1');
    const place = temporaryFolder(t);
    assert.equal((await backUp(folder, join(place, 'saved'))).photos, 1);
    assert.equal(storedFiles(folder).length, 2);
    assert.equal(storedFiles(join(place, 'saved')).length, 1);
  });

  test('names a file in the trash that is missing', async (t) => {
    const { folder, api, stop } = await startFilled(t);
    const [first, second] = array((await api.get(PHOTOS)).body);
    await api.delete('/restaurants/1');
    await stop();
    rmSync(join(folder, 'photos', placeOf(first)));
    const place = temporaryFolder(t);
    const { missing } = await backUp(folder, join(place, 'saved'));
    assert.deepEqual(missing, [textOf(first, 'filename')]);
    assert.deepEqual(storedFiles(join(place, 'saved')), [placeOf(second)]);
    await readBackup(join(place, 'saved'));
  });

  for (const migration of ['changes', 'authors'])
    test(`is made of a database from before ${migration} too`, async (t) => {
      const folder = temporaryFolder(t);
      makeDatabaseWithPhoto(folder, sample('baseline'), migration);
      assert.equal((await backUp(folder, join(temporaryFolder(t), 'saved'))).photos, 1);
    });
});

describe('a restore', () => {
  longTest('puts a backup into a folder that is not there yet', async (t) => {
    const { folder, api } = await startFilled(t);
    const place = temporaryFolder(t);
    for (const form of ['saved', 'saved.tar']) {
      const [backup, target] = [join(place, form), join(place, 'deep', `data of ${form}`)];
      await backUp(folder, backup);
      const { manifest, aside } = await restoreInto(target, backup);
      assert.deepEqual([manifest.photos, aside], [2, undefined]);
      assert.deepEqual(readdirSync(target).sort(), ['catalogue.db', 'photos', 'server.lock']);
      assert.deepEqual(storedFiles(target), storedFiles(folder));
      assert.deepEqual(faultsIn(target), []);
      const later = await startService(t, { DATA_DIR: target });
      for (const path of ['/restaurants', '/restaurants/1/photos', '/search?q=sakura'])
        assert.deepEqual((await later.api.get(path)).body, (await api.get(path)).body);
    }
  });

  test('never writes over a catalogue, and puts it aside where that is asked for', async (t) => {
    const { folder, api, stop } = await startFilled(t);
    const backup = join(temporaryFolder(t), 'saved.tar');
    await backUp(folder, backup);
    await api.delete('/restaurants/1');
    await stop();
    mkdirSync(join(folder, 'backups'));
    writeFileSync(join(folder, 'backups', 'mine'), 'mine');
    const before = fingerprint(folder);
    await assert.rejects(restoreInto(folder, backup), {
      message: `${folder} already contains a catalogue; --force moves it aside, and nothing is lost`,
    });
    assert.deepEqual(fingerprint(folder), before);

    const { aside = '' } = await restoreInto(folder, backup, true);
    assert.deepEqual(
      [idsIn(aside), idsIn(folder)],
      [
        [2, 3],
        [1, 2, 3],
      ],
    );
    assert.equal(storedFiles(aside).length, 2);
    assert.ok(existsSync(join(folder, 'backups', 'mine')));
  });

  longTest('refuses a folder that is served or written to', async (t) => {
    const { folder, stop } = await startFilled(t);
    const backup = join(temporaryFolder(t), 'saved');
    await backUp(folder, backup);
    await assert.rejects(restoreInto(folder, backup, true), {
      message: `another server is running on the data folder ${folder}`,
    });
    await stop();
    const writer = openStorage(folder);
    await assert.rejects(restoreInto(folder, backup, true), {
      message: /^another command is using .*catalogue\.db; wait until it has ended$/,
    });
    writer.close();
    assert.deepEqual(restoresIn(folder), []);
  });

  test('puts even a damaged database aside', async (t) => {
    const { folder, stop } = await startFilled(t);
    const backup = join(temporaryFolder(t), 'saved');
    await backUp(folder, backup);
    await stop();
    writeFileSync(join(folder, 'catalogue.db'), 'this was a database once'.repeat(1000));
    await restoreInto(folder, backup, true);
    assert.deepEqual(idsIn(folder), [1, 2, 3]);
  });

  test('of an older backup says which migrations it lacks, and the next start makes up for them', async (t) => {
    const place = temporaryFolder(t);
    const [folder, target] = [join(place, 'old'), join(place, 'data')];
    makeOldDatabase(folder);
    await backUp(folder, join(place, 'saved'));
    assert.notDeepEqual((await restoreInto(target, join(place, 'saved'))).pending, []);
    const later = await startService(t, { DATA_DIR: target });
    assert.deepEqual(ids((await later.api.get('/restaurants/1/ratings')).body), [2, 1]);
  });
});
