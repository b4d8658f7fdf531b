import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { TAR_END, tarHeader, tarPadding } from '../../../src/operations/backup/tar.ts';
import { backUp, fingerprint, restoreInto, startFilled } from '../../support/backups.ts';
import { randomNumbers } from '../../support/catalogue.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { field } from '../../support/client.ts';
import { changeStored } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { longTest, scaled } from '../../support/size.ts';
import { FILE_SPOILINGS, FOLDER_SPOILINGS, sumAgain } from '../../support/tampering.ts';
import { until } from '../../support/until.ts';

const MUTATIONS = scaled(150);

interface Backups {
  readonly folder: string;
  readonly place: string;
  /** Tries to restore a backup over the data: why that was refused, or nothing. */
  readonly restore: (backup: string) => Promise<string>;
}

async function backups(t: Cleanup): Promise<Backups> {
  const { folder, stop } = await startFilled(t);
  const place = temporaryFolder(t);
  for (const name of ['saved', 'saved.tar']) await backUp(folder, join(place, name));
  await stop();
  const restore = (backup: string): Promise<string> =>
    restoreInto(folder, backup, true).then(
      () => '',
      (error: unknown) => (error instanceof Error ? error.message : 'failed'),
    );
  return { folder, place, restore };
}

function inDatabase(sql: string): (backup: string) => void {
  return (backup) => {
    const database = new Database(join(backup, 'catalogue.db'));
    database.unsafeMode(true).exec(sql);
    database.close();
  };
}

describe('a backup that was tampered with', () => {
  for (const form of ['saved', 'saved.tar'])
    longTest(`is refused whatever of ${form} was changed, and the data stays as it is`, async (t) => {
      const { folder, place, restore } = await backups(t);
      const before = fingerprint(folder);
      const random = randomNumbers(11);
      const spoilings = form === 'saved' ? FOLDER_SPOILINGS : FILE_SPOILINGS;
      for (let round = 0; round < MUTATIONS; round += 1) {
        const spoiled = join(place, 'spoiled');
        cpSync(join(place, form), spoiled, { recursive: true });
        const how = spoilings[round % spoilings.length]?.(spoiled, random);
        assert.notEqual(await restore(spoiled), '', how);
        assert.deepEqual(fingerprint(folder), before, how);
        for (const path of [spoiled, `${spoiled}.elsewhere`]) rmSync(path, { recursive: true, force: true });
      }
    });

  const careful: readonly (readonly [string, (backup: string) => void, RegExp])[] = [
    [
      'of a newer version',
      inDatabase(`INSERT INTO schema_migrations VALUES (999, '0999_future', 'x', '2099')`),
      /newer version of the service \(migration 0999_future/,
    ],
    ['of another program', inDatabase('PRAGMA application_id = 7'), /is not a database of this service$/],
    [
      'with a row that refers to nothing',
      inDatabase('PRAGMA foreign_keys = OFF; UPDATE photos SET restaurant_id = 99'),
      /is damaged: photos \d+ refers to no row/,
    ],
    [
      'with an index that is damaged',
      inDatabase('DELETE FROM search_texts_data WHERE id > 10'),
      /the database of the backup is damaged/,
    ],
    [
      'with a row more than photos',
      inDatabase(
        `INSERT INTO photos (restaurant_id, filename, caption, file_size, mime_type, width, height, created_at, updated_at)
         SELECT restaurant_id, '${'a'.repeat(32)}.png', '', 1, mime_type, 1, 1, '', '' FROM photos LIMIT 1`,
      ),
      /^the photo a{32}\.png is missing from the backup$/,
    ],
    ['with a row less than photos', inDatabase('DELETE FROM photos'), /photos that are not in its database$/],
    [
      'with a file of no photo',
      (backup) => {
        mkdirSync(join(backup, 'photos', '00'), { recursive: true });
        writeFileSync(join(backup, 'photos', '00', `${'0'.repeat(32)}.png`), 'mine');
      },
      /photos that are not in its database$/,
    ],
    [
      'of a format to come',
      (backup) => {
        writeFileSync(join(backup, 'backup.json'), '{"format":2}');
      },
      /^the backup was made by a newer version/,
    ],
    [
      'with no proper manifest',
      (backup) => {
        writeFileSync(join(backup, 'backup.json'), '{"format":1,"photos":-1}');
      },
      /^backup\.json of the backup is damaged$/,
    ],
  ];
  test('makes the service remove no file outside of its folder of photos', async (t) => {
    const { folder, stop } = await startService(t);
    await stop();
    const elsewhere = join(temporaryFolder(t), 'mine');
    writeFileSync(elsewhere, 'mine');
    const row = `INSERT INTO photo_trash (filename, file_size, due_at) VALUES (?, 1, '2020')`;
    changeStored(folder, row, relative(folder, elsewhere));
    const { logs } = await startService(t, { DATA_DIR: folder });
    const failed = 'looking after photo files failed';
    await until(() => logs.some((line) => field(line, 'message') === failed) || !existsSync(elsewhere));
    assert.ok(existsSync(elsewhere));
  });

  test('is refused with all checksums right', async (t) => {
    const { folder, place, restore } = await backups(t);
    const before = fingerprint(folder);
    for (const [title, change, expected] of careful) {
      const changed = join(place, title);
      cpSync(join(place, 'saved'), changed, { recursive: true });
      change(changed);
      sumAgain(changed);
      assert.match(await restore(changed), expected, title);
      assert.deepEqual(fingerprint(folder), before, title);
    }
  });

  const sums: readonly string[] = [
    `${'0'.repeat(64)}  ../../etc/passwd\n`,
    `${'0'.repeat(64)}  /etc/passwd\n`,
    `${'0'.repeat(64)}  photos/00/../../x.jpg\n`,
    `${'0'.repeat(64)}  SHA256SUMS\n`,
    `${'0'.repeat(64)} *catalogue.db\n`,
    `${'0'.repeat(64)}  zzz`,
    'x'.repeat(100_000),
  ];
  test('is refused when SHA256SUMS names anything else', async (t) => {
    const { place, restore } = await backups(t);
    const text = readFileSync(join(place, 'saved', 'SHA256SUMS'), 'utf8');
    for (const line of sums) {
      writeFileSync(join(place, 'saved', 'SHA256SUMS'), text + line);
      assert.equal(await restore(join(place, 'saved')), 'SHA256SUMS of the backup is damaged', line);
    }
  });

  test('is refused when its archive holds names and things that no backup has', async (t) => {
    const { folder, place, restore } = await backups(t);
    const before = fingerprint(folder);
    const whole = readFileSync(join(place, 'saved.tar')).subarray(0, -TAR_END.length);
    const file = (name: string): Buffer =>
      Buffer.concat([tarHeader(name, 4, new Date(0)), Buffer.from('mine'), tarPadding(4)]);
    const link = tarHeader('photos/00/link.jpg', 0, new Date(0));
    // A symbolic link; the sum of its header is larger by as much.
    link.write('2', 156);
    link.write((parseInt(link.toString('latin1', 148, 154), 8) + 2).toString(8).padStart(6, '0'), 148);
    const extras: readonly (readonly [Buffer, RegExp])[] = [
      [file('../outside'), /^the backup contains \.\.\/outside, which is not part of a backup$/],
      [file('/tmp/outside'), /which is not part of a backup$/],
      [file('photos/../../outside'), /which is not part of a backup$/],
      [file('catalogue.db'), /^the backup contains catalogue\.db twice$/],
      [file(`photos/00/${'0'.repeat(32)}.jpg`), /without a checksum$/],
      [link, /^the archive contains something other than plain files$/],
      [tarHeader('photos/', 2 ** 40, new Date(0)), /^the archive is cut short$/],
    ];
    for (const [extra, expected] of extras) {
      writeFileSync(join(place, 'more.tar'), Buffer.concat([whole, extra, TAR_END]));
      assert.match(await restore(join(place, 'more.tar')), expected);
    }
    appendFileSync(join(place, 'saved.tar'), Buffer.alloc(512));
    assert.match(await restore(join(place, 'saved.tar')), /^the archive does not end properly$/);
    for (const [name, target] of [
      ['empty', '/dev/null'],
      ['hanging', '/dev/zero'],
    ] as const) {
      symlinkSync(target, join(place, name));
      assert.notEqual(await restore(join(place, name)), '');
    }
    assert.deepEqual(fingerprint(folder), before);
  });
});
