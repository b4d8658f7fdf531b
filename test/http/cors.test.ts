import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startService } from '../support/service.ts';

const ORIGIN = 'https://app.example.com';
const CONFIGURED = { ALLOWED_ORIGINS: `${ORIGIN},https://other.example.com` };

describe('cross-origin access', () => {
  test('is granted to a configured origin, by echo, with the headers that it may read', async (t) => {
    const { api } = await startService(t, CONFIGURED);
    const { headers } = await api.get('/health', { Origin: ORIGIN });
    assert.equal(headers.get('access-control-allow-origin'), ORIGIN);
    assert.equal(headers.get('vary'), 'Origin');
    assert.equal(
      headers.get('access-control-expose-headers'),
      'Location, ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, Change, Catalogue-Warning, Idempotent-Replay, Link',
    );
    assert.equal(headers.get('access-control-allow-credentials'), null);
  });

  test('is granted on errors too, so that a page can read them', async (t) => {
    const { api } = await startService(t, {
      ...CONFIGURED,
      RATE_LIMIT_PER_MINUTE: '1',
      RATE_LIMIT_BURST: '1',
    });
    for (const status of [404, 429]) {
      const answer = await api.get('/nowhere', { Origin: ORIGIN });
      assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [status, ORIGIN]);
    }
  });

  const strangers = [
    'null',
    'http://app.example.com',
    'https://app.example.com.evil.com',
    'https://evil-app.example.com',
    'https://app.example.com:8443',
    'HTTPS://APP.EXAMPLE.COM',
    'https://app.example.com/',
    '*',
  ];
  test('is granted to no other origin', async (t) => {
    const { api } = await startService(t, CONFIGURED);
    for (const origin of strangers) {
      const { headers } = await api.get('/health', { Origin: origin });
      assert.deepEqual(
        [headers.get('access-control-allow-origin'), headers.get('vary')],
        [null, 'Origin'],
        origin,
      );
    }
  });

  test('is asked for by a preflight, which names the methods of the path', async (t) => {
    const { api } = await startService(t, CONFIGURED);
    const headers = {
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'content-type',
    };
    const answer = await api.send('/api/restaurants/1', { method: 'OPTIONS', headers });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get('access-control-allow-methods'), 'GET, PUT, DELETE');
    assert.equal(
      answer.headers.get('access-control-allow-headers'),
      'Authorization, Content-Type, X-Request-Id, Idempotency-Key, Last-Event-ID, Prefer',
    );
    assert.equal(answer.headers.get('access-control-max-age'), '600');
  });

  test('is refused to a stranger’s preflight by leaving its headers out', async (t) => {
    const { api } = await startService(t, CONFIGURED);
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'PUT' };
    const answer = await api.send('/api/restaurants/1', { method: 'OPTIONS', headers });
    assert.deepEqual([answer.status, answer.headers.get('access-control-allow-methods')], [204, null]);
  });

  test('is granted in development to ports 3000 and 5173 on localhost', async (t) => {
    const { api } = await startService(t);
    for (const origin of ['http://localhost:3000', 'http://localhost:5173'])
      assert.equal(
        (await api.get('/health', { Origin: origin })).headers.get('access-control-allow-origin'),
        origin,
      );
  });
});
