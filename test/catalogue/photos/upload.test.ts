import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { field, record, textOf } from '../../support/client.ts';
import { CANARIES, phonePhoto } from '../../support/image-metadata.ts';
import { cleaned, intoJpeg, sample } from '../../support/images.ts';
import {
  type Part,
  FORM_TYPE,
  form,
  photoPart,
  placeOf,
  sendForm,
  startWithRestaurant,
  storedFiles,
  upload,
} from '../../support/photos.ts';

const caption: Part = { name: 'caption', content: 'Menu du jour' };
const NO_IMAGE = 'photo must be a JPEG, PNG or WebP image';

describe('an upload of a photo', () => {
  test('is answered with the record, and the same record as photo', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    const answer = await sendForm(api, form(photoPart(), caption));
    assert.equal(answer.status, 201);
    const { photo, ...own } = record(answer.body);
    assert.deepEqual(photo, own);
    const { filename, url, created_at, updated_at, ...rest } = own;
    assert.deepEqual(rest, {
      id: 1,
      restaurant_id: 1,
      original_filename: 'menu.jpg',
      caption: 'Menu du jour',
      file_size: sample('baseline').length,
      mime_type: 'image/jpeg',
      width: 16,
      height: 8,
      thumbnail_url: null,
      author: null,
    });
    assert.match(String(filename), /^[0-9a-f]{32}\.jpg$/);
    assert.equal(url, `/api/uploads/menu_photos/${String(filename)}`);
    assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(updated_at, created_at);
    assert.equal(answer.headers.get('location'), '/api/photos/1');
    assert.deepEqual(storedFiles(folder), [placeOf(own)]);
    assert.equal(statSync(join(folder, 'photos', placeOf(own))).mode & 0o777, 0o600);
  });

  for (const [name, type, extension] of [
    ['progressive', 'image/jpeg', 'jpg'],
    ['png', 'image/png', 'png'],
    ['lossy', 'image/webp', 'webp'],
    ['lossless', 'image/webp', 'webp'],
  ] as const)
    test(`is recognised by its bytes, whatever the client calls it: ${name}`, async (t) => {
      const { api } = await startWithRestaurant(t);
      const part = { name: 'photo', filename: 'x.html', type: 'text/html', content: sample(name) };
      const { body } = await sendForm(api, form(part));
      assert.deepEqual([field(body, 'mime_type'), field(body, 'original_filename')], [type, 'x.html']);
      assert.equal(textOf(body, 'filename').split('.')[1], extension);
    });

  test('has an empty caption where none, or a blank one, is sent', async (t) => {
    const { api } = await startWithRestaurant(t);
    for (const more of [[], [{ name: 'caption', content: '' }], [{ name: 'caption', content: ' <b></b>\n' }]])
      assert.equal(field((await sendForm(api, form(photoPart(), ...more))).body, 'caption'), '');
  });

  test('may have its caption first, other fields around it, and a caption of 255 characters', async (t) => {
    const { api } = await startWithRestaurant(t);
    const long = { name: 'caption', content: `<i>${'🍕'.repeat(255)}</i>` };
    const other = { name: 'csrf', content: 'x'.repeat(1_000) };
    const answer = await sendForm(api, form(other, long, photoPart(), other));
    assert.deepEqual([answer.status, field(answer.body, 'caption')], [201, '🍕'.repeat(255)]);
  });

  test('of a phone camera is upright and says nothing of who took it', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    const photo = phonePhoto(3 * 1024 * 1024, 6);
    const { body } = await upload(api, photo);
    assert.deepEqual([field(body, 'width'), field(body, 'height')], [8, 16]);
    const stored = readFileSync(join(folder, 'photos', placeOf(body)));
    assert.deepEqual(stored, cleaned(photo).bytes);
    assert.equal(field(body, 'file_size'), stored.length);
    for (const canary of CANARIES) assert.ok(photo.includes(canary) && !stored.includes(canary), canary);
  });

  test('is stored by the same name and size for each of many at once', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    const answers = await Promise.all(Array.from({ length: 30 }, () => upload(api)));
    assert.deepEqual(storedFiles(folder), answers.map(({ body }) => placeOf(body)).sort());
  });

  const names: readonly (readonly [string, string, string | null])[] = [
    ['in Japanese', 'メニュー.jpg', 'メニュー.jpg'],
    ['with an emoji', '🍕 menu.jpg', '🍕 menu.jpg'],
    ['with a path of Unix', '../../etc/passwd', 'passwd'],
    ['with a path of Windows', 'C:\\\\photos\\\\menu.jpg', 'menu.jpg'],
    ['with markup', '<img src=x onerror=alert(1)>menu.jpg', 'menu.jpg'],
    ['of 300 characters', `${'ñ'.repeat(300)}.jpg`, 'ñ'.repeat(255)],
    ['of blanks', '   ', null],
  ];
  test('keeps a file name as text alone', async (t) => {
    const { api } = await startWithRestaurant(t);
    for (const [title, filename, expected] of names) {
      const { status, body } = await sendForm(api, form({ ...photoPart(), filename }));
      assert.deepEqual([status, field(body, 'original_filename')], [201, expected], title);
    }
  });

  test('takes a file name in the extended form, and none at all', async (t) => {
    const { api } = await startWithRestaurant(t);
    const boundary = FORM_TYPE.split('=')[1] ?? '';
    const send = (line: string): ReturnType<typeof sendForm> =>
      sendForm(
        api,
        Buffer.concat([
          Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="photo"${line}\r\n\r\n`),
          sample('png'),
          Buffer.from(`\r\n--${boundary}--\r\n`),
        ]),
      );
    const extended = await send("; filename*=UTF-8''%e2%82%ac.png");
    assert.equal(field(extended.body, 'original_filename'), '€.png');
    const none = await send('\r\nContent-Type: application/octet-stream');
    assert.deepEqual([none.status, field(none.body, 'original_filename')], [201, null]);
  });

  const texts: readonly (readonly [string, string | undefined, string | Buffer, string | undefined])[] = [
    ['the replacement character', undefined, 'a \ufffd b', 'a \ufffd b'],
    ['of a stated charset', 'UTF-8', 'é \ufffd', 'é \ufffd'],
    ['in Latin 1, as stated', 'iso-8859-1', Buffer.from('caf\xe9', 'latin1'), 'café'],
    ['not UTF-8, as stated', 'utf-8', Buffer.from('caf\xe9', 'latin1'), undefined],
    [
      'half of a character, next to a replacement character',
      undefined,
      Buffer.from('\ufffd \ufffd').subarray(0, -1),
      undefined,
    ],
    ['of an unknown charset', 'klingon', 'caption', undefined],
  ];
  test('takes the characters of a caption as they were sent', async (t) => {
    const { api } = await startWithRestaurant(t);
    for (const [title, charset, content, expected] of texts) {
      const type = charset === undefined ? {} : { type: `text/plain; charset=${charset}` };
      const { status, body } = await sendForm(api, form({ name: 'caption', content, ...type }, photoPart()));
      if (expected === undefined)
        assert.deepEqual([status, body], [400, { error: 'caption is not valid UTF-8' }], title);
      else assert.deepEqual([status, field(body, 'caption')], [201, expected], title);
    }
  });

  const refused: readonly (readonly [string, readonly Part[], string])[] = [
    ['nothing in the form', [], 'photo is required'],
    ['a caption alone', [caption], 'photo is required'],
    ['an empty file', [photoPart(Buffer.alloc(0))], 'photo is required'],
    [
      'no file chosen, as browsers send it',
      [{ name: 'photo', filename: '', type: 'application/octet-stream', content: '' }],
      'photo is required',
    ],
    ['two photos', [photoPart(), photoPart()], 'photo must be given once'],
    ['a photo as text', [{ name: 'photo', content: 'a photo' }], 'photo must be a file'],
    ['a file in another field', [{ ...photoPart(), name: 'file' }], 'the file must be in the field photo'],
    ['a file without a field', [{ filename: 'a', content: 'b' }], 'the file must be in the field photo'],
    ['a page', [photoPart(Buffer.from('<!doctype html><script>alert(1)</script>'))], NO_IMAGE],
    ['four bytes', [photoPart(Buffer.from('GIF8'))], NO_IMAGE],
    ['a GIF', [photoPart(Buffer.from('R0lGODlhAQABAAAAACw=', 'base64'))], NO_IMAGE],
    ['a part of a photo', [photoPart(sample('png').subarray(0, -9))], 'photo is truncated'],
    ['a broken photo', [photoPart(intoJpeg(sample('baseline'), [sample('baseline')]))], 'photo is damaged'],
    ['two captions', [photoPart(), caption, caption], 'caption must be given once'],
    ['two captions alone', [caption, caption], 'photo is required; caption must be given once'],
    [
      'a caption of 256 characters',
      [photoPart(), { name: 'caption', content: 'é'.repeat(256) }],
      'caption must be at most 255 characters',
    ],
    [
      'a caption of 100,000 bytes',
      [photoPart(), { name: 'caption', content: 'x'.repeat(100_000) }],
      'caption is too long; caption must be at most 255 characters',
    ],
    [
      'several faults',
      [photoPart(Buffer.from('no photo at all')), { name: 'caption', content: 'x'.repeat(300) }],
      `${NO_IMAGE}; caption must be at most 255 characters`,
    ],
  ];
  test('is refused with all of its faults, and leaves nothing', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    for (const [title, parts, error] of refused) {
      const answer = await sendForm(api, form(...parts));
      assert.deepEqual([answer.status, answer.body], [400, { error }], title);
      assert.deepEqual(storedFiles(folder), [], title);
      assert.deepEqual((await api.get('/restaurants/1/photos')).body, [], title);
    }
  });

  test('is 404 for a restaurant that is not there, and 400 for an id that is none', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    const missing = await sendForm(api, form(photoPart()), FORM_TYPE, '/api/restaurants/2/photos');
    assert.deepEqual([missing.status, missing.body], [404, { error: 'Restaurant not found' }]);
    const wrong = await sendForm(api, form(photoPart()), FORM_TYPE, '/api/restaurants/x/photos');
    assert.deepEqual([wrong.status, wrong.body], [400, { error: 'Invalid restaurant ID' }]);
    assert.deepEqual(storedFiles(folder), []);
  });
});
