import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAnswerReader } from './answers.ts';

const ANSWERS: readonly (readonly [string, string, readonly number[]])[] = [
  ['a body of known length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', [200]],
  ['an empty body', 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', [404]],
  ['no body by its status', 'HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n', [204]],
  ['not modified, with a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 50\r\n\r\n', [304]],
  [
    'chunks',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA\r\n\r\n\r\n345678\r\n0\r\n\r\n',
    [200],
  ],
  [
    'chunks and trailers',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nA: b\r\n\r\n',
    [200],
  ],
  [
    'a body that looks like an answer',
    'HTTP/1.1 201 Created\r\ncontent-length: 38\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n',
    [201],
  ],
  [
    'two in a row',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nc',
    [200, 201],
  ],
];

/** The statuses that the reader reports when the text arrives in pieces of at most `size` bytes. */
function read(text: string, size: number): number[] {
  const told: number[] = [];
  const take = createAnswerReader((status) => told.push(status));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
  return told;
}

describe('answers off a connection', () => {
  for (const [title, text, statuses] of ANSWERS)
    test(`are counted once, at their end, however they arrive: ${title}`, () => {
      for (const size of [1, 2, 3, 7, 1_000])
        assert.deepEqual(read(text, size), statuses, `pieces of ${size}`);
      assert.deepEqual(read(text.slice(0, -1), 1_000), statuses.slice(0, -1), 'without the last byte');
    });

  test('show whether the connection ends after them', () => {
    const told: boolean[] = [];
    const take = createAnswerReader((_, closes) => told.push(closes));
    const [open, last] = ['', 'Connection: close\r\n'].map(
      (more) => `HTTP/1.1 200 OK\r\n${more}Content-Length: 0\r\n\r\n`,
    );
    take(Buffer.from(`${open ?? ''}${last ?? ''}${open ?? ''}`));
    assert.deepEqual(told, [false, true, false]);
  });

  test('are refused when nothing marks their end', () => {
    assert.throws(() => read('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello', 1_000), /without an end/);
    assert.throws(
      () => read('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nwhat\r\n', 1_000),
      /no size of a chunk: what/,
    );
  });
});
