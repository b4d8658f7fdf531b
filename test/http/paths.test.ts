import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';

describe('a path', () => {
  test('that leads nowhere is 404', async (t) => {
    const { api } = await startService(t);
    for (const path of [
      '/api',
      '/api/',
      '/api/nowhere',
      '/nowhere',
      '/api/restaurants/1/nowhere',
      '/api//restaurants',
      '//api/health',
      '/API/health',
    ])
      assert.deepEqual((await api.send(path, {})).body, { error: 'Not found' }, path);
  });

  test('with a method that it does not have is 405 and names those that it has', async (t) => {
    const { api } = await startService(t);
    const cases: readonly [string, string, string][] = [
      ['DELETE', '/api/restaurants', 'GET, POST, HEAD, OPTIONS'],
      ['PATCH', '/api/restaurants/1', 'GET, PUT, DELETE, HEAD, OPTIONS'],
      ['GET', '/api/auth/login', 'POST, OPTIONS'],
      ['PATCH', '/api/ratings/1', 'GET, PUT, DELETE, HEAD, OPTIONS'],
      ['POST', '/api/search', 'GET, HEAD, OPTIONS'],
      ['HEAD', '/api/auth/login', 'POST, OPTIONS'],
    ];
    for (const [method, path, allow] of cases) {
      const answer = await api.send(path, { method });
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow], `${method} ${path}`);
      if (method !== 'HEAD') assert.deepEqual(answer.body, { error: 'Method not allowed' });
    }
  });

  test('answers OPTIONS with 204 and what it allows', async (t) => {
    const { api } = await startService(t);
    const answer = await api.send('/api/categories/1', { method: 'OPTIONS' });
    assert.deepEqual(
      [answer.status, answer.headers.get('allow'), answer.body],
      [204, 'GET, PUT, DELETE, HEAD, OPTIONS', ''],
    );
  });

  test('answers HEAD as GET, without the body', async (t) => {
    const { api } = await startService(t);
    for (const path of [
      '/api/health',
      '/health',
      '/api/categories',
      '/api/categories/1',
      '/api/restaurants',
      '/api/categories/999',
    ]) {
      // The length of what is compressed is not known before the work is done.
      const headers = { 'Accept-Encoding': 'identity' };
      const [get, head] = [
        await api.send(path, { headers }),
        await api.send(path, { method: 'HEAD', headers }),
      ];
      assert.equal(head.status, get.status, path);
      assert.equal(head.body, '');
      for (const name of ['content-type', 'content-length'])
        assert.equal(head.headers.get(name), get.headers.get(name), path);
    }
  });

  test('may end in a slash', async (t) => {
    const { api } = await startService(t);
    for (const path of ['/api/health/', '/api/categories/1/', '/health/', '/api/restaurants/paginated/'])
      assert.equal((await api.send(path, {})).status, 200, path);
  });

  test('prefers a fixed segment to a parameter', async (t) => {
    const { api } = await startService(t);
    assert.equal((await api.get('/restaurants/paginated')).status, 200);
    assert.deepEqual((await api.get('/restaurants/paginated/ratings')).body, {
      error: 'Invalid restaurant ID',
    });
  });

  const badIds = [
    '0',
    '-1',
    '+1',
    '01',
    '1.5',
    '1e3',
    'x',
    '%20',
    '1%2f2',
    '..%2f1',
    '9007199254740992',
    '1'.repeat(17),
    '١',
  ];
  const nouns: readonly [string, string, string][] = [
    ['GET', '/api/restaurants/ID', 'restaurant'],
    ['DELETE', '/api/restaurants/ID', 'restaurant'],
    ['GET', '/api/restaurants/ID/ratings', 'restaurant'],
    ['DELETE', '/api/ratings/ID', 'rating'],
    ['GET', '/api/categories/ID', 'category'],
    ['DELETE', '/api/food-types/ID', 'food type'],
  ];
  longTest('with an id that is none is 400 and names the kind', async (t) => {
    const { api } = await startService(t);
    for (const [method, path, noun] of nouns)
      for (const id of badIds) {
        const answer = await api.send(path.replace('ID', id), { method });
        assert.deepEqual(
          [answer.status, answer.body],
          [400, { error: `Invalid ${noun} ID` }],
          `${method} ${path} ${id}`,
        );
      }
  });

  test('with the largest possible id is 404', async (t) => {
    const { api } = await startService(t);
    const answer = await api.get('/restaurants/9007199254740991');
    assert.deepEqual([answer.status, answer.body], [404, { error: 'Restaurant not found' }]);
  });
});
