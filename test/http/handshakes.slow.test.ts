import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { openFrom, parseAnswers, readUntilQuiet, sendRaw } from '../support/raw.ts';
import { openOverTls, startSecureService } from '../support/tls.ts';
import { until } from '../support/until.ts';

// The header of a handshake's first record, which announces 512 bytes.
const GREETING = Buffer.from('1603010200', 'hex');

describe('a service that ends TLS and is ill treated', () => {
  test('outlives junk, plain HTTP and junk names, and serves on', async (t) => {
    const { port, ask } = await startSecureService(t);
    const junk = [
      ...Array.from({ length: 50 }, (_, index) => randomBytes(1 + index * 40)),
      ...Array.from({ length: 50 }, (_, index) => Buffer.concat([GREETING, randomBytes(2 + index * 40)])),
      Buffer.from('GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n'),
    ];
    const answers = await Promise.all(junk.map((bytes) => sendRaw(port, bytes, 100)));
    for (const answer of answers) assert.doesNotMatch(answer, /HTTP\/1/);
    // Some of these names the client itself does not send.
    for (const servername of ['x', '*.example', `${'a'.repeat(250)}.b`, '..', "'; --", 'é'])
      assert.equal(
        (await ask('/health', { servername }).catch(() => ask('/health'))).status,
        200,
        servername,
      );
  });

  test('cuts half handshakes after 10 s, and serves others meanwhile', async (t) => {
    const { port, ask } = await startSecureService(t);
    const started = performance.now();
    const half = await Promise.all(Array.from({ length: 200 }, () => openFrom('127.0.0.1', port)));
    const lives: number[] = [];
    for (const [index, socket] of half.entries()) {
      socket.on('error', () => undefined);
      socket.resume();
      // Some say nothing at all, and some go on drop by drop.
      if (index % 3 > 0) socket.write(GREETING);
      const drops = setInterval(() => {
        if (index % 3 === 2) socket.write(Buffer.from([1]));
      }, 1_000);
      socket.once('close', () => {
        clearInterval(drops);
        lives.push(performance.now() - started);
      });
    }
    for (let asked = 0; asked < 20; asked += 1) assert.equal((await ask('/health')).status, 200);
    await until(() => lives.length === half.length);
    assert.ok(Math.min(...lives) > 9_000, `cut after ${Math.min(...lives)} ms`);
  });

  test('stops in order: what is under way finishes, half handshakes do not hold it up', async (t) => {
    const { port, ask, stop } = await startSecureService(t);
    const half = await openFrom('127.0.0.1', port);
    half.write(GREETING);
    const socket = await openOverTls(port);
    const body = '{"name":"In time"}';
    const head = `POST /api/categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
    await ask('/health');
    half.resume();
    const stopped = stop();
    // At once, while the other one is still under way.
    await until(() => half.closed);
    await assert.rejects(ask('/health'), /ECONNREFUSED/);
    socket.write(body.slice(5));
    const [answer] = parseAnswers(await readUntilQuiet(socket));
    assert.equal(answer?.status, 201);
    assert.match(answer.head, /^connection: close$/im);
    await stopped;
  });
});
