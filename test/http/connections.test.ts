import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { LINGER_LIMITS } from '../../src/http/connections.ts';
import { array, field, textOf } from '../support/client.ts';
import { phonePhoto } from '../support/image-metadata.ts';
import { rawGet, rawPost } from '../support/malformed.ts';
import { LOCAL } from '../support/people.ts';
import { upload } from '../support/photos.ts';
import { nextData, openFrom, parseAnswers, readUntilQuiet } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { openOverTls, startSecureService } from '../support/tls.ts';
import { until } from '../support/until.ts';

describe('connections', () => {
  test('of one address are capped; the one too many is refused, and other addresses are served', async (t) => {
    const { api, port } = await startService(t, {
      TRUSTED_PROXIES: 'none',
      MAX_CONNECTIONS_PER_ADDRESS: '3',
    });
    const held = await Promise.all([1, 2, 3].map(() => openFrom('127.0.0.2', port)));
    for (const socket of held) {
      socket.write(rawGet('/health'));
      assert.match(await nextData(socket), /^HTTP\/1\.1 200 /);
    }
    const [refused] = parseAnswers(await readUntilQuiet(await openFrom('127.0.0.2', port)));
    assert.deepEqual(
      [refused?.status, refused?.body],
      [503, '{"error":"Too many connections from this address"}'],
    );
    assert.equal((await api.get('/health')).status, 200);
    for (const socket of held) socket.destroy();
    // A busy server hears of their end a little later.
    await until(async () => {
      const again = await openFrom('127.0.0.2', port);
      again.write(rawGet('/health', 'Host: x\r\nConnection: close\r\n'));
      return parseAnswers(await readUntilQuiet(again))[0]?.status === 200;
    });
  });

  test('of a trusted proxy are not capped', async (t) => {
    const { api, port } = await startService(t, { MAX_CONNECTIONS_PER_ADDRESS: '1' });
    const held = await Promise.all([1, 2, 3].map(() => openFrom('127.0.0.1', port)));
    assert.equal((await api.get('/health')).status, 200);
    for (const socket of held) socket.destroy();
  });
});

const CLIENTS = 20;

describe('a client that goes away with half of its body sent', () => {
  test('is let go at once and logged, and leaves nothing behind', async (t) => {
    const { api, port, logs } = await startService(t);
    const before = array((await api.get('/categories')).body).length;
    const request = rawPost('Content-Length: 30\r\n', '{"name":"Half');
    for (let count = 0; count < CLIENTS; count += 1) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      await new Promise((resolve) => socket.write(request, resolve));
      if (count % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    const posts = (): unknown[] =>
      logs.filter((line) => field(line, 'message') === 'request' && field(line, 'method') === 'POST');
    await until(() => posts().length >= CLIENTS);
    assert.equal(posts().length, CLIENTS);
    assert.doesNotMatch(JSON.stringify(logs), /unexpected failure/);
    assert.equal(array((await api.get('/categories')).body).length, before);
  });
});

const PIECE = Buffer.alloc(64 * 1024, ' ');
const PIECES = 40;
const SIZE = PIECE.length * PIECES;
const NEXT = 'GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const LONG = `Content-Length: ${SIZE}`;
const CHUNKED = 'Transfer-Encoding: chunked';

function head(method: string, path: string, ...headers: readonly string[]): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
}

/** Sends the head and the whole body before it reads anything; the statuses that came back. */
async function sendAll(socket: Socket, start: string): Promise<string[]> {
  const isChunked = start.includes(CHUNKED);
  socket.write(start);
  for (let index = 0; index < PIECES; index += 1) {
    if (isChunked) socket.write(`${PIECE.length.toString(16)}\r\n`);
    const isTaken = socket.write(PIECE);
    if (isChunked) socket.write('\r\n');
    if (!isTaken) await once(socket, 'drain');
  }
  socket.write(`${isChunked ? '0\r\n\r\n' : ''}${start.includes('Connection: close') ? '' : NEXT}`);
  const text = await readUntilQuiet(socket, 10_000);
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
}

const REFUSED: readonly [string, readonly string[], string][] = [
  ['JSON without a token', ['POST', '/api/restaurants', 'Content-Type: application/json'], '401'],
  [
    'a form without a token',
    ['POST', '/api/restaurants/1/photos', 'Content-Type: multipart/form-data'],
    '401',
  ],
  ['a body for a path that is not there', ['POST', '/api/nowhere'], '404'],
  ['a body of another type', ['POST', '/api/auth/login', 'Content-Type: text/plain'], '415'],
  ['a body behind HEAD', ['HEAD', '/nowhere'], '404'],
  ['a body behind OPTIONS', ['OPTIONS', '/api/restaurants'], '204'],
  ['a body behind GET', ['GET', '/health'], '200'],
];

describe('an answer before the end of a body', () => {
  for (const framing of [LONG, CHUNKED]) {
    test(`reaches a client that wants the connection closed (${framing})`, async (t) => {
      const { port } = await startService(t, LOCAL);
      for (const [title, [method = '', path = '', ...headers], status] of REFUSED) {
        const start = head(method, path, framing, 'Connection: close', ...headers);
        assert.deepEqual(await sendAll(connect(port, '127.0.0.1'), start), [status], title);
      }
    });

    test(`leaves the connection to the next request (${framing})`, async (t) => {
      const { port } = await startService(t, LOCAL);
      for (const [title, [method = '', path = '', ...headers], status] of REFUSED) {
        const start = head(method, path, framing, ...headers);
        assert.deepEqual(await sendAll(connect(port, '127.0.0.1'), start), [status, '200'], title);
      }
    });

    test(`reaches a client that sends without being asked to go on (${framing})`, async (t) => {
      const { port } = await startService(t, LOCAL);
      const start = head('POST', '/api/nowhere', framing, 'Expect: 100-continue');
      assert.deepEqual(await sendAll(connect(port, '127.0.0.1'), start), ['404']);
    });

    test(`reaches a client over TLS (${framing})`, async (t) => {
      const { port } = await startSecureService(t, LOCAL);
      const start = head('POST', '/api/nowhere', framing);
      const closing = head('POST', '/api/nowhere', framing, 'Connection: close');
      assert.deepEqual(await sendAll(await openOverTls(port), closing), ['404']);
      assert.deepEqual(await sendAll(await openOverTls(port), start), ['404', '200']);
    });
  }

  longTest('reaches a client that reads a large one only once it has sent all', async (t) => {
    const { port, api } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    const address = textOf((await upload(api, phonePhoto(6_000_000, 6))).body, 'url');
    const start = head('GET', address, LONG, 'Connection: close');
    assert.deepEqual(await sendAll(connect(port, '127.0.0.1'), start), ['200']);
  });

  test('may be missed by clients that vanish, and the service goes on', async (t) => {
    const { port, api, logs } = await startService(t, LOCAL);
    for (const [, [method = '', path = '', ...headers]] of REFUSED)
      for (const connection of ['keep-alive', 'close']) {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(head(method, path, LONG, `Connection: ${connection}`, ...headers));
        await nextData(socket);
        socket.resetAndDestroy();
      }
    assert.equal((await api.get('/health')).status, 200);
    assert.doesNotMatch(JSON.stringify(logs), /"level":"error"/);
  });
});

function chunkedHead(connection: string): string {
  const start = 'POST /api/nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n';
  return `${start}Connection: ${connection}\r\n\r\n`;
}

describe('a body without an end', () => {
  /** Sends as fast as it is taken, until the service closes; how much that was. */
  async function sendForEver(port: number, start: string, everyMs = 0): Promise<number> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(start);
    let sent = 0;
    const closed = once(socket, 'close').catch(() => undefined);
    while (!socket.destroyed && sent < 2_000 * PIECE.length) {
      const piece = everyMs === 0 ? PIECE : PIECE.subarray(0, 10);
      sent += piece.length;
      socket.write(`${piece.length.toString(16)}\r\n`);
      socket.write(piece);
      if (!socket.write('\r\n')) await Promise.race([once(socket, 'drain').catch(() => undefined), closed]);
      if (everyMs > 0) await pause(everyMs);
    }
    return sent;
  }

  for (const connection of ['keep-alive', 'close']) {
    const start = chunkedHead(connection);

    test(`is cut by its size behind an answer (${connection})`, async (t) => {
      const linger = { ...LINGER_LIMITS, bytes: 1024 * 1024, ms: 600_000 };
      const { port } = await startService(t, {}, { linger });
      assert.ok((await sendForEver(port, start)) < 2_000 * PIECE.length);
    });

    test(`is cut by its time behind an answer (${connection})`, async (t) => {
      const { port } = await startService(t, {}, { linger: { ...LINGER_LIMITS, ms: 200 } });
      assert.ok((await sendForEver(port, start, 5)) < 2_000 * PIECE.length);
    });

    longTest(`does not hold up a stop (${connection})`, async (t) => {
      const { port, stop } = await startService(t, {}, { linger: { ...LINGER_LIMITS, ms: 600_000 } });
      const socket = connect(port, '127.0.0.1');
      socket.write(`${start}5\r\n12345\r\n`);
      await nextData(socket);
      await stop();
    });
  }
});
