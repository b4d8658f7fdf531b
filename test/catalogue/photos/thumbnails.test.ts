import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { inspectData } from '../../../src/operations/inspection/check.ts';
import { changeOf } from '../../support/changes.ts';
import { array, field, headerValues, record, textOf } from '../../support/client.ts';
import { CANARIES, jpegExif, phonePhoto } from '../../support/image-metadata.ts';
import { cleaned, intoJpeg, sample, webpFile, webpFrame, webpHeader } from '../../support/images.ts';
import {
  type Part,
  form,
  formHead,
  jpegOf,
  photoPart,
  placeOf,
  placesOf,
  sendForm,
  startWithRestaurant,
  storedFiles,
  thumbnailPart,
  thumbnailPlaceOf,
  uploadWithThumbnail,
} from '../../support/photos.ts';
import { changeStored, readStored } from '../../support/people.ts';
import { readUntilQuiet } from '../../support/raw.ts';
import type { Service } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { until } from '../../support/until.ts';

const FAULT = 'thumbnail must be a JPEG or WebP of at most 640 pixels a side and 150 KB';
const NO_IMAGE = 'photo must be a JPEG, PNG or WebP image';
const caption: Part = { name: 'caption', content: 'Menu du jour' };
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>';

describe('the thumbnail of an upload', () => {
  test('has a name and an address of its own, wherever the photo is read', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    const photo = await uploadWithThumbnail(api);
    const url = textOf(photo, 'thumbnail_url');
    assert.match(url, /^\/api\/uploads\/menu_photos\/[0-9a-f]{32}\.webp$/);
    assert.notEqual(url.slice(26, 58), textOf(photo, 'filename').slice(0, 32));
    assert.deepEqual(storedFiles(folder), [placeOf(photo), thumbnailPlaceOf(photo)].sort());
    const { photo: nested, ...own } = record(photo);
    const changed = record((await api.patch('/photos/1', { caption: '' })).body);
    const reads = [nested, (await api.get('/photos/1')).body, changed];
    for (const read of reads) assert.equal(field(read, 'thumbnail_url'), url);
    assert.deepEqual((await api.get('/restaurants/1/photos')).body, [changed]);
    assert.ok(!Object.keys(own).some((name) => name.startsWith('thumbnail_') && name !== 'thumbnail_url'));
  });

  test('is null where none, or an empty one, is sent', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    const chosen = { ...thumbnailPart(Buffer.alloc(0)), filename: '' };
    const forms = [
      [photoPart()],
      [photoPart(), thumbnailPart(Buffer.alloc(0))],
      [chosen, photoPart()],
      [{ name: 'thumbnail', content: '' }, photoPart()],
    ];
    for (const parts of forms) {
      const { status, body } = await sendForm(api, form(...parts));
      assert.deepEqual([status, field(body, 'thumbnail_url')], [201, null]);
    }
    assert.equal(storedFiles(folder).length, forms.length);
  });

  test('is served by its name with its own type, tag and ranges, and not behind the deletion', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    const photo = await uploadWithThumbnail(api, jpegOf(640, 480));
    const [url, place] = [textOf(photo, 'thumbnail_url'), thumbnailPlaceOf(photo)];
    const bytes = readFileSync(join(folder, 'photos', place));
    const answer = await api.send(url, {});
    const headers = headerValues(answer, 'content-type', 'content-length', 'etag', 'cache-control');
    const lasting = 'public, max-age=31536000, immutable';
    assert.deepEqual(headers, ['image/jpeg', String(bytes.length), `"${place.slice(3)}"`, lasting]);
    const part = await api.send(url, { headers: { Range: 'bytes=0-9' } });
    assert.deepEqual([part.status, part.headers.get('content-range')], [206, `bytes 0-9/${bytes.length}`]);
    const tag = String(answer.headers.get('etag'));
    assert.equal((await api.send(url, { headers: { 'If-None-Match': tag } })).status, 304);
    await api.delete('/photos/1');
    assert.equal((await api.send(url, {})).status, 404);
  });

  longTest('may come before the photo, behind the caption and among other fields', async (t) => {
    const { api } = await startWithRestaurant(t);
    const other = { name: 'csrf', content: 'x'.repeat(1_000) };
    for (const parts of [
      [thumbnailPart(), photoPart(), caption],
      [caption, other, thumbnailPart(), other, photoPart()],
      [photoPart(phonePhoto(2_000_000, 1)), caption, thumbnailPart()],
    ]) {
      const { status, body } = await sendForm(api, form(...parts));
      assert.deepEqual([status, textOf(body, 'thumbnail_url').slice(-5)], [201, '.webp']);
    }
  });

  test('loses its metadata, and 150 KB are what is left without it', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    const photo = phonePhoto(300_000, 6);
    const body = await uploadWithThumbnail(api, intoJpeg(jpegOf(16, 8), [jpegExif(6)]));
    const heavy = Array.from({ length: 4 }, () =>
      Buffer.concat([Buffer.from([0xff, 0xfe, 0xff, 0xff]), Buffer.alloc(65_533, 'canary')]),
    );
    const large = await uploadWithThumbnail(api, intoJpeg(jpegOf(640, 640, 153_600), heavy));
    for (const [one, source] of [
      [body, photo],
      [large, Buffer.concat(heavy)],
    ] as const) {
      const stored = readFileSync(join(folder, 'photos', thumbnailPlaceOf(one)));
      assert.deepEqual(stored, cleaned(stored).bytes);
      for (const canary of CANARIES) assert.ok(!stored.includes(canary), canary);
      assert.ok(source.includes('canary'));
    }
  });

  const accepted: readonly (readonly [string, Buffer])[] = [
    ['of 640 by 640 pixels', jpegOf(640, 640)],
    ['of 640 by 1 pixels', jpegOf(640, 1)],
    ['of 153,600 bytes', jpegOf(64, 64, 153_600)],
    ['as progressive JPEG', sample('progressive')],
    ['as lossless WebP', sample('lossless')],
  ];
  test('is accepted up to the limits, as JPEG and WebP', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    for (const [title, content] of accepted) {
      const photo = await uploadWithThumbnail(api, content);
      const stored = readFileSync(join(folder, 'photos', thumbnailPlaceOf(photo)));
      assert.deepEqual(stored, cleaned(content).bytes, title);
    }
  });

  const refused: readonly (readonly [string, readonly Part[], string])[] = [
    ['that is a PNG', [photoPart(), thumbnailPart(sample('png'))], FAULT],
    ['of 641 pixels', [photoPart(), thumbnailPart(jpegOf(641, 8))], FAULT],
    ['of 641 pixels in height', [thumbnailPart(jpegOf(8, 641)), photoPart()], FAULT],
    ['of 153,601 bytes', [photoPart(), thumbnailPart(jpegOf(64, 64, 153_601))], FAULT],
    ['that is truncated', [photoPart(), thumbnailPart(sample('lossy').subarray(0, -9))], FAULT],
    [
      'that is damaged',
      [photoPart(), thumbnailPart(intoJpeg(sample('baseline'), [sample('baseline')]))],
      FAULT,
    ],
    ['that is a drawing', [photoPart(), thumbnailPart(Buffer.from(SVG))], FAULT],
    ['of four bytes', [photoPart(), thumbnailPart(Buffer.from('RIFF'))], FAULT],
    ['that moves', [photoPart(), thumbnailPart(webpFile(webpHeader(2), webpFrame()))], FAULT],
    ['as text', [photoPart(), { name: 'thumbnail', content: 'a thumbnail' }], FAULT],
    ['next to another', [photoPart(), thumbnailPart(), thumbnailPart()], 'thumbnail must be given once'],
    ['without a photo', [thumbnailPart()], 'photo is required'],
    ['and two photos', [photoPart(), thumbnailPart(), photoPart()], 'photo must be given once'],
    [
      'and a file in another field',
      [thumbnailPart(), { ...photoPart(), name: 'file' }],
      'the file must be in the field photo',
    ],
    [
      'next to more than one fault of each part',
      [photoPart(), ...Array.from({ length: 3 }, () => [thumbnailPart(), photoPart(), caption]).flat()],
      'photo must be given once; thumbnail must be given once; caption must be given once',
    ],
    [
      'that is a PNG, with a broken photo',
      [photoPart(sample('png').subarray(0, -9)), thumbnailPart(sample('png'))],
      `photo is truncated; ${FAULT}`,
    ],
    [
      'that is too wide, with faults of the form',
      [photoPart(Buffer.from('no photo at all')), thumbnailPart(jpegOf(641, 8)), caption, caption],
      `${NO_IMAGE}; caption must be given once; ${FAULT}`,
    ],
  ];
  test('is refused with all of its faults and those of the form, and leaves nothing', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    for (const [title, parts, error] of refused) {
      const answer = await sendForm(api, form(...parts));
      assert.deepEqual([answer.status, answer.body], [400, { error }], title);
      assert.deepEqual(storedFiles(folder), [], title);
      assert.deepEqual((await api.get('/restaurants/1/photos')).body, []);
    }
  });

  longTest('takes the photo along when it cannot be put into its place', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    const root = join(folder, 'photos');
    // Names are random: either file of an upload may lead to a folder that is a file.
    for (let prefix = 0; prefix < 256; prefix += 2)
      writeFileSync(join(root, prefix.toString(16).padStart(2, '0')), 'a file in the way');
    const statuses: number[] = [];
    for (let count = 0; count < 30; count += 1)
      statuses.push((await sendForm(api, form(photoPart(), thumbnailPart()))).status);
    assert.ok(statuses.includes(500));
    const photos = array((await api.get('/restaurants/1/photos')).body);
    assert.equal(photos.length, statuses.filter((status) => status === 201).length);
    const placed = storedFiles(folder).filter((place) => place.includes('/'));
    assert.deepEqual(placed, photos.flatMap(placesOf).sort());
  });

  test('is removed with the photo when their restaurant is deleted while they arrive', async (t) => {
    const { api, folder, port } = await startWithRestaurant(t);
    const body = form(photoPart(), thumbnailPart());
    const socket = connect(port, '127.0.0.1');
    const lines = ['Expect: 100-continue', 'Connection: close'];
    socket.write(formHead('/api/restaurants/1/photos', body.length, ...lines));
    // The restaurant was there when the service asked for the body.
    await once(socket, 'data', { signal: AbortSignal.timeout(60_000) });
    await api.delete('/restaurants/1');
    socket.write(body);
    assert.match(await readUntilQuiet(socket, 10_000), /^HTTP\/1\.1 404 /);
    assert.deepEqual(storedFiles(folder), []);
  });
});

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

/** All that is wrong with a data folder. */
const faultsIn = (folder: string): string[] => [...inspectData(folder)].flatMap(({ faults }) => faults);

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
      assert.deepEqual(faultsIn(folder), []);
    });

  for (const path of ['/photos/1', '/restaurants/1'])
    test(`is removed with its photo by a purge: ${path}`, async (t) => {
      const { api, folder } = await uploaded(t);
      const id = changeOf(await api.delete(path));
      assert.equal((await api.post(`/changes/${id}/purge`, {})).status, 204);
      await until(() => storedFiles(folder).length === 0);
    });

  test('that is missing, or has another size, is found by a check', async (t) => {
    const { folder, photo } = await uploaded(t);
    const path = join(folder, 'photos', thumbnailPlaceOf(photo));
    writeFileSync(path, 'short');
    assert.match(faultsIn(folder).join(), /photo 1: the file [0-9a-f]{32}\.webp has 5 bytes instead of 84/);
    rmSync(path);
    assert.match(faultsIn(folder).join(), /photo 1: the file [0-9a-f]{32}\.webp is missing/);
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
