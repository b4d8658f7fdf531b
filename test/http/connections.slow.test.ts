import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { field, record } from '../support/client.ts';
import { openFrom, parseAnswers, readUntilQuiet } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('connections', () => {
  test('of one address are capped; the one too many is refused, and other addresses are served', async (t) => {
    const { api, port } = await startService(t, {
      TRUSTED_PROXIES: 'none',
      MAX_CONNECTIONS_PER_ADDRESS: '3',
    });
    const held = await Promise.all([1, 2, 3].map(() => openFrom('127.0.0.2', port)));
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
      again.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
      return parseAnswers(await readUntilQuiet(again))[0]?.status === 200;
    });
  });

  test('of a trusted proxy are not capped', async (t) => {
    const { api, port } = await startService(t, { MAX_CONNECTIONS_PER_ADDRESS: '1' });
    const held = await Promise.all([1, 2, 3].map(() => openFrom('127.0.0.1', port)));
    assert.equal((await api.get('/health')).status, 200);
    for (const socket of held) socket.destroy();
  });

  test('that end in mid-body leave the service well and nothing behind', async (t) => {
    const { api, port } = await startService(t);
    for (let sent = 0; sent < 10; sent += 1) {
      const socket = await openFrom('127.0.0.1', port);
      socket.write(
        'POST /api/categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{"name":"Half',
      );
      await pause(5);
      socket.destroy();
    }
    assert.equal((await api.get('/health')).status, 200);
    assert.doesNotMatch(JSON.stringify((await api.get('/categories')).body), /Half/);
  });

  test('that end in mid-download are logged as aborted', async (t) => {
    const { api, port, logs } = await startService(t);
    const description = '界'.repeat(5_000);
    for (let made = 0; made < 400; made += 1)
      await api.post('/restaurants', { name: `R ${made}`, description });
    const socket = await openFrom('127.0.0.1', port);
    socket.write('GET /api/restaurants HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    // More than the kernel's buffers hold is still to come.
    socket.pause();
    await pause(50);
    socket.destroy();
    const aborted = (): unknown =>
      logs
        .map((line) => record(line))
        .find(({ path, method }) => path === '/api/restaurants' && method === 'GET');
    await until(() => aborted() !== undefined);
    assert.equal(field(aborted(), 'aborted'), true);
    assert.equal((await api.get('/health')).status, 200);
  });
});
