import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pipeline } from '../../src/http/pipeline.ts';
import { parseAddressRanges } from '../../src/http/address.ts';
import { startServer } from '../../src/http/server.ts';
import { atEnd } from '../support/cleanup.ts';
import { rawGet, rawPost } from '../support/malformed.ts';
import { type RawAnswer, openFrom, parseAnswers, readUntilQuiet } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const SILENCE = 10_000;
const pathsOf = (started: readonly { readonly path: string }[]): string[] => started.map(({ path }) => path);

/** A server whose requests are answered by the test, each with its path. */
async function startByHand(t: Parameters<typeof atEnd>[0]): Promise<{
  readonly port: number;
  readonly started: { readonly path: string; readonly answer: () => void }[];
  readonly stop: (graceMs: number) => Promise<void>;
}> {
  const started: { path: string; answer: () => void }[] = [];
  const pipeline: Pipeline = (request, response) => {
    const path = request.url ?? '';
    request.resume();
    started.push({
      path,
      answer: () => {
        response.writeHead(200, { 'Content-Length': path.length });
        response.end(path);
      },
    });
    return Promise.resolve();
  };
  const trustedProxies = parseAddressRanges([]);
  const options = { host: '127.0.0.1', port: 0, maxConnections: undefined, maxConnectionsPerAddress: 1_000 };
  const { port, stop } = await startServer(pipeline, { ...options, trustedProxies });
  atEnd(t, () => stop(0));
  return { port, started, stop };
}

async function send(port: number, text: string): Promise<Socket> {
  const socket = await openFrom('127.0.0.1', port);
  socket.on('error', () => undefined);
  socket.write(text);
  return socket;
}

describe('requests that are sent ahead on one connection', () => {
  test('are under way one at a time, and answered in their order', async (t) => {
    const { port, started } = await startByHand(t);
    const paths = Array.from({ length: 100 }, (_, index) => `/${index}`);
    const socket = await send(port, paths.map((path) => rawGet(path)).join(''));
    const received = readUntilQuiet(socket, 500);
    for (let count = 1; count <= paths.length; count += 1) {
      await until(() => started.length >= count);
      assert.deepEqual(pathsOf(started), paths.slice(0, count));
      started.at(-1)?.answer();
    }
    assert.deepEqual(
      parseAnswers(await received).map(({ body }) => body),
      paths,
    );
  });

  test('are not read while others wait, however many their client writes', async (t) => {
    const { port, started } = await startByHand(t);
    const socket = await send(port, rawGet('/first') + rawGet('/second'));
    await until(() => started.length === 1);
    const head = rawGet('/more', `Host: x\r\nX-Long: ${'x'.repeat(10_000)}\r\n`);
    for (let sent = 0; sent < 2_000; sent += 1) socket.write(head);
    await pause(200);
    // Of 20 MB, the buffers of the system hold less than half; a server that reads on takes all.
    assert.ok(socket.writableLength > 5_000_000, String(socket.writableLength));
    assert.equal(started.length, 1);
    socket.destroy();
  });

  test('have their bodies read in their turn', async (t) => {
    const { port, started } = await startByHand(t);
    const body = 'x'.repeat(300_000);
    const post = rawPost(`Content-Length: ${body.length}\r\n`, body);
    const received = readUntilQuiet(await send(port, rawGet('/a') + post + post + rawGet('/b')), 500);
    for (let count = 1; count <= 4; count += 1) {
      await until(() => started.length >= count);
      assert.equal(started.length, count);
      started.at(-1)?.answer();
    }
    assert.deepEqual(
      parseAnswers(await received).map((answer) => answer.body),
      ['/a', '/api/categories', '/api/categories', '/b'],
    );
  });

  test('are dropped when their client leaves', async (t) => {
    for (const leave of ['destroy', 'resetAndDestroy'] as const) {
      const { port, started } = await startByHand(t);
      const socket = await send(port, rawGet('/a').repeat(50));
      await until(() => started.length === 1);
      socket[leave]();
      await once(socket, 'close');
      // The server learns of it when it writes.
      for (const { answer } of started) {
        answer();
        await pause(10);
      }
      assert.ok(started.length < 10, `${leave}: ${started.length}`);
    }
  });

  test('are dropped by a stop, which sends the response that is under way', async (t) => {
    const { port, started, stop } = await startByHand(t);
    const socket = await send(port, rawGet('/a') + rawGet('/b') + rawGet('/c'));
    const received = readUntilQuiet(socket, SILENCE);
    await until(() => started.length === 1);
    const stopped = stop(60_000);
    started[0]?.answer();
    await until(() => started.length === 2);
    started[1]?.answer();
    await stopped;
    assert.deepEqual(
      parseAnswers(await received).map(({ body }) => body),
      ['/a', '/b'],
    );
  });
});

describe('requests of one address', () => {
  test('are at most 32 at a time, without event streams and checks of health; others go on', async (t) => {
    const pace = { windowMs: 600_000, leastBytes: 1 };
    const { port, api } = await startService(t, { TRUSTED_PROXIES: 'none' }, { pace });
    const open = async (text: string): Promise<Socket> => {
      const socket = await openFrom('127.0.0.2', port);
      atEnd(t, () => socket.destroy());
      socket.on('error', () => undefined);
      socket.write(text);
      return socket;
    };
    const answerTo = async (path: string): Promise<RawAnswer | undefined> => {
      const socket = await open(rawGet(path, 'Host: x\r\nConnection: close\r\n'));
      return parseAnswers(await readUntilQuiet(socket, 60_000))[0];
    };
    const streams = await Promise.all([1, 2, 3].map(() => open(rawGet('/api/changes/stream'))));
    for (const stream of streams) await once(stream, 'data');
    // Bodies that go on arriving.
    const head = rawPost('Content-Length: 100000\r\nExpect: 100-continue\r\n');
    const slow = await Promise.all(Array.from({ length: 32 }, () => open(head)));
    for (const socket of slow) await once(socket, 'data');
    const trickle = setInterval(() => {
      for (const socket of slow) socket.write(' ');
    }, 500);
    atEnd(t, () => {
      clearInterval(trickle);
    });

    const left = await open(rawGet('/api/categories'));
    const waiting = await open(rawGet('/api/categories'));
    assert.equal((await answerTo('/health'))?.status, 200);
    assert.equal((await api.get('/categories')).status, 200);
    left.destroy();
    assert.equal(waiting.bytesRead, 0);
    slow.pop()?.destroy();
    await once(waiting, 'readable');

    // The place of the request that was answered is taken again.
    const last = await open(head);
    await once(last, 'data');
    slow.push(last);
    const refused = await answerTo('/api/categories');
    assert.deepEqual(
      [refused?.status, refused?.body],
      [503, '{"error":"Too many requests at once from this address. Please try again."}'],
    );
    assert.match(refused?.head ?? '', /^Retry-After: \d+$/im);
  });
});
