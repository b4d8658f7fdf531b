import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { field, record } from '../support/client.ts';
import { startService } from '../support/service.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

describe('every answer', () => {
  test('lets browsers neither sniff, nor refer, nor run or frame anything', async (t) => {
    const { api } = await startService(t);
    for (const path of ['/api/health', '/api/nowhere', '/health', '/api/restaurants']) {
      const { headers } = await api.send(path, {});
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
      assert.equal(headers.get('referrer-policy'), 'no-referrer', path);
      assert.equal(
        headers.get('content-security-policy'),
        "default-src 'none'; frame-ancestors 'none'",
        path,
      );
      assert.equal(headers.get('x-powered-by'), null);
      assert.equal(headers.get('server'), null);
    }
  });

  test('carries an id of its own for the request', async (t) => {
    const { api } = await startService(t);
    const [first, second] = [await api.get('/health'), await api.get('/nowhere')];
    assert.match(first.headers.get('x-request-id') ?? '', UUID);
    assert.match(second.headers.get('x-request-id') ?? '', UUID);
    assert.notEqual(first.headers.get('x-request-id'), second.headers.get('x-request-id'));
  });

  test('carries the id that the request brought when it is short and clean, and logs it', async (t) => {
    const { api, logs } = await startService(t);
    const answer = await api.get('/health', { 'X-Request-Id': 'trace-1.A_9' });
    assert.equal(answer.headers.get('x-request-id'), 'trace-1.A_9');
    assert.equal(field(logs.at(-1), 'offered'), 'trace-1.A_9');
    assert.match(String(field(logs.at(-1), 'id')), UUID);
  });

  test('and all that is logged carry an id that the request brought when it looks generated', async (t) => {
    const { api, logs } = await startService(t);
    for (const id of ['0B9f3a1e-6a57-4a54-9d0e-3f3c5d0d8a11', '0b9f3a1e6a574a549d0e3f3c5d0d8a11']) {
      const answer = await api.get('/health', { 'X-Request-Id': id });
      assert.equal(answer.headers.get('x-request-id'), id);
      assert.deepEqual([field(logs.at(-1), 'id'), record(logs.at(-1))['offered']], [id, undefined]);
    }
  });

  test('carries its own id instead of one that is long or not clean', async (t) => {
    const { api } = await startService(t);
    for (const id of ['', 'a'.repeat(65), 'a b', '<script>', 'a"b', 'é', 'a,b'])
      assert.match(
        (await api.get('/health', { 'X-Request-Id': id })).headers.get('x-request-id') ?? '',
        UUID,
        id,
      );
  });
});

describe('the health check', () => {
  test('is status ok as JSON under /api, and the word healthy as text outside', async (t) => {
    const { api } = await startService(t);
    assert.deepEqual((await api.get('/health')).body, { status: 'ok' });
    const plain = await api.send('/health', {});
    assert.deepEqual(
      [plain.headers.get('content-type'), plain.body],
      ['text/plain; charset=utf-8', 'healthy'],
    );
  });
});
