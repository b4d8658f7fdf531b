import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { type Answer, type Client, headerValues, textOf } from '../support/client.ts';
import { jpegSegment, intoJpeg, sample, type SampleName } from '../support/images.ts';
import { placeOf, startWithRestaurant, upload } from '../support/photos.ts';
import { parseAnswers, sendRaw } from '../support/raw.ts';
import type { Service } from '../support/service.ts';

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

/** The bytes of an answer, in the way of Latin 1. */
async function getBytes(
  { service, url }: Served,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly bytes: Buffer }> {
  const response = await fetch(service.url + url, { headers });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
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
      const served = await serve(t, name);
      const answer = await getBytes(served);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.bytes, sample(name));
      const expected = {
        'content-type': type,
        'content-length': String(sample(name).length),
        'content-disposition': `inline; filename="${served.filename}"`,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=31536000, immutable',
        'accept-ranges': 'bytes',
        etag: `"${served.filename}"`,
      };
      assert.deepEqual(headerValues(answer, ...Object.keys(expected)), Object.values(expected));
    });

  test('is described by HEAD without its bytes', async (t) => {
    const served = await serve(t);
    const answer = await served.api.send(served.url, { method: 'HEAD', headers: { Range: 'bytes=0-1' } });
    assert.deepEqual([answer.status, answer.body], [200, '']);
    assert.equal(answer.headers.get('content-length'), String(sample('baseline').length));
  });

  test('is not sent again to who has it', async (t) => {
    const served = await serve(t);
    const tag = `"${served.filename}"`;
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await getBytes(served, { 'If-None-Match': header, Range: 'bytes=0-1' });
      assert.deepEqual([answer.status, answer.bytes.length], [304, 0], header);
      assert.deepEqual(headerValues(answer, 'etag', 'content-type', 'content-range'), [tag, null, null]);
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    }
    for (const header of ['"other"', served.filename, ''])
      assert.equal((await getBytes(served, { 'If-None-Match': header })).status, 200, header);
  });

  test('of several megabytes comes whole, and leaves the connection open', async (t) => {
    const { api, url } = await startWithRestaurant(t);
    const large = largePhoto();
    const address = url + textOf((await upload(api, large)).body, 'url');
    const answers = await Promise.all([1, 2, 3, 4].map(async () => (await fetch(address)).arrayBuffer()));
    for (const answer of answers) assert.ok(Buffer.from(answer).equals(large));
  });

  test('is served though a client before left in the middle', async (t) => {
    const { api, url, port } = await startWithRestaurant(t);
    const large = largePhoto();
    const path = textOf((await upload(api, large)).body, 'url');
    for (let count = 0; count < 5; count += 1)
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () =>
          socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`),
        );
        socket.once('data', () => socket.destroy());
        socket.once('close', () => {
          resolve();
        });
      });
    assert.equal((await (await fetch(url + path)).arrayBuffer()).byteLength, large.length);
  });
});

describe('an address of photos', () => {
  const foreign: readonly string[] = [
    ...[
      '',
      'x',
      'x.jpg',
      '.',
      '..',
      '%2e%2e',
      '..%2f..%2fcatalogue.db',
      '..%5c..%5ccatalogue.db',
      'arriving',
    ],
    ...['%2fetc%2fpasswd', `${'0'.repeat(32)}.jpg`, `${'A'.repeat(32)}.jpg`, `${'0'.repeat(32)}.gif`],
    ...[`${'0'.repeat(32)}.jpg%0a`, '0'.repeat(32), `00/${'0'.repeat(32)}.jpg`, 'a'.repeat(5_000)],
  ];
  test('that is none of a photo is 404 or 400, and says nothing', async (t) => {
    const { service } = await serve(t);
    for (const name of foreign) {
      const text = await sendRaw(
        service.port,
        `GET /api/uploads/menu_photos/${name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      const [answer] = parseAnswers(text);
      assert.match(`${answer?.status} ${answer?.body}`, /^(404|400) \{"error":"[A-Z][\w ]+"\}$/, name);
    }
    for (const path of ['/api/uploads', '/api/uploads/menu_photos', '/api/uploads/other/x.jpg'])
      assert.equal((await service.api.send(path, {})).status, 404);
  });

  test('follows no link that was put in the place of a file', async (t) => {
    const { service, api, url, path } = await serve(t);
    const secret = join(service.folder, 'secret.jpg');
    renameSync(path, secret);
    symlinkSync(secret, path);
    const answer: Answer = await api.send(url, {});
    assert.deepEqual([answer.status, answer.body], [404, MISSING]);
  });

  test('serves no file that has no row, and is 404 when a row has no file', async (t) => {
    const { service, api, url, path } = await serve(t);
    const stranger = `ab${'0'.repeat(30)}.jpg`;
    writeFileSync(path.replace(/[^/]+$/, stranger), 'x');
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
