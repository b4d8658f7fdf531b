import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { array, field } from '../support/client.ts';
import { rawPost } from '../support/malformed.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

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
