import assert from 'node:assert/strict';
import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { record } from '../support/client.ts';
import { changeStored, readStored } from '../support/people.ts';
import {
  placeOf,
  placesOf,
  startWithRestaurant,
  storedFiles,
  upload,
  uploadWithThumbnail,
} from '../support/photos.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('the file of a deleted photo', () => {
  const fromNow = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
  const GONE = { TRASH_DAYS: '0' };
  const trash = (folder: string): unknown[] =>
    readStored(folder, 'SELECT due_at, change_id FROM photo_trash');

  test('stays for a quarter of an hour where it cannot come back, for a backup that is under way', async (t) => {
    const { api, folder, stop } = await startWithRestaurant(t, GONE);
    const [one, two] = [placesOf(await uploadWithThumbnail(api)), placesOf(await uploadWithThumbnail(api))];
    await api.delete('/photos/1');
    await api.delete('/restaurants/1');
    await until(() => trash(folder).length === 4);
    assert.deepEqual(storedFiles(folder), [...one, ...two].sort());
    await stop();
    for (const row of trash(folder)) {
      const { due_at: due, change_id: change } = record(row);
      assert.ok(String(due) > fromNow(10) && String(due) <= fromNow(15), String(due));
      assert.equal(change, null);
    }
    const setDue = 'UPDATE photo_trash SET due_at = ? WHERE filename = ?';
    for (const place of one) changeStored(folder, setDue, fromNow(-1), place.slice(3));
    for (const place of two) changeStored(folder, setDue, fromNow(10), place.slice(3));
    for (const place of two) utimesSync(join(folder, 'photos', place), new Date(0), new Date(0));
    const later = await startService(t, { ...GONE, DATA_DIR: folder });
    await until(() => trash(folder).length < 4);
    assert.deepEqual(storedFiles(folder), two);
    await later.stop();
    changeStored(folder, 'UPDATE photo_trash SET due_at = ?', fromNow(-1));
    await startService(t, { ...GONE, DATA_DIR: folder });
    await until(() => trash(folder).length === 0);
    assert.deepEqual(storedFiles(folder), []);
  });

  test('stays as long as its deletion can be undone, whatever was deleted, and goes when it expires', async (t) => {
    const { api, folder, stop } = await startWithRestaurant(t);
    await uploadWithThumbnail(api);
    const places = placesOf(await uploadWithThumbnail(api));
    await api.delete('/photos/1');
    await api.delete('/restaurants/1');
    // Photos that went with their restaurant are still in their own table.
    const stored = (): unknown[] =>
      readStored(
        folder,
        `SELECT change_id FROM photo_trash UNION ALL SELECT change_id FROM photos
         JOIN deleted_restaurants ON deleted_restaurants.id = restaurant_id ORDER BY change_id`,
      );
    assert.deepEqual(stored(), [{ change_id: 4 }, { change_id: 4 }, { change_id: 5 }]);
    await stop();
    const setEnd = 'UPDATE changes SET kept_until = ? WHERE id = ?';
    changeStored(folder, setEnd, fromNow(-1), 4);
    const later = await startService(t, { DATA_DIR: folder });
    await until(() => trash(folder).length === 0);
    assert.deepEqual(storedFiles(folder), places);
    await later.stop();
    changeStored(folder, setEnd, fromNow(-1), 5);
    await startService(t, { DATA_DIR: folder });
    await until(() => storedFiles(folder).length === 0);
    await until(() => stored().length === 0);
  });

  test('may be gone before', async (t) => {
    const { api, folder, stop } = await startWithRestaurant(t, GONE);
    const { body } = await upload(api);
    await api.delete('/photos/1');
    await stop();
    rmSync(join(folder, 'photos', placeOf(body)));
    changeStored(folder, 'UPDATE photo_trash SET due_at = ?', fromNow(-1));
    const later = await startService(t, { DATA_DIR: folder });
    await until(() => trash(folder).length === 0);
    const failures = later.logs.filter(
      (line) => record(line)['message'] === 'looking after photo files failed',
    );
    assert.deepEqual(failures, []);
  });
});
