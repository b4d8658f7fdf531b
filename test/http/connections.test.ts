import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rawGet } from '../support/malformed.ts';
import { nextData, openFrom, parseAnswers, readUntilQuiet } from '../support/raw.ts';
import { startService } from '../support/service.ts';
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
