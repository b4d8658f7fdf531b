import assert from 'node:assert/strict';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { receiveForm } from '../../../src/catalogue/photos/upload.ts';
import { atEnd } from '../../support/cleanup.ts';
import { record } from '../../support/client.ts';
import { sample } from '../../support/images.ts';
import { listenOnLoopback } from '../../support/listen.ts';
import { changeStored } from '../../support/people.ts';
import {
  FORM_TYPE,
  form,
  photoPart,
  placeOf,
  placesOf,
  sendForm,
  startWithRestaurant,
  storedFiles,
  thumbnailPlaceOf,
  upload,
  uploadWithThumbnail,
} from '../../support/photos.ts';
import { type Service, startService, temporaryFolder } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const STEM = 'ab'.padEnd(32, '0');
const STRANGER = `ab/${STEM}.jpg`;
const SMALL = 'ef'.padEnd(32, '0');
const REMOVED = 'removed files that belonged to no photo';

function put(folder: string, place: string, ageMinutes = 0): void {
  const path = join(folder, 'photos', place);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, 'a file');
  const written = new Date(Date.now() - ageMinutes * 60_000);
  utimesSync(path, written, written);
}

function warned(service: Service, message: string): Readonly<Record<string, unknown>>[] {
  return service.logs.map((line) => record(line)).filter((line) => line['message'] === message);
}

describe('the next start', () => {
  const states: readonly (readonly [string, readonly string[]])[] = [
    ['while it arrived', [`arriving/${STEM}`]],
    ['while it was cleaned', [`arriving/${STEM}`, `arriving/${STEM}.jpg`]],
    ['before its row was written', [`arriving/${STEM}`, STRANGER]],
    ['before its row was written, as a PNG', [`arriving/${STEM}`, `ab/${STEM}.png`]],
    ['while its thumbnail arrived', [`arriving/${STEM}`, `arriving/${SMALL}`]],
    ['between its files', [`arriving/${STEM}`, STRANGER, `arriving/${SMALL}`, `arriving/${SMALL}.webp`]],
    ['with both files in place', [`arriving/${STEM}`, STRANGER, `arriving/${SMALL}`, `ef/${SMALL}.webp`]],
    ['between two of its temporary files', [`arriving/${STEM}.webp`]],
  ];
  test('removes at once all that a crash left of an upload', async (t) => {
    const { api, folder, stop } = await startWithRestaurant(t);
    const { body } = await upload(api);
    await stop();
    for (const [title, places] of states) {
      for (const place of places) put(folder, place);
      const later = await startService(t, { DATA_DIR: folder });
      assert.deepEqual(storedFiles(folder), [placeOf(body)], title);
      assert.equal((await later.api.get('/restaurants/1/photos')).status, 200);
      await later.stop();
    }
  });

  test('keeps a photo whose upload was cut short behind its row, and its thumbnail', async (t) => {
    const { api, folder, stop } = await startWithRestaurant(t);
    const photo = await uploadWithThumbnail(api);
    await stop();
    const places = placesOf(photo);
    for (const place of places) put(folder, `arriving/${place.slice(3, 35)}`);
    await startService(t, { DATA_DIR: folder });
    assert.deepEqual(storedFiles(folder), places);
  });

  test('removes files of no photo whatever their age and place, but no copy of a photo, and says so', async (t) => {
    const { api, folder, stop } = await startWithRestaurant(t);
    const { body } = await upload(api);
    await stop();
    const own = placeOf(body);
    const copy = own.replace(/^../, own.startsWith('00') ? '01' : '00');
    const foreign = 'cd/read me.txt';
    put(folder, STRANGER, 61);
    put(folder, `cd/${'cd'.padEnd(32, '1')}.png`);
    // In another folder than its own.
    put(folder, `cd/${STEM}.jpg`);
    put(folder, copy);
    put(folder, foreign, 600);
    utimesSync(join(folder, 'photos', own), new Date(0), new Date(0));
    const later = await startService(t, { DATA_DIR: folder });
    await until(() => warned(later, REMOVED).length > 0);
    assert.deepEqual(
      warned(later, REMOVED).map((line) => line['files']),
      [3],
    );
    assert.deepEqual(storedFiles(folder), [own, copy, foreign].sort());
  });

  test('accepts uploads once they are gone, and none of these goes with them', async (t) => {
    const { folder, stop } = await startWithRestaurant(t);
    await stop();
    const digits = [...Array(256).keys()].map((number) => number.toString(16).padStart(2, '0'));
    for (const prefix of digits) put(folder, `${prefix}/${prefix.padEnd(32, '2')}.webp`);
    const later = await startService(t, { DATA_DIR: folder });
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(later.api)));
    const places = answers.map(({ body }) => placeOf(body)).sort();
    assert.deepEqual(storedFiles(folder), places);
    assert.equal((await later.api.get('/restaurants/1/photos')).status, 200);
    await until(() => warned(later, REMOVED).length > 0);
    assert.deepEqual(storedFiles(folder), places);
  });

  test('accepts uploads where a folder cannot be looked into, and does the others all the same', async (t) => {
    const { folder, stop } = await startWithRestaurant(t);
    await stop();
    put(folder, STRANGER);
    for (const prefix of ['00', '01']) writeFileSync(join(folder, 'photos', prefix), 'a file in the way');
    const later = await startService(t, { DATA_DIR: folder });
    await until(() => warned(later, 'looking after photo files failed').length > 0);
    let status = 0;
    // A random name may lead to a folder that is a file.
    for (let tries = 0; tries < 10 && status !== 201; tries += 1)
      ({ status } = await sendForm(later.api, form(photoPart())));
    assert.equal(status, 201);
    assert.ok(!storedFiles(folder).includes(STRANGER));
  });

  test('reports the photos of which a file is gone, be it the thumbnail, and no other', async (t) => {
    const { api, folder, stop } = await startWithRestaurant(t);
    await uploadWithThumbnail(api);
    const photo = await uploadWithThumbnail(api);
    await upload(api);
    await stop();
    rmSync(join(folder, 'photos', thumbnailPlaceOf(photo)));
    // It comes last in every folder.
    const last = `${'f'.repeat(32)}.jpg`;
    changeStored(folder, 'UPDATE photos SET filename = ? WHERE id = 3', last);
    const later = await startService(t, { DATA_DIR: folder });
    const message = 'the file of a photo is missing';
    await until(() => warned(later, message).some((line) => line['photo'] === 3));
    const expected = [
      { level: 'warn', message, photo: 2, filename: thumbnailPlaceOf(photo).slice(3) },
      { level: 'warn', message, photo: 3, filename: last },
    ];
    assert.deepEqual(
      warned(later, message).map(({ time: _time, ...line }) => line),
      expected,
    );
  });
});

describe('a photo that cannot be written', () => {
  for (const [name, size] of [
    ...[0, 100_000, 5_000_000].map((one) => ['photo', one] as const),
    ['thumbnail', 100_000] as const,
  ])
    test(`fails its upload as a ${name}, and is not taken for another one, ${size} bytes behind its first`, async (t) => {
      const path = join(temporaryFolder(t), 'arrival');
      writeFileSync(path, '');
      const handle = await open(path, 'r');
      atEnd(t, () => handle.close());
      const other = await open(`${path}-2`, 'w');
      atEnd(t, () => other.close());
      let failure: unknown;
      const server = createServer((request, response) => {
        receiveForm(
          { request, watchBody: () => () => undefined, recheck: () => undefined, idempotency: undefined },
          { photo: name === 'photo' ? handle : other, openThumbnail: () => Promise.resolve(handle) },
        )
          .catch((error: unknown) => {
            failure = error;
          })
          .finally(() => response.end());
      });
      const port = await listenOnLoopback(t, server);
      const file = { ...photoPart(Buffer.concat([sample('png'), Buffer.alloc(size)])), name };
      const body = form(file, photoPart());
      const headers = { 'Content-Type': FORM_TYPE, Connection: 'close' };
      const signal = AbortSignal.timeout(30_000);
      const init = { method: 'POST', headers, body: new Uint8Array(body), signal };
      await fetch(`http://127.0.0.1:${port}`, init);
      assert.ok(failure instanceof Error && 'code' in failure);
      assert.equal(failure.code, 'EBADF');
    });
});
