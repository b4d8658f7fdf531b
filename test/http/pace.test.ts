import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket, connect } from 'node:net';
import { describe, test } from 'node:test';
import { type Pace, watchArrival } from '../../src/http/body.ts';
import { LINGER_LIMITS } from '../../src/http/connections.ts';
import { rawPost } from '../support/malformed.ts';
import { FORM_TYPE } from '../support/photos.ts';
import { parseAnswers, readUntilQuiet } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const LONG_SILENCE = 10_000;
const PACE: Pace = { windowMs: 1_000, leastBytes: 100 };
const SLOW = { status: 408, body: '{"error":"Request took too long to arrive"}' };

/** A body that a test sends by hand, and what it came to. */
function startBody(): { readonly request: IncomingMessage; readonly failures: unknown[] } {
  const request = new IncomingMessage(new Socket());
  const failures: unknown[] = [];
  watchArrival(request, 1_000_000, PACE, (error) => failures.push(error.message));
  return { request, failures };
}

const tick = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('a body that arrives slowly', () => {
  for (const [title, send] of [
    ['JSON that never comes', (): string => rawPost('Content-Length: 99\r\n')],
    ['JSON that stops', (): string => rawPost('Content-Length: 999\r\n', ' '.repeat(99))],
    ['a chunk that never comes', (): string => rawPost('Transfer-Encoding: chunked\r\n')],
    [
      'a form that stops',
      (): string =>
        `POST /api/restaurants/1/photos HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: 999\r\n\r\n--`,
    ],
  ] as const)
    test(`is refused with 408 and the connection closed: ${title}`, async (t) => {
      const { port, api } = await startService(t, {}, { pace: { ...PACE, windowMs: 50 } });
      await api.post('/restaurants', { name: 'Chez Nous' });
      const socket = connect(port, '127.0.0.1');
      socket.write(send());
      const [answer, ...more] = parseAnswers(await readUntilQuiet(socket, LONG_SILENCE));
      assert.deepEqual([{ status: answer?.status, body: answer?.body }, more], [SLOW, []]);
      assert.match(answer?.head ?? '', /^connection: close$/im);
      assert.equal((await api.get('/health')).status, 200);
    });

  test('is read on for a moment only behind that answer, though its client does not close', async (t) => {
    const pace = { ...PACE, windowMs: 50 };
    const linger = { ...LINGER_LIMITS, ms: 600_000, msOfSlow: 50 };
    const { port } = await startService(t, {}, { pace, linger });
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(rawPost('Content-Length: 999999\r\n'));
    await once(socket, 'end');
    // What is sent to a connection that is closed is answered by a reset.
    await until(() => {
      socket.write(' ');
      return socket.closed;
    });
  });

  test('is taken as long as enough of it comes in each window', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { request, failures } = startBody();
    for (let window = 0; window < 100; window += 1) {
      request.push(Buffer.alloc(PACE.leastBytes));
      await tick();
      t.mock.timers.tick(PACE.windowMs);
    }
    assert.deepEqual(failures, []);
    request.push(Buffer.alloc(PACE.leastBytes - 1));
    await tick();
    t.mock.timers.tick(PACE.windowMs);
    assert.deepEqual(failures, ['Request took too long to arrive']);
  });

  test('is not refused when its reader is what takes long', (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { request, failures } = startBody();
    request.pause();
    t.mock.timers.tick(10 * PACE.windowMs);
    assert.deepEqual(failures, []);
  });

  test('is watched no longer once it is whole', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { request, failures } = startBody();
    request.complete = true;
    request.push(null);
    await tick();
    t.mock.timers.tick(10 * PACE.windowMs);
    assert.deepEqual(failures, []);
  });
});
