import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isNamed, tagged } from '../../src/http/conditional.ts';
import { errorReply, json, ok, stream } from '../../src/http/reply.ts';
import { askBytes } from '../support/bytes.ts';
import { createRestaurants } from '../support/catalogue.ts';
import { field, headerValues } from '../support/client.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startRoute } from '../support/route.ts';
import { startService } from '../support/service.ts';

const READS = [
  '/restaurants/1',
  '/restaurants?limit=5',
  '/restaurants/paginated?limit=1',
  '/search?q=chez',
  '/categories',
  '/categories/1',
  '/food-types',
  '/restaurants/1/ratings?limit=5',
  '/health',
];
const COMPARED: readonly [string, string | undefined, boolean][] = [
  ['the tag itself', 'W/"abc"', true],
  ['the tag as a strong one', '"abc"', true],
  ['the tag in a list', '"x", W/"abc" ,"y"', true],
  ['anything', ' * ', true],
  ['no header', undefined, false],
  ['an empty header', '', false],
  ['another tag', '"abcd"', false],
  ['other letters', '"ABC"', false],
  ['no quotes', 'abc', false],
  ['a small w', 'w/"abc"', false],
  ['anything in a list', '"x", *', false],
  ['anything within a tag', '"x, *, y"', false],
];

describe('a read of JSON', () => {
  test('is not sent again to whom has it', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'Chez Nous' }, { name: 'Chez Moi' }]);
    for (const path of READS) {
      const [tag] = headerValues(await api.get(path), 'etag');
      assert.match(tag ?? '', /^W\/"[\w-]{16}"$/, path);
      for (const method of ['GET', 'HEAD']) {
        const headers = { 'If-None-Match': tag ?? '' };
        const again = await api.send(`/api${path}`, { method, headers });
        assert.deepEqual([again.status, again.body, again.headers.get('etag')], [304, '', tag], path);
        assert.deepEqual(headerValues(again, 'content-type', 'content-length'), [null, null], path);
      }
    }
  });

  test('is sent again once it has changed, and has another tag', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'Chez Nous' }]);
    const [tag] = headerValues(await api.get('/restaurants/1'), 'etag');
    const known = { 'If-None-Match': tag ?? '' };
    assert.equal((await api.get('/restaurants/1', known)).status, 304);
    await api.put('/restaurants/1', { phone: '1' });
    const changed = await api.get('/restaurants/1', known);
    assert.deepEqual([changed.status, field(changed.body, 'phone')], [200, '1']);
    assert.notEqual(changed.headers.get('etag'), tag);
  });

  test('has the same headers with 304 as with 200', async (t) => {
    const { api } = await startService(t, { RATE_LIMIT_PER_MINUTE: '100' });
    const headers = { Origin: 'http://localhost:3000', 'X-Request-Id': 'mine' };
    const full = await api.get('/categories', headers);
    const again = await api.get('/categories', {
      ...headers,
      'If-None-Match': full.headers.get('etag') ?? '',
    });
    assert.equal(again.status, 304);
    const names = [
      'etag',
      'vary',
      'x-request-id',
      'ratelimit-limit',
      'access-control-allow-origin',
      'access-control-expose-headers',
      'x-content-type-options',
      'content-security-policy',
    ];
    assert.deepEqual(headerValues(again, ...names), headerValues(full, ...names));
    assert.ok(!headerValues(full, ...names).includes(null));
  });

  for (const [title, header, named] of COMPARED)
    test(`is known by ${title}: ${named ? 'yes' : 'no'}`, () => {
      assert.equal(isNamed('W/"abc"', header), named);
      assert.equal(isNamed('"abc"', header), named);
    });
});

describe('a tag', () => {
  test('is on no answer that holds tokens, fails, changes something or is no JSON', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const answers = [
      await alice.api.get('/auth/me', { 'If-None-Match': '*' }),
      await alice.api.get('/auth/tokens', { 'If-None-Match': '*' }),
      await service.api.get('/auth/me', { 'If-None-Match': '*' }),
      await service.api.get('/restaurants/1', { 'If-None-Match': '*' }),
      await service.api.get('/nowhere', { 'If-None-Match': '*' }),
      await alice.api.post('/restaurants', { name: 'Chez Nous' }, { 'If-None-Match': '*' }),
      await service.api.get('/metrics', { 'If-None-Match': '*' }),
      await service.api.send('/health', { headers: { 'If-None-Match': '*' } }),
    ];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('etag')]),
      [200, 200, 401, 404, 404, 201, 200, 200].map((status) => [status, null]),
    );
  });

  test('is the handler’s own where it has one, also of a stream, which is then not read', async (t) => {
    let reads = 0;
    const chunks = async function* (): AsyncGenerator<string> {
      reads += 1;
      yield await Promise.resolve('[]');
    };
    const headers = { 'Content-Type': 'application/json; charset=utf-8', ETag: 'W/"mine"' };
    const { url } = await startRoute(t, () => stream(200, headers, chunks));
    const [full, again] = [
      await askBytes(`${url}/api/x`),
      await askBytes(`${url}/api/x`, { 'If-None-Match': 'W/"mine"' }),
    ];
    assert.deepEqual([full.status, full.headers.etag, full.body.toString()], [200, 'W/"mine"', '[]']);
    assert.deepEqual([again.status, again.headers.etag, reads], [304, 'W/"mine"', 1]);
  });

  test('is made once for a reply that is cached', async (t) => {
    const cached = tagged(ok({ name: 'Chez Nous' }));
    assert.equal(tagged(cached), cached);
    const [known, fresh] = [
      await startRoute(t, () => cached),
      await startRoute(t, () => ok({ name: 'Chez Nous' })),
    ];
    const [tag] = headerValues(await known.api.get('/x'), 'etag');
    assert.deepEqual(headerValues(await fresh.api.get('/x'), 'etag'), [tag]);
    assert.equal((await known.api.get('/x', { 'If-None-Match': tag ?? '' })).status, 304);
  });

  test('does not turn a refusal or an answer that must not be stored into a 304', async (t) => {
    const replies = [errorReply(400, 'No'), json(200, {}, { ETag: 'W/"a"', 'Cache-Control': 'no-store' })];
    for (const reply of replies) {
      const { api } = await startRoute(t, () => reply);
      assert.equal((await api.get('/x', { 'If-None-Match': '*' })).status, reply.status);
    }
  });
});
