import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { type BytesAnswer, askBytes } from '../support/bytes.ts';
import { textOf } from '../support/client.ts';
import { sample } from '../support/images.ts';
import { startWithRestaurant, upload } from '../support/photos.ts';

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
    ...['bytes=', 'bytes=-', 'bytes=2-1', 'bytes=a-b', 'bytes=0-1,3-4', 'bytes 0-1', 'items=0-1'],
    ...['bytes=0x1-2', 'bytes=1-2-3', 'bytes=1.5-2', `bytes=${'9'.repeat(400)}-`],
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
