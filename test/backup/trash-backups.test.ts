import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { run, startFilled } from '../support/backups.ts';
import { array, field, textOf } from '../support/client.ts';
import { changeStored } from '../support/people.ts';
import { placeOf, storedFiles } from '../support/photos.ts';
import { startService, temporaryFolder } from '../support/service.ts';

const PHOTOS = '/restaurants/1/photos';

describe('a backup of a catalogue with a deleted restaurant', () => {
  for (const form of ['saved', 'saved.tar'])
    test(`as ${form} holds what undoing the deletion brings back, its photos and their files too`, async (t) => {
      const { folder, api } = await startFilled(t);
      const before = await api.get(PHOTOS);
      const files = storedFiles(folder);
      await api.delete('/restaurants/1');
      const place = temporaryFolder(t);
      const [backup, target] = [join(place, form), join(place, 'data')];
      const { out } = await run(folder, 'backup', backup);
      assert.equal(out, `Backed up to ${backup}: the database and 2 photo files, verified.\n`);
      await run(folder, 'check', backup);
      await run(target, 'restore', backup);
      await run(target, 'check');
      const later = await startService(t, { DATA_DIR: target });
      assert.deepEqual(storedFiles(target), files);
      assert.equal((await later.api.get('/restaurants/1')).status, 404);
      const deletions = field((await later.api.get('/changes?since=start&action=delete')).body, 'data');
      const [deletion] = array(deletions);
      assert.equal(
        (await later.api.post(`/changes/${String(field(deletion, 'id'))}/revert`, {})).status,
        200,
      );
      const { body } = await later.api.get(PHOTOS);
      assert.deepEqual(body, before.body);
      for (const photo of array(body)) {
        const { status, headers } = await later.api.send(textOf(photo, 'url'), {});
        assert.deepEqual(
          [status, headers.get('content-length')],
          [200, String(field(photo, 'file_size'))],
          placeOf(photo),
        );
      }
    });

  test('lacks the files of what cannot come back', async (t) => {
    const { folder, api } = await startFilled(t, { TRASH_DAYS: '0' });
    await api.delete('/photos/1');
    const place = temporaryFolder(t);
    const { out } = await run(folder, 'backup', join(place, 'saved'));
    assert.match(out, /: the database and 1 photo file, verified\.\n$/);
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
    const { err } = await run(folder, 'backup', join(place, 'saved'));
    assert.equal(err, `the file of a photo is missing: ${textOf(first, 'filename')}\n`);
    assert.deepEqual(storedFiles(join(place, 'saved')), [placeOf(second)]);
    await run(folder, 'check', join(place, 'saved'));
  });

  test('is made of a database from before thumbnails too', async (t) => {
    const { folder, api, stop } = await startFilled(t);
    await api.delete('/photos/1');
    await stop();
    changeStored(folder, 'DROP VIEW photo_files');
    changeStored(folder, 'DELETE FROM schema_migrations WHERE version >= ?', 14);
    const { out } = await run(folder, 'backup', join(temporaryFolder(t), 'saved'));
    assert.match(out, /: the database and 2 photo files, verified\.\n$/);
  });

  test('is made of a database from before the change log too', async (t) => {
    const { folder, stop } = await startFilled(t);
    await stop();
    changeStored(folder, 'DROP VIEW photo_files');
    changeStored(folder, 'DROP TABLE photo_trash');
    changeStored(
      folder,
      'CREATE TABLE photo_trash (filename TEXT PRIMARY KEY, deleted_at TEXT NOT NULL) STRICT',
    );
    changeStored(folder, `INSERT INTO photo_trash VALUES ('x', ?)`, '2026-01-01T00:00:00.000Z');
    changeStored(folder, 'DELETE FROM schema_migrations WHERE version >= ?', 10);
    const place = temporaryFolder(t);
    const { out } = await run(folder, 'backup', join(place, 'saved'));
    assert.match(out, /: the database and 2 photo files, verified\.\n$/);
  });
});
