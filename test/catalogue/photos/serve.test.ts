import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { type BytesAnswer, askBytes } from '../../support/bytes.ts';
import { type Client, headerValues, textOf } from '../../support/client.ts';
import { type SampleName, intoJpeg, jpegSegment, sample } from '../../support/images.ts';
import { placeOf, startWithRestaurant, upload } from '../../support/photos.ts';
import type { Service } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const MISSING = { error: 'Photo not found' };

interface Served {
  readonly service: Service;
  readonly api: Client;
  readonly url: string;
  readonly filename: string;
  /** The path of its file. */
  readonly path: string;
}

async function serve(t: TestContext, name: SampleName = 'baseline'): Promise<Served> {
  const service = await startWithRestaurant(t);
  const { body } = await upload(service.api, sample(name));
  const path = join(service.folder, 'photos', placeOf(body));
  return { service, api: service.api, url: textOf(body, 'url'), filename: textOf(body, 'filename'), path };
}

/** A photo of six megabytes with nothing in it that an upload takes out. */
function largePhoto(): Buffer {
  const profile = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01'), randomBytes(60_000)]);
  return intoJpeg(sample('baseline'), Array(100).fill(jpegSegment(0xe2, profile)));
}

describe('a photo', () => {
  for (const [name, type] of [
    ['baseline', 'image/jpeg'],
    ['png', 'image/png'],
    ['lossy', 'image/webp'],
  ] as const)
    test(`is served with its true type and for good: ${type}`, async (t) => {
      const { service, url, filename } = await serve(t, name);
      const answer = await askBytes(service.url + url);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, sample(name));
      const expected = {
        'content-type': type,
        'content-length': String(sample(name).length),
        'content-disposition': `inline; filename="${filename}"`,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=31536000, immutable',
        'accept-ranges': 'bytes',
        etag: `"${filename}"`,
      };
      for (const [header, value] of Object.entries(expected)) assert.equal(answer.headers[header], value);
    });

  test('is described by HEAD without its bytes', async (t) => {
    const { api, url } = await serve(t);
    const answer = await api.send(url, { method: 'HEAD', headers: { Range: 'bytes=0-1' } });
    assert.deepEqual([answer.status, answer.body], [200, '']);
    assert.equal(answer.headers.get('content-length'), String(sample('baseline').length));
  });

  test('is not sent again to who has it', async (t) => {
    const { api, url, filename } = await serve(t);
    const tag = `"${filename}"`;
    for (const named of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await api.send(url, { headers: { 'If-None-Match': named, Range: 'bytes=0-1' } });
      assert.deepEqual([answer.status, answer.body], [304, ''], named);
      assert.deepEqual(headerValues(answer, 'etag', 'content-type', 'content-range'), [tag, null, null]);
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    }
    for (const named of ['"other"', filename, ''])
      assert.equal((await api.send(url, { headers: { 'If-None-Match': named } })).status, 200, named);
  });

  longTest('of several megabytes comes whole, and leaves the connection open', async (t) => {
    const { api, url } = await startWithRestaurant(t);
    const large = largePhoto();
    const address = url + textOf((await upload(api, large)).body, 'url');
    const answers = await Promise.all([1, 2, 3, 4].map(async () => (await fetch(address)).arrayBuffer()));
    for (const answer of answers) assert.ok(Buffer.from(answer).equals(large));
  });

  longTest('is served though a client before left in the middle', async (t) => {
    const { api, url, port } = await startWithRestaurant(t);
    const large = largePhoto();
    const path = textOf((await upload(api, large)).body, 'url');
    for (let count = 0; count < 5; count += 1) {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await once(socket, 'data', { signal: AbortSignal.timeout(60_000) });
      socket.destroy();
    }
    assert.equal((await (await fetch(url + path)).arrayBuffer()).byteLength, large.length);
  });
});

describe('an address of photos', () => {
  test('follows no link that was put in the place of a file', async (t) => {
    const { service, api, url, path } = await serve(t);
    const secret = join(service.folder, 'secret.jpg');
    renameSync(path, secret);
    symlinkSync(secret, path);
    const answer = await api.send(url, {});
    assert.deepEqual([answer.status, answer.body], [404, MISSING]);
  });

  test('serves no file that has no row, and is 404 when a row has no file', async (t) => {
    const { service, api, url, path } = await serve(t);
    const stranger = `ab${'0'.repeat(30)}.jpg`;
    const folder = join(service.folder, 'photos', 'ab');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, stranger), 'x');
    assert.equal((await api.send(`/api/uploads/menu_photos/${stranger}`, {})).status, 404);
    rmSync(path);
    const answer = await api.send(url, {});
    assert.deepEqual([answer.status, answer.body], [404, MISSING]);
    assert.equal((await service.api.get('/restaurants/1/photos')).status, 200);
  });

  test('takes no other method', async (t) => {
    const { api, url } = await serve(t);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      assert.equal((await api.send(url, { method })).status, 405, method);
    assert.equal((await api.send(url, { method: 'OPTIONS' })).headers.get('allow'), 'GET, HEAD, OPTIONS');
  });
});

const whole = sample('baseline');
const size = whole.length;

interface Uploaded {
  readonly tag: string;
  readonly ask: (headers: Readonly<Record<string, string>>) => Promise<BytesAnswer>;
}

/** A service with one photo. */
async function uploaded(t: TestContext): Promise<Uploaded> {
  const { api, url } = await startWithRestaurant(t);
  const { body } = await upload(api);
  const ask: Uploaded['ask'] = (headers) => askBytes(url + textOf(body, 'url'), headers);
  return { tag: `"${textOf(body, 'filename')}"`, ask };
}

describe('a range of a photo', () => {
  const parts: readonly (readonly [string, number, number])[] = [
    ['bytes=0-0', 0, 1],
    ['bytes=0-99', 0, 100],
    ['bytes=100-', 100, size],
    ['bytes=-7', size - 7, size],
    [`bytes=-${size}`, 0, size],
    ['bytes=-999999', 0, size],
    ['bytes=5-999999999999999', 5, size],
    [`bytes=${size - 1}-`, size - 1, size],
    ['Bytes=1-2', 1, 3],
  ];
  test('is sent as it is asked for', async (t) => {
    const { ask } = await uploaded(t);
    for (const [header, start, end] of parts) {
      const answer = await ask({ Range: header });
      assert.deepEqual([answer.status, answer.body], [206, whole.subarray(start, end)], header);
      assert.equal(answer.headers['content-range'], `bytes ${start}-${end - 1}/${size}`);
      assert.equal(answer.headers['content-length'], String(end - start));
      assert.equal(answer.headers['content-type'], 'image/jpeg');
    }
  });

  const ignored = [
    'bytes=',
    'bytes=-',
    'bytes=2-1',
    'bytes=a-b',
    'bytes=0-1,3-4',
    'bytes 0-1',
    'items=0-1',
    'bytes=0x1-2',
    'bytes=1-2-3',
    'bytes=1.5-2',
    `bytes=${'9'.repeat(400)}-`,
    `bytes=${'0-1,'.repeat(1_000)}0-1`,
  ];
  test('is the whole where it is several ranges or none', async (t) => {
    const { ask } = await uploaded(t);
    for (const header of ignored) {
      const answer = await ask({ Range: header });
      assert.deepEqual([answer.status, answer.body], [200, whole], header.slice(0, 40));
    }
  });

  test('is refused with 416 behind the end', async (t) => {
    const { ask } = await uploaded(t);
    for (const header of [`bytes=${size}-`, 'bytes=999999-9999999', 'bytes=-0']) {
      const answer = await ask({ Range: header });
      const error = '{"error":"Range is outside of the file"}';
      assert.deepEqual([answer.status, answer.body.toString()], [416, error], header);
      assert.equal(answer.headers['content-range'], `bytes */${size}`);
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    }
  });

  const conditions: readonly (readonly [string, (tag: string) => string, number])[] = [
    ['its entity tag', (tag) => tag, 206],
    ['its entity tag as a weak one', (tag) => `W/${tag}`, 200],
    ['another entity tag', () => '"other"', 200],
    ['a date', () => 'Sat, 21 Nov 2026 08:00:00 GMT', 200],
  ];
  test('is the whole under If-Range unless that is the entity tag', async (t) => {
    const { ask, tag } = await uploaded(t);
    for (const [title, condition, status] of conditions) {
      const answer = await ask({ Range: 'bytes=0-1', 'If-Range': condition(tag) });
      assert.equal(answer.status, status, title);
    }
  });
});
