import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
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
import { fingerprint, run, startFilled } from '../support/backups.ts';
import { runCommand } from '../support/cli.ts';
import { field } from '../support/client.ts';
import { storedFiles } from '../support/photos.ts';
import { temporaryFolder } from '../support/service.ts';

const DATED = /^catalogue-\d{8}T\d{6}Z$/;

describe('catalogue backup', () => {
  test('makes a folder with the database, the photos and checksums, while the service runs', async (t) => {
    const { folder } = await startFilled(t);
    const target = join(temporaryFolder(t), 'saved');
    const { out, err } = await run(folder, 'backup', target);
    assert.deepEqual([out, err], [`Backed up to ${target}: the database and 2 photo files, verified.\n`, '']);
    assert.deepEqual(readdirSync(target).sort(), ['SHA256SUMS', 'backup.json', 'catalogue.db', 'photos']);
    assert.deepEqual(storedFiles(target), storedFiles(folder));
    const manifest: unknown = JSON.parse(readFileSync(join(target, 'backup.json'), 'utf8'));
    assert.deepEqual([field(manifest, 'format'), field(manifest, 'photos')], [1, 2]);
    const { status, stderr } = spawnSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: target });
    assert.equal(status, 0, stderr.toString());
  });

  test('is for its owner alone, and takes no space for photos on the same disk', async (t) => {
    const { folder } = await startFilled(t);
    const target = join(folder, 'backups', 'saved');
    mkdirSync(join(folder, 'backups'));
    await run(folder, 'backup', target);
    assert.equal(statSync(target).mode & 0o777, 0o700);
    for (const name of ['SHA256SUMS', 'backup.json', 'catalogue.db'])
      assert.equal(statSync(join(target, name)).mode & 0o777, 0o600);
    for (const name of storedFiles(folder))
      assert.equal(
        statSync(join(target, 'photos', name)).ino,
        statSync(join(folder, 'photos', name)).ino,
        name,
      );
  });

  test('makes one file that tar unpacks to the same', async (t) => {
    const { folder } = await startFilled(t);
    const place = temporaryFolder(t);
    await run(folder, 'backup', join(place, 'saved.tar'));
    assert.equal(statSync(join(place, 'saved.tar')).mode & 0o777, 0o600);
    mkdirSync(join(place, 'unpacked'));
    execFileSync('tar', ['xf', join(place, 'saved.tar'), '-C', join(place, 'unpacked')]);
    const status = spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: join(place, 'unpacked') }).status;
    assert.equal(status, 0);
    assert.deepEqual(storedFiles(join(place, 'unpacked')), storedFiles(folder));
    const scratch = join(place, 'scratch');
    mkdirSync(scratch);
    const variables = { TMPDIR: scratch };
    assert.equal((await runCommand(['check', join(place, 'unpacked')], { variables })).code, 0);
    const left = readdirSync(scratch).filter((name) => name.startsWith('catalogue'));
    assert.deepEqual(left, [], 'the copy of the database that it looked at is gone');
  });

  test('names what it makes in a folder by the time, and keeps the newest', async (t) => {
    const { folder } = await startFilled(t);
    const place = join(temporaryFolder(t), 'new');
    await run(folder, 'backup', `${place}/`);
    const [first = ''] = readdirSync(place);
    assert.match(first, DATED);
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
    await run(folder, 'backup', place, '--tar', '--keep', '3');
    const kept = [partial, ...strangers];
    const left = readdirSync(place).filter((name) => !kept.includes(name));
    assert.deepEqual(left.slice(0, 2), ['catalogue-20200104T000000Z.tar', first]);
    assert.match(left[2] ?? '', /^catalogue-\d{8}T\d{6}Z\.tar$/);
    assert.equal(left.length, 3);
    assert.equal(readdirSync(place).length, 3 + kept.length);
  });

  test('reports photos whose files are missing or are links, and goes on', async (t) => {
    const { folder } = await startFilled(t);
    const place = temporaryFolder(t);
    const [first = '', second = ''] = storedFiles(folder);
    rmSync(join(folder, 'photos', first));
    rmSync(join(folder, 'photos', second));
    symlinkSync('/etc/hostname', join(folder, 'photos', second));
    const { err } = await run(folder, 'backup', join(place, 'saved'));
    const names = [first, second].map((name) => name.slice(3)).sort();
    assert.equal(err, names.map((name) => `the file of a photo is missing: ${name}\n`).join(''));
    assert.deepEqual(readdirSync(join(place, 'saved')), ['SHA256SUMS', 'backup.json', 'catalogue.db']);
    const { out } = await run(folder, 'check', join(place, 'saved'));
    for (const name of names) assert.ok(out.includes(`missing already: ${name}`), out);
  });

  test('refuses what would write over something or cannot work, and leaves nothing behind', async (t) => {
    const { folder } = await startFilled(t);
    const place = temporaryFolder(t);
    const file = join(place, 'file');
    writeFileSync(file, 'mine');
    await run(folder, 'backup', join(place, 'saved'));
    const before = fingerprint(place);
    const refusals: readonly (readonly [readonly string[], number, RegExp])[] = [
      [[file], 1, /is there already; a backup never writes over anything$/],
      [[join(place, 'saved')], 1, /is a backup or a data folder itself; backups belong next to it$/],
      [[`${join(place, 'saved')}/`], 1, /is a backup or a data folder itself/],
      [[folder], 1, /is a backup or a data folder itself/],
      [[join(place, 'no', 'where')], 1, /^cannot write a backup in .*: there is no such file or folder$/],
      [[`${file}/`], 1, /^cannot make .*file: /],
      [[join(place, 'one.tar'), '--keep', '2'], 2, /^--keep is for a folder of backups; /],
      [[join(place, 'one'), '--tar'], 2, /^--tar is for a folder of backups; /],
      [[place, '--keep', '0'], 2, /^--keep takes a number from 1 to 10000; /],
      [[place, '--keep', '1e3'], 2, /^--keep takes a number/],
      [[], 2, /^backup takes one path; /],
      [['a', 'b'], 2, /^backup takes one path; /],
      [[''], 2, /^backup takes one path; /],
    ];
    for (const [args, code, message] of refusals) {
      const ended = await runCommand(['backup', ...args], { variables: { DATA_DIR: folder } });
      assert.deepEqual([ended.code, ended.out], [code, ''], args.join(' '));
      assert.match(ended.err.trimEnd(), message);
      assert.doesNotMatch(ended.err.trimEnd(), /\n/);
    }
    const empty = join(place, 'empty');
    const ended = await runCommand(['backup', join(place, 'x')], { variables: { DATA_DIR: empty } });
    assert.match(ended.err, /^there is no catalogue in \S+empty: catalogue\.db is missing [^\n]+\n$/);
    assert.deepEqual(fingerprint(place), before);
  });
});
