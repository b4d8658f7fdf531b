import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ids } from '../../support/client.ts';
import { sample } from '../../support/images.ts';
import {
  type Part,
  FORM_TYPE,
  form,
  formHead,
  photoPart,
  sendForm,
  startWithRestaurant,
  storedFiles,
  upload,
} from '../../support/photos.ts';
import {
  NO_PROC,
  leaveAnywhere,
  openFilesOf,
  parseAnswers,
  sendInvited,
  sendRaw,
} from '../../support/raw.ts';
import type { Service } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { until } from '../../support/until.ts';

const boundary = FORM_TYPE.split('boundary=')[1] ?? '';
const whole = form(photoPart());
const unended = whole.subarray(0, -20);
const header = 'Content-Disposition: form-data; name="photo"; filename="a.jpg"\r\n';
const brokenPart = Buffer.from(`--${boundary}\r\nA\x02: b\r\n\r\nx\r\n`);
const PATH = '/api/restaurants/1/photos';
const MB = 1024 * 1024;

const malformed: readonly (readonly [string, string | Buffer])[] = [
  ['nothing', ''],
  ['no boundary at all', 'photo=a'],
  ['the first boundary alone', `--${boundary}\r\n`],
  ['half a boundary', `--${boundary.slice(0, 10)}`],
  ['a part without its header', `--${boundary}\r\n\r\n`],
  ['half a header', `--${boundary}\r\nContent-Dispos`],
  ['a header and nothing behind it', `--${boundary}\r\n${header}`],
  ['a header with a blank name', `--${boundary}\r\n: x\r\n\r\nx\r\n--${boundary}--`],
  ['a header with a NUL', `--${boundary}\r\n\0${header}\r\nx\r\n--${boundary}--`],
  ['a broken header before the photo, and no end', Buffer.concat([brokenPart, unended])],
  ['no boundary behind the photo', whole.subarray(0, -boundary.length - 8)],
  ['half of the last boundary', unended],
  ['no dashes behind the last boundary', whole.subarray(0, -4)],
  ['another boundary at the end', Buffer.concat([whole.subarray(0, -8), Buffer.from('other--\r\n')])],
  ['a header of 100 KB', `--${boundary}\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
];

const partsOf = (count: number, part: Part): Part[] => Array.from({ length: count }, () => part);
const field = { name: 'other', content: '' };
const TOO_MANY = 'Form must have at most 20 fields';
const others: readonly (readonly [string, Buffer, string])[] = [
  ['the end alone', Buffer.from(`--${boundary}--\r\n`), 'photo is required'],
  ['21 fields', form(photoPart(), ...partsOf(20, field)), TOO_MANY],
  ['1,000 photos', form(...partsOf(1_000, photoPart())), TOO_MANY],
  [
    'a nested form',
    form({ ...photoPart(whole), type: FORM_TYPE }),
    'photo must be a JPEG, PNG or WebP image',
  ],
];
const bodies = [
  ...malformed.map(([title, body]) => [title, Buffer.from(body), 'Malformed multipart body'] as const),
  ...others,
];

const NO_FORM = [415, 'Content-Type must be multipart/form-data'] as const;
const NO_BOUNDARY = [400, 'Content-Type must name the boundary of the form'] as const;
const types = [
  ['', ...NO_FORM],
  ['image/jpeg', ...NO_FORM],
  ['application/json', ...NO_FORM],
  ['multipart/mixed; boundary=x', ...NO_FORM],
  ['multipart/form-data', ...NO_BOUNDARY],
  ['multipart/form-data; boundary', ...NO_BOUNDARY],
  ['multipart/form-data; boundary=', ...NO_BOUNDARY],
  ['multipart/form-data; charset=utf-8', ...NO_BOUNDARY],
] as const;

/** Asserts that nothing was left behind and that an upload still works. */
async function assertUnharmed({ api, folder }: Service): Promise<void> {
  assert.deepEqual(storedFiles(folder), []);
  assert.equal((await upload(api)).status, 201);
  assert.deepEqual(ids((await api.get('/restaurants/1/photos')).body), [1]);
}

const head = (length: number, ...lines: readonly string[]): string => formHead(PATH, length, ...lines);

describe('a form with a photo', () => {
  test('is refused when it is malformed, and leaves nothing', async (t) => {
    const service = await startWithRestaurant(t);
    for (const [title, body, error] of bodies) {
      const answer = await sendForm(service.api, body);
      assert.deepEqual([answer.status, answer.body], [400, { error }], title);
      assert.deepEqual(storedFiles(service.folder), [], title);
    }
    await assertUnharmed(service);
  });

  test('is refused under another media type, without a boundary or compressed', async (t) => {
    const service = await startWithRestaurant(t);
    const { api } = service;
    for (const [type, status, error] of types) {
      const answer = await sendForm(api, whole, type);
      assert.deepEqual([answer.status, answer.body], [status, { error }], type);
    }
    const headers = { 'Content-Type': FORM_TYPE, 'Content-Encoding': 'gzip' };
    const answer = await api.send(PATH, { method: 'POST', headers, body: new Uint8Array(whole) });
    assert.deepEqual([answer.status, answer.body], [415, { error: 'Content-Encoding is not supported' }]);
    await assertUnharmed(service);
  });

  test('may have text around it, and its boundary in quotes', async (t) => {
    const { api } = await startWithRestaurant(t);
    const around = Buffer.concat([Buffer.from('preamble\r\n'), whole, Buffer.from('epilogue')]);
    const type = `Multipart/Form-Data; charset=utf-8; boundary="${boundary}"`;
    assert.equal((await sendForm(api, around, type)).status, 201);
  });

  test('may have 20 fields', async (t) => {
    const { api } = await startWithRestaurant(t);
    assert.equal((await sendForm(api, form(...partsOf(19, field), photoPart()))).status, 201);
  });

  test('does not wait for the end of a part that begins behind the end of the form', async (t) => {
    const service = await startWithRestaurant(t);
    const open = form({ name: 'a', content: '' }, photoPart()).subarray(0, -boundary.length - 8);
    assert.equal((await sendForm(service.api, Buffer.concat([form(), open]))).status, 201);
    assert.equal(storedFiles(service.folder).length, 1);
  });

  longTest('is refused with 413 over 10 MB, before it is sent or while it arrives', async (t) => {
    const service = await startWithRestaurant(t);
    const error = 'Request body is larger than 10 MB';
    const [early, ...more] = parseAnswers(await sendRaw(service.port, head(10 * MB + 1)));
    assert.deepEqual([early?.status, early?.body, more], [413, JSON.stringify({ error }), []]);
    const large = form(photoPart(Buffer.concat([sample('baseline'), Buffer.alloc(10 * MB)])));
    const body = new Blob([new Uint8Array(large)]).stream();
    const headers = { 'Content-Type': FORM_TYPE };
    const chunked = await service.api.send(PATH, { method: 'POST', headers, body, duplex: 'half' });
    assert.deepEqual([chunked.status, chunked.body], [413, { error }]);
    await assertUnharmed(service);
  });

  longTest('is taken when its whole body is 10 MB', async (t) => {
    const { api } = await startWithRestaurant(t);
    const photo = Buffer.concat([sample('baseline'), Buffer.alloc(10 * MB - whole.length)]);
    const body = form(photoPart(photo));
    assert.equal(body.length, 10 * MB);
    assert.equal((await sendForm(api, body)).status, 201);
  });

  test('is asked for with 100 Continue once nothing speaks against it', async (t) => {
    const { port } = await startWithRestaurant(t);
    const invited = head(whole.length, 'Expect: 100-continue', 'Connection: close');
    assert.match(await sendInvited(port, invited, whole), /^HTTP\/1\.1 201 /);
    for (const [path, status] of [
      ['/api/restaurants/2/photos', 404],
      ['/api/restaurants/x/photos', 400],
    ] as const) {
      const text = await sendRaw(port, head(whole.length, 'Expect: 100-continue').replace(PATH, path));
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  });

  test('that is refused leaves the connection for the next request', async (t) => {
    const { port } = await startWithRestaurant(t);
    const wrong = form(photoPart(Buffer.alloc(MB)));
    const next = 'GET /api/restaurants/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const both = Buffer.concat([Buffer.from(head(wrong.length)), wrong, Buffer.from(next)]);
    const statuses = parseAnswers(await sendRaw(port, both)).map(({ status }) => status);
    assert.deepEqual(statuses, [400, 200]);
  });

  test('leaves nothing wherever its client goes away', { skip: NO_PROC }, async (t) => {
    const service = await startWithRestaurant(t);
    await sendForm(service.api, Buffer.alloc(0));
    const request = Buffer.concat([Buffer.from(head(whole.length)), whole]);
    const before = openFilesOf(process.pid);
    await leaveAnywhere(service.port, request, request.length - 1);
    // What the service has not noticed yet it notices within moments.
    await until(() => storedFiles(service.folder).length === 0 && openFilesOf(process.pid) <= before);
    await assertUnharmed(service);
    const failures = service.logs.filter((line) => JSON.stringify(line).includes('unexpected failure'));
    assert.deepEqual(failures, []);
  });
});
