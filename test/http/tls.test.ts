import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { field } from '../support/client.ts';
import { openFrom, parseAnswers, readUntilQuiet } from '../support/raw.ts';
import { authority, openOverTls, startSecureService } from '../support/tls.ts';
import { until } from '../support/until.ts';

const HSTS = 'max-age=31536000';

describe('a service that ends TLS', () => {
  test('is the whole service under https, and makes browsers stay there', async (t) => {
    const { ask, pair } = await startSecureService(t);
    const ca = authority(pair);
    const trusting = { ca, rejectUnauthorized: true };
    const json = { 'Content-Type': 'application/json' };
    const made = await ask(
      '/api/categories',
      { ...trusting, method: 'POST', headers: json },
      '{"name":"Secure"}',
    );
    assert.equal(made.status, 201);
    for (const [path, status] of [
      ['/api/health', 200],
      ['/health', 200],
      ['/api/docs', 200],
      ['/api/nowhere', 404],
      ['/', 200],
    ] as const) {
      const answer = await ask(path, trusting);
      assert.deepEqual([answer.status, answer.headers['strict-transport-security']], [status, HSTS], path);
    }
  });

  test('says so in the answer to a broken request too', async (t) => {
    const { port } = await startSecureService(t);
    const socket = await openOverTls(port);
    socket.write('nonsense\r\n\r\n');
    const [answer] = parseAnswers(await readUntilQuiet(socket));
    assert.deepEqual([answer?.status, answer?.body], [400, '{"error":"Malformed HTTP request"}']);
    assert.match(answer?.head ?? '', /^Strict-Transport-Security: max-age=31536000$/m);
  });

  for (const [version, expected] of [
    ['TLSv1.1', 'refused'],
    ['TLSv1.2', 'TLSv1.2'],
    ['TLSv1.3', 'TLSv1.3'],
  ] as const)
    test(`answers ${version}: ${expected}`, async (t) => {
      const { port } = await startSecureService(t);
      const only = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' } as const;
      const spoken = await openOverTls(port, only).then(
        (socket) => {
          const protocol = socket.getProtocol();
          socket.destroy();
          return protocol;
        },
        () => 'refused',
      );
      assert.equal(spoken, expected);
    });

  test('enforces the limits of the edge without being told to', async (t) => {
    const { ask } = await startSecureService(t);
    const answers: number[] = [];
    for (let index = 0; index < 6; index += 1) answers.push((await ask('/api/auth/me')).status);
    assert.deepEqual(answers, [200, 200, 200, 200, 200, 429]);
  });

  test('takes the address of the socket for that of the client', async (t) => {
    const { ask, logs } = await startSecureService(t, { TRUSTED_PROXIES: 'none' });
    await ask('/health', { headers: { 'X-Forwarded-For': '198.51.100.1' }, localAddress: '127.0.0.5' });
    await until(() => logs.some((line) => field(line, 'message') === 'request'));
    const line = logs.find((one) => field(one, 'message') === 'request');
    assert.equal(field(line, 'client'), '127.0.0.5');
  });

  test('caps the connections of one address on both ports together', async (t) => {
    const variables = { TRUSTED_PROXIES: 'none', MAX_CONNECTIONS_PER_ADDRESS: '3' };
    const { port, redirectPort, ask } = await startSecureService(t, variables);
    const from = { localAddress: '127.0.0.2' };
    const held = [
      await openOverTls(port, from),
      await openFrom(from.localAddress, port),
      await openFrom(from.localAddress, redirectPort),
    ];
    await assert.rejects(openOverTls(port, from), /ECONNRESET|EPIPE|disconnected/);
    const [refused] = parseAnswers(await readUntilQuiet(await openFrom(from.localAddress, redirectPort)));
    assert.equal(refused?.status, 503);
    assert.equal((await ask('/health')).status, 200);
    for (const socket of held) socket.destroy();
    await until(() =>
      ask('/health', from).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  });
});
