import assert from 'node:assert/strict';
import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { field, ids, record, textOf } from '../../support/client.ts';
import { sample } from '../../support/images.ts';
import { LOCAL, changeStored, makeAdmin, readStored, signUp } from '../../support/people.ts';
import {
  form,
  photoPart,
  placeOf,
  placesOf,
  sendForm,
  startWithRestaurant,
  storedFiles,
  upload,
  uploadWithThumbnail,
} from '../../support/photos.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { until } from '../../support/until.ts';

describe('the photos of a restaurant', () => {
  test('are listed newest first, in the shape of an upload', async (t) => {
    const { api } = await startWithRestaurant(t);
    const { photo } = record((await upload(api, sample('png'), 'First')).body);
    await upload(api);
    const { status, body } = await api.get('/restaurants/1/photos');
    assert.deepEqual([status, ids(body)], [200, [2, 1]]);
    assert.deepEqual(Array.isArray(body) && body[1], photo);
  });

  test('are listed in parts by limit and offset, and in slices without', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    await upload(api);
    // More than one slice, without as many uploads.
    changeStored(
      folder,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
       INSERT INTO photos (restaurant_id, filename, caption, file_size, mime_type, width, height, created_at, updated_at)
       SELECT 1, printf('%032x.jpg', i), '', 1, 'image/jpeg', 1, 1, printf('2026-01-01T00:00:%02d.000Z', i / 10),
         '2026-01-01T00:01:00.000Z' FROM n`,
    );
    const all = ids((await api.get('/restaurants/1/photos')).body);
    assert.deepEqual(all, [1, ...Array.from({ length: 450 }, (_, index) => 451 - index)]);
    assert.deepEqual(ids((await api.get('/restaurants/1/photos?limit=3&offset=1')).body), all.slice(1, 4));
    assert.deepEqual(ids((await api.get('/restaurants/1/photos?offset=449')).body), all.slice(449));
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'offset=-1'])
      assert.equal((await api.get(`/restaurants/1/photos?${query}`)).status, 400, query);
  });

  test('are an empty list where there are none, and 404 where there is no restaurant', async (t) => {
    const { api } = await startWithRestaurant(t);
    assert.deepEqual((await api.get('/restaurants/1/photos')).body, []);
    const missing = await api.get('/restaurants/2/photos');
    assert.deepEqual([missing.status, missing.body], [404, { error: 'Restaurant not found' }]);
    const wrong = await api.get('/restaurants/0/photos');
    assert.deepEqual([wrong.status, wrong.body], [400, { error: 'Invalid restaurant ID' }]);
  });
});

describe('the caption of a photo', () => {
  const LONG = 'x'.repeat(256);

  test('is changed, and nothing else', async (t) => {
    const { api } = await startWithRestaurant(t);
    const { photo } = record((await upload(api, sample('png'), 'Before')).body);
    const { status, body } = await api.patch('/photos/1', { caption: ' After <b>all</b> ', width: 1, id: 9 });
    const { updated_at, ...rest } = record(body);
    const { updated_at: before, ...unchanged } = record(photo);
    assert.equal(status, 200);
    assert.deepEqual(rest, { ...unchanged, caption: 'After all' });
    assert.ok(String(updated_at) >= String(before));
    const longest = 'é'.repeat(255);
    assert.equal(field((await api.patch('/photos/1', { caption: longest })).body, 'caption'), longest);
  });

  test('is cleared by null and by blanks', async (t) => {
    const { api } = await startWithRestaurant(t);
    await upload(api, sample('png'), 'Before');
    for (const cleared of [null, '', ' \n']) {
      await api.patch('/photos/1', { caption: 'x' });
      assert.equal(field((await api.patch('/photos/1', { caption: cleared })).body, 'caption'), '');
    }
  });

  const refused: readonly (readonly [string, string, unknown, number, string])[] = [
    ['without a caption', '/photos/1', {}, 400, 'caption is required'],
    ['with a number', '/photos/1', { caption: 5 }, 400, 'caption must be a string'],
    ['with 256 characters', '/photos/1', { caption: LONG }, 400, 'caption must be at most 255 characters'],
    ['of no photo', '/photos/2', { caption: 'x' }, 404, 'Photo not found'],
    ['of an id that is none', '/photos/1.5', { caption: 'x' }, 400, 'Invalid photo ID'],
  ];
  test('is refused with a fault, and of no photo', async (t) => {
    const { api } = await startWithRestaurant(t);
    await upload(api);
    for (const [title, path, body, status, error] of refused) {
      const answer = await api.patch(path, body);
      assert.deepEqual([answer.status, answer.body], [status, { error }], title);
    }
  });
});

describe('a deleted photo', () => {
  test('is gone from the list and from its address at once', async (t) => {
    const { api } = await startWithRestaurant(t);
    const url = textOf((await upload(api)).body, 'url');
    assert.equal((await api.send(url, {})).status, 200);
    const answer = await api.delete('/photos/1');
    assert.deepEqual([answer.status, answer.body], [204, '']);
    assert.deepEqual((await api.get('/restaurants/1/photos')).body, []);
    const gone = await api.send(url, {});
    assert.deepEqual([gone.status, gone.body], [404, { error: 'Photo not found' }]);
    for (const again of [await api.delete('/photos/1'), await api.patch('/photos/1', { caption: 'x' })])
      assert.deepEqual([again.status, again.body], [404, { error: 'Photo not found' }]);
    assert.equal((await api.delete('/photos/x')).status, 400);
  });

  test('does not give its id or its name to another', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    const first = await upload(api);
    await api.delete('/photos/1');
    const second = await upload(api);
    assert.equal(field(second.body, 'id'), 2);
    assert.deepEqual(storedFiles(folder), [placeOf(first.body), placeOf(second.body)].sort());
  });
});

describe('where catalogue writes are for administrators', () => {
  test('any user uploads, and edits and deletes what is theirs', async (t) => {
    const service = await startService(t, { ...LOCAL, WRITE_ACCESS: 'admins' });
    const alice = await signUp(service, 'alice');
    const bob = await signUp(service, 'bob');
    const carol = await signUp(service, 'carol');
    makeAdmin(service, carol);
    await carol.api.post('/restaurants', { name: 'Chez Nous' });
    assert.equal((await sendForm(service.api, form(photoPart()))).status, 401);
    assert.deepEqual(storedFiles(service.folder), []);
    for (let count = 0; count < 2; count += 1)
      assert.ok(!('user_id' in record((await upload(alice.api)).body)));
    for (const answer of [
      await bob.api.patch('/photos/1', { caption: 'x' }),
      await bob.api.delete('/photos/1'),
    ])
      assert.deepEqual([answer.status, answer.body], [403, { error: 'Admin access required' }]);
    assert.equal((await alice.api.patch('/photos/1', { caption: 'hers' })).status, 200);
    assert.equal((await alice.api.delete('/photos/1')).status, 204);
    assert.equal((await carol.api.patch('/photos/2', { caption: 'the admin’s' })).status, 200);
    assert.equal((await carol.api.delete('/photos/2')).status, 204);
  });
});

describe('the file of a deleted photo', () => {
  const fromNow = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
  const GONE = { TRASH_DAYS: '0' };
  const trash = (folder: string): unknown[] =>
    readStored(folder, 'SELECT due_at, change_id FROM photo_trash');

  longTest(
    'stays for a quarter of an hour where it cannot come back, for a backup that is under way',
    async (t) => {
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
    },
  );

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
