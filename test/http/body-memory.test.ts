import assert from 'node:assert/strict';
import { type Socket, connect } from 'node:net';
import { describe, test } from 'node:test';
import { headerValues } from '../support/client.ts';
import { readScrape, valueOf } from '../support/exposition.ts';
import { rawPost } from '../support/malformed.ts';
import { nextData, parseAnswers, readUntilQuiet, sendRaw } from '../support/raw.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const LONG_SILENCE = 10_000;
const SMALL = { BODY_MEMORY_MB: '1' };
const CROWDED = 'Too many large requests at once. Please try again.';

async function bytesIn({ api }: Service): Promise<number> {
  const { body } = await api.get('/metrics');
  return valueOf(readScrape(String(body)), 'catalogue_request_body_bytes');
}

/** A connection with so many bytes of a body on their way that has `length` bytes in all; they have been counted. */
async function begin(service: Service, bytes: number, length = 2_000_000): Promise<Socket> {
  const before = await bytesIn(service);
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(rawPost(`Content-Length: ${length}\r\n`, ' '.repeat(bytes)));
  await until(async () => (await bytesIn(service)) >= before + bytes);
  return socket;
}

describe('the memory for JSON bodies', () => {
  test('is full with the largest refused first, and small ones go on', async (t) => {
    const service = await startService(t, SMALL);
    const body = '{"name":"Small"}';
    const small = await begin(service, 0, body.length);
    const large = await begin(service, 600_000);
    const medium = await begin(service, 400_000);
    const answered = nextData(large);
    medium.write(' '.repeat(100_000));
    const [answer] = parseAnswers(await answered);
    assert.deepEqual([answer?.status, answer?.body], [503, JSON.stringify({ error: CROWDED })]);
    assert.match(answer?.head ?? '', /^Retry-After: 5$/m);
    small.write(body);
    small.end();
    const made = parseAnswers(await readUntilQuiet(small, LONG_SILENCE));
    assert.deepEqual(
      made.map(({ status }) => status),
      [201],
    );
    assert.equal(await bytesIn(service), 500_000);
    for (const socket of [large, medium]) socket.destroy();
    await until(async () => (await bytesIn(service)) === 0);
  });

  test('is let go of when a client vanishes, and takes as much again', async (t) => {
    const service = await startService(t, SMALL);
    for (let round = 0; round < 5; round += 1) {
      const held = [await begin(service, 500_000), await begin(service, 500_000)];
      for (const socket of held) socket.resetAndDestroy();
      await until(async () => (await bytesIn(service)) === 0);
    }
  });

  test('is let go of once a request is answered, whatever the answer', async (t) => {
    const service = await startService(t);
    const { api } = service;
    for (const [body, status] of [
      ['{"name":"Made"}', 201],
      ['{"name":', 400],
      ['{}', 400],
    ] as const) {
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
      assert.equal((await api.send('/api/categories', init)).status, status);
      assert.equal(await bytesIn(service), 0);
    }
    // More than a login may have.
    const chunk = `20000\r\n${' '.repeat(0x20000)}\r\n0\r\n\r\n`;
    const post = rawPost('Transfer-Encoding: chunked\r\nConnection: close\r\n', chunk);
    const login = post.replace('/api/categories', '/api/auth/login');
    const [refused] = parseAnswers(await sendRaw(service.port, login, LONG_SILENCE));
    assert.equal(refused?.status, 413);
    assert.equal(await bytesIn(service), 0);
  });

  test('refuses one body that is larger than all of it', async (t) => {
    const service = await startService(t, SMALL);
    const headers = { 'Content-Type': 'application/json' };
    const body = ' '.repeat(1024 * 1024 + 1);
    const answer = await service.api.send('/api/categories', { method: 'POST', headers, body });
    assert.deepEqual([answer.status, answer.body], [503, { error: CROWDED }]);
    assert.deepEqual(headerValues(answer, 'retry-after'), ['5']);
    assert.equal(await bytesIn(service), 0);
  });
});
