import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { LOCAL } from '../support/people.ts';
import { type RawAnswer, askOnce } from '../support/raw.ts';
import { startService } from '../support/service.ts';

const HOST = { status: 421, body: '{"error":"Host is not allowed; see ALLOWED_HOSTS"}' };

describe('a Host of a service without accounts', () => {
  const known = [
    ...['127.0.0.1', '127.0.0.1:8080', '192.0.2.1', '[::1]:8080', '[2001:db8::1]', 'x', ''],
    ...['localhost', 'LOCALHOST:8080', 'localhost.', 'food.localhost:8080', 'Food.LocalHost.'],
    ...['catalogue', 'catalogue:80', 'app.example:99', 'food.example', 'FOOD.Example.:443', 'other.example'],
    ...['nas.local', 'NAS.Local.:8080', 'host.docker.internal', 'nas.home.arpa'],
  ];
  const strange = [
    ...['evil.example', 'evil.example:8080', 'EVIL.EXAMPLE.', 'localhost.evil.example', '127.1', '[]'],
    ...['127.0.0.1.evil.example', 'food.example.evil.example', 'sub.food.example', '[evil.example]'],
    ...['127.0.0.1@evil.example', '[::1', '::1', 'food.example:80:80', '0x7f.0.0.1', 'nas.lan'],
    ...['evil.localhost.example', 'nas.local.evil.example', 'notlocal.example', 'home.arpa.example'],
  ];
  const variables = { ALLOWED_ORIGINS: 'http://app.example', ALLOWED_HOSTS: 'food.example, Other.Example.' };

  test('must be a name that is known', async (t) => {
    const { port } = await startService(t, variables);
    for (const host of known)
      assert.equal((await askOnce(port, 'GET /api/health', [`Host: ${host}`])).status, 200, host);
    const lines = ['GET /api/health', 'GET /health', 'POST /api/nowhere', 'GET /', 'OPTIONS /api/docs'];
    for (const host of strange)
      for (const line of lines) {
        const { status, body } = await askOnce(port, line, [`Host: ${host}`]);
        assert.deepEqual({ status, body }, HOST, `${line} ${host}`);
      }
  });

  test('uses up no call of the API when it is refused', async (t) => {
    const { port } = await startService(t, { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '1' });
    for (let index = 0; index < 3; index += 1)
      assert.equal((await askOnce(port, 'GET /api/health', ['Host: evil.example'])).status, 421);
    assert.equal((await askOnce(port, 'GET /api/health', ['Host: localhost'])).status, 200);
  });

  test('must be known on every address, and behind a proxy as well', async (t) => {
    const outer = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address);
    const { port } = await startService(t, { HOST: '0.0.0.0', TRUSTED_PROXIES: 'loopback' });
    for (const address of ['127.0.0.1', '127.9.9.9', ...outer])
      for (const more of [[], ['X-Forwarded-For: 192.0.2.1', 'X-Forwarded-Proto: https']]) {
        const ask = (host: string): Promise<RawAnswer> =>
          askOnce(port, 'GET /api/health', [`Host: ${host}`, ...more], undefined, address);
        const { status, body } = await ask('evil.example');
        assert.deepEqual({ status, body }, HOST, address);
        assert.equal((await ask(`${address}:${port}`)).status, 200, address);
      }
  });

  test('may be any with accounts', async (t) => {
    const { port } = await startService(t, LOCAL);
    assert.equal((await askOnce(port, 'GET /api/health', ['Host: evil.example'])).status, 200);
  });
});
