import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPageGuard } from '../../src/http/origins.ts';
import { LOCAL } from '../support/people.ts';
import { askOnce } from '../support/raw.ts';
import { startService } from '../support/service.ts';

const HOST = { status: 421, body: '{"error":"Host is not allowed; see ALLOWED_HOSTS"}' };

describe('a Host on the machine of a service without accounts', () => {
  const known = [
    ...[
      '127.0.0.1',
      '127.0.0.1:8080',
      '192.0.2.1',
      '[::1]:8080',
      '[2001:db8::1]',
      'localhost',
      'LOCALHOST:8080',
    ],
    ...[
      'localhost.',
      'catalogue',
      'catalogue:80',
      'food.localhost:8080',
      'Food.LocalHost.',
      'app.example:99',
    ],
    ...['food.example', 'FOOD.Example.:443', 'x', ''],
  ];
  const strange = [
    ...[
      'evil.example',
      'evil.example:8080',
      'EVIL.EXAMPLE.',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ],
    ...['food.example.evil.example', 'sub.food.example', '127.0.0.1@evil.example', '127.1', '[evil.example]'],
    ...['[::1', '::1', 'food.example:80:80', '0x7f.0.0.1', 'evil.localhost.example', '[]'],
  ];
  const variables = { ALLOWED_ORIGINS: 'http://app.example', ALLOWED_HOSTS: 'food.example, Other.Example.' };

  test('must be a name that is known', async (t) => {
    const { port } = await startService(t, variables);
    for (const host of [...known, 'other.example'])
      assert.equal((await askOnce(port, 'GET /api/health', [`Host: ${host}`])).status, 200, host);
    for (const host of strange)
      for (const line of [
        'GET /api/health',
        'GET /health',
        'POST /api/nowhere',
        'GET /',
        'OPTIONS /api/docs',
      ]) {
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

  test('may be any on another address, and with accounts', async (t) => {
    const local = await startService(t, LOCAL);
    assert.equal((await askOnce(local.port, 'GET /api/health', ['Host: evil.example'])).status, 200);
    const guard = createPageGuard({ host: '0.0.0.0', allowedHosts: [], allowedOrigins: [] });
    const ask = (localAddress: string) => (): void => {
      guard.requireHost({ headers: { host: 'evil.example' }, socket: { localAddress } });
    };
    for (const local of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
      assert.throws(ask(local), { status: 421 }, local);
    for (const outer of ['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1']) ask(outer)();
  });
});
