import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { array } from '../support/client.ts';
import { rawGet, rawPost } from '../support/malformed.ts';
import { LOCAL } from '../support/people.ts';
import { nextData, parseAnswers, readUntilQuiet, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { openOverTls, startSecureService } from '../support/tls.ts';

const GOOD = rawGet('/api/health');
const LONG_SILENCE = 10_000;
const BROKEN: readonly [string, string, number][] = [
  ['nonsense', 'nonsense\r\n\r\n', 400],
  ['a header that is none', rawGet('/api/health', 'Host: x\r\nX Y: z\r\n'), 400],
  ['headers over 16 KB', rawGet('/api/health', `Host: x\r\nX: ${'a'.repeat(17_000)}\r\n`), 431],
  ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ['a length that is none', rawPost('Content-Length: 0x2\r\n', '{}'), 400],
  ['a chunk that is none', rawPost('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'), 400],
  [
    'a chunk that is none, behind a good one',
    rawPost('Transfer-Encoding: chunked\r\n', '2\r\n{}\r\nzz\r\n'),
    400,
  ],
];

/** The statuses of all that comes back until the service closes; each body is JSON. */
function statusesIn(text: string): number[] {
  return parseAnswers(text).map(({ status, body }) => {
    JSON.parse(body);
    return status;
  });
}

describe('a broken request', () => {
  for (const count of [1, 5])
    test(`behind ${count} good ones is answered behind them, and the connection closed`, async (t) => {
      const { port } = await startService(t);
      const good = Array.from({ length: count }, () => 200);
      for (const [title, bytes, status] of BROKEN) {
        const text = await sendRaw(port, GOOD.repeat(count) + bytes + GOOD, LONG_SILENCE);
        assert.deepEqual(statusesIn(text), [...good, status], title);
      }
    });

  test('is answered behind a good one over TLS', async (t) => {
    const { port } = await startSecureService(t);
    for (const [title, bytes, status] of BROKEN) {
      const socket = await openOverTls(port);
      socket.write(GOOD + bytes);
      assert.deepEqual(statusesIn(await readUntilQuiet(socket, LONG_SILENCE)), [200, status], title);
    }
  });

  test('waits for the answer that is under way', async (t) => {
    const { port } = await startService(t, LOCAL);
    const credentials = JSON.stringify({ email: 'a@b.example', password: 'not the right one' });
    const login = `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${credentials.length}\r\n\r\n${credentials}`;
    const socket = connect(port, '127.0.0.1');
    socket.write(login);
    await once(socket, 'connect');
    socket.write('nonsense\r\n\r\n');
    assert.deepEqual(statusesIn(await readUntilQuiet(socket, LONG_SILENCE)), [401, 400]);
  });

  test('waits for the end of a long list', async (t) => {
    const { port, api } = await startService(t);
    const count = 60;
    for (let index = 0; index < count; index += 1)
      await api.post('/restaurants', { name: `Place ${index}`, description: 'x'.repeat(5_000) });
    const text = await sendRaw(port, `${rawGet('/api/restaurants')}nonsense\r\n\r\n`, LONG_SILENCE);
    const [list, refusal, ...more] = parseAnswers(text);
    assert.equal(array(JSON.parse(list?.body ?? '')).length, count);
    assert.deepEqual([refusal?.status, more], [400, []]);
  });

  test('gets no second answer when its body breaks behind its first one', async (t) => {
    const { port } = await startService(t, LOCAL);
    const socket = connect(port, '127.0.0.1');
    const answered = nextData(socket);
    socket.write(rawPost('Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n'));
    assert.match(await answered, /^HTTP\/1\.1 401 /);
    socket.write('zz\r\n');
    assert.equal(await readUntilQuiet(socket, LONG_SILENCE), '');
  });

  test('does nothing when its body is broken from the start, though its route wants none', async (t) => {
    const { port, api } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    const broken =
      'DELETE /api/restaurants/1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
    assert.deepEqual(statusesIn(await sendRaw(port, broken, LONG_SILENCE)), [400]);
    assert.equal((await api.get('/restaurants/1')).status, 200);
  });
});
