import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { record } from '../support/client.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const CLIENTS = 100;

describe('a client that goes away with half of its body sent', () => {
  test('is let go at once, and logged', async (t) => {
    const service = await startService(t, { ...LOCAL, LOG_LEVEL: 'info' });
    const { accessToken } = await signUp(service, 'alice');
    const head = `POST /api/ratings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${accessToken}\r\n`;
    for (let count = 0; count < CLIENTS; count += 1) {
      const socket = connect(service.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      const sent = new Promise((resolve) => {
        socket.write(`${head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"`, resolve);
      });
      await sent;
      socket.resetAndDestroy();
    }
    const logged = (): number =>
      service.logs.map((line) => record(line)).filter((line) => line['path'] === '/api/ratings').length;
    await until(() => logged() >= CLIENTS);
    assert.equal(logged(), CLIENTS);
    const failures = service.logs.filter((line) => JSON.stringify(line).includes('unexpected failure'));
    assert.deepEqual(failures, []);
  });
});
