import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { run } from '../support/backups.ts';
import { changeOf } from '../support/changes.ts';
import { runCommand } from '../support/cli.ts';
import { array, textOf } from '../support/client.ts';
import { changeStored, readStored } from '../support/people.ts';
import {
  placesOf,
  startWithRestaurant,
  storedFiles,
  thumbnailPlaceOf,
  uploadWithThumbnail,
} from '../support/photos.ts';
import { type Service, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Uploaded extends Service {
  readonly photo: unknown;
  /** Of the photo, and of its thumbnail. */
  readonly places: readonly string[];
}

async function uploaded(t: TestContext): Promise<Uploaded> {
  const service = await startWithRestaurant(t);
  const photo = await uploadWithThumbnail(service.api);
  return { ...service, photo, places: placesOf(photo) };
}

// Those of a photo that went with its restaurant are in no table of their own.
const trash = (folder: string): unknown[] =>
  readStored(
    folder,
    `SELECT file_size, due_at IS NULL AS stays FROM photo_trash
     UNION ALL SELECT size, due_at IS NULL FROM deleted_restaurants JOIN photos ON restaurant_id = deleted_restaurants.id
     JOIN photo_files ON photo_id = photos.id ORDER BY file_size`,
  );

describe('a thumbnail', () => {
  for (const path of ['/photos/1', '/restaurants/1'])
    test(`goes to the trash and comes back with its photo: ${path}`, async (t) => {
      const { api, folder, photo, places } = await uploaded(t);
      const before = (await api.get('/photos/1')).body;
      const id = changeOf(await api.delete(path));
      assert.deepEqual(trash(folder), [
        { file_size: 84, stays: 1 },
        { file_size: 334, stays: 1 },
      ]);
      assert.deepEqual(storedFiles(folder), places);
      assert.equal((await api.send(textOf(photo, 'thumbnail_url'), {})).status, 404);
      assert.equal((await api.post(`/changes/${id}/revert`, {})).status, 200);
      assert.deepEqual([trash(folder), (await api.get('/photos/1')).body], [[], before]);
      assert.equal((await api.send(textOf(photo, 'thumbnail_url'), {})).status, 200);
      await run(folder, 'check');
    });

  for (const path of ['/photos/1', '/restaurants/1'])
    test(`is removed with its photo by a purge: ${path}`, async (t) => {
      const { api, folder } = await uploaded(t);
      const id = changeOf(await api.delete(path));
      assert.equal((await api.post(`/changes/${id}/purge`, {})).status, 204);
      await until(() => storedFiles(folder).length === 0);
    });

  test('is in a backup and comes back with it, alive or in the trash', async (t) => {
    for (const isDeleted of [false, true]) {
      const { api, folder, photo } = await uploaded(t);
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

  test('that is missing, or has another size, is found by a check', async (t) => {
    const { folder, photo } = await uploaded(t);
    const path = join(folder, 'photos', thumbnailPlaceOf(photo));
    const check = async (): Promise<string> => {
      const { code, err } = await runCommand(['check'], { variables: { DATA_DIR: folder } });
      assert.equal(code, 1);
      return err;
    };
    writeFileSync(path, 'short');
    assert.match(await check(), /photo 1: the file [0-9a-f]{32}\.webp has 5 bytes instead of 84/);
    rmSync(path);
    assert.match(await check(), /photo 1: the file [0-9a-f]{32}\.webp is missing/);
  });

  test('is missed by no deletion that was logged before there were any', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    await uploadWithThumbnail(api);
    changeStored(
      folder,
      `UPDATE photos SET thumbnail_filename = NULL, thumbnail_size = NULL, thumbnail_type = NULL,
         thumbnail_width = NULL, thumbnail_height = NULL`,
    );
    const before = (await api.get('/restaurants/1/photos')).body;
    const fields = ['filename', 'size', 'type', 'width', 'height'].map((name) => `thumbnail_${name}`);
    const without = (path: string): string =>
      `UPDATE changes SET before = json_remove(before, ${fields.map((name) => `'${path}.${name}'`).join(', ')}) WHERE id = ?`;
    for (const [path, at] of [
      ['/photos/1', '$'],
      ['/restaurants/1', '$.photos[0]'],
    ] as const) {
      const id = changeOf(await api.delete(path));
      changeStored(folder, without(at), id);
      assert.equal((await api.post(`/changes/${id}/revert`, {})).status, 200);
      assert.deepEqual((await api.get('/restaurants/1/photos')).body, before);
    }
    assert.equal(array(before).length, 1);
  });
});
