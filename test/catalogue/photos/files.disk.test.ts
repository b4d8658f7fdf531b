import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { run } from '../../support/backups.ts';
import { changeOf } from '../../support/changes.ts';
import { runCommand } from '../../support/cli.ts';
import { textOf } from '../../support/client.ts';
import {
  placeOf,
  startWithRestaurant,
  storedFiles,
  upload,
  uploadWithThumbnail,
} from '../../support/photos.ts';
import { startService, temporaryFolder } from '../../support/service.ts';

describe('files of photos', () => {
  test('a thumbnail is in a backup and comes back with it, alive or in the trash', async (t) => {
    for (const isDeleted of [false, true]) {
      const { api, folder } = await startWithRestaurant(t);
      const photo = await uploadWithThumbnail(api);
      const files = storedFiles(folder);
      const id = isDeleted ? changeOf(await api.delete('/photos/1')) : 0;
      const place = temporaryFolder(t);
      const [backup, target] = [join(place, 'saved.tar'), join(place, 'data')];
      const { out } = await run(folder, 'backup', backup);
      assert.equal(out, `Backed up to ${backup}: the database and 2 photo files, verified.\n`);
      await run(folder, 'check', backup);
      await run(target, 'restore', backup);
      assert.deepEqual(storedFiles(target), files);
      await run(target, 'check');
      const later = await startService(t, { DATA_DIR: target });
      if (isDeleted) assert.equal((await later.api.post(`/changes/${id}/revert`, {})).status, 200);
      assert.equal((await later.api.send(textOf(photo, 'thumbnail_url'), {})).status, 200);
    }
  });

  test('the start removes no photos of a catalogue whose database is missing, and makes no other', async (t) => {
    const { api, folder, stop } = await startWithRestaurant(t);
    const { body } = await upload(api);
    await stop();
    rmSync(join(folder, 'catalogue.db'));
    for (const args of [['serve'], ['import', '-', '--format', 'csv']]) {
      const ended = await runCommand(args, {
        variables: { DATA_DIR: folder, PORT: '0' },
        input: 'name\nX\n',
      });
      assert.equal(ended.code, 1);
      assert.match(ended.err, /^there are photos in \S+photos, but \S+catalogue\.db is missing: [^\n]+\n$/);
    }
    assert.deepEqual(storedFiles(folder), [placeOf(body)]);
    assert.equal(existsSync(join(folder, 'catalogue.db')), false);
  });
});
