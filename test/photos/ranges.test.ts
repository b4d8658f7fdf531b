import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { headerValues, textOf } from '../support/client.ts';
import { sample } from '../support/images.ts';
import { startWithRestaurant, upload } from '../support/photos.ts';

const whole = sample('baseline');
const size = whole.length;

/** Asks a service of its own for its one photo; the headers may depend on its entity tag. */
async function ask(
  t: TestContext,
  headersFor: (tag: string) => Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly headers: Headers; readonly bytes: Buffer }> {
  const { api, url } = await startWithRestaurant(t);
  const { body } = await upload(api);
  const headers = headersFor(`"${textOf(body, 'filename')}"`);
  const response = await fetch(url + textOf(body, 'url'), { headers });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
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
  for (const [header, start, end] of parts)
    test(`is sent for ${header}`, async (t) => {
      const answer = await ask(t, () => ({ Range: header }));
      assert.equal(answer.status, 206);
      assert.deepEqual(answer.bytes, whole.subarray(start, end));
      assert.deepEqual(headerValues(answer, 'content-range', 'content-length', 'content-type'), [
        `bytes ${start}-${end - 1}/${size}`,
        String(end - start),
        'image/jpeg',
      ]);
    });

  for (const header of [
    ...[
      'bytes=',
      'bytes=-',
      'bytes=2-1',
      'bytes=a-b',
      'bytes=0-1,3-4',
      'bytes 0-1',
      'items=0-1',
      'bytes=0x1-2',
    ],
    ...[
      'bytes=1-2-3',
      'bytes=1.5-2',
      `bytes=${'9'.repeat(400)}-`,
      `bytes=${Array(1_000).fill('0-1').join(',')}`,
    ],
  ])
    test(`is the whole for ${header.slice(0, 40)}`, async (t) => {
      const answer = await ask(t, () => ({ Range: header }));
      assert.deepEqual([answer.status, answer.bytes.length], [200, size]);
    });

  for (const header of [`bytes=${size}-`, 'bytes=999999-9999999', 'bytes=-0'])
    test(`is refused with 416 for ${header}`, async (t) => {
      const answer = await ask(t, () => ({ Range: header }));
      assert.deepEqual(
        [answer.status, JSON.parse(answer.bytes.toString())],
        [416, { error: 'Range is outside of the file' }],
      );
      assert.equal(answer.headers.get('content-range'), `bytes */${size}`);
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    });

  const conditions: readonly (readonly [string, (tag: string) => string, number])[] = [
    ['its entity tag', (tag) => tag, 206],
    ['its entity tag as a weak one', (tag) => `W/${tag}`, 200],
    ['another entity tag', () => '"other"', 200],
    ['a date', () => 'Sat, 21 Nov 2026 08:00:00 GMT', 200],
  ];
  for (const [title, condition, status] of conditions)
    test(`is answered with ${status} under If-Range with ${title}`, async (t) => {
      const answer = await ask(t, (tag) => ({ Range: 'bytes=0-1', 'If-Range': condition(tag) }));
      assert.equal(answer.status, status);
    });
});
