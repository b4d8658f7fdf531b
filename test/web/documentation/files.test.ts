import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { headerValues } from '../../support/client.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const PAGE = 'text/html; charset=utf-8';
const JSON_FORM = 'application/json; charset=utf-8';

// The clients of /api/docs, and their answers.
const ACCEPTS: readonly (readonly [string, string, string])[] = [
  ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', PAGE],
  ['curl', '*/*', PAGE],
  ['a program that wants JSON', 'application/json', JSON_FORM],
  ['a program that would rather have JSON', 'application/json, text/plain, */*', JSON_FORM],
  ['a program that wants any application type', 'application/*', JSON_FORM],
  ['a client that accepts a page, and JSON less gladly', 'application/json;q=0.5, text/html', PAGE],
  ['a client that accepts JSON, and a page less gladly', 'text/html;q=0.5,application/json;q=0.9', JSON_FORM],
  ['a client that accepts both alike', 'application/json, text/html', PAGE],
  ['a client that refuses JSON', 'application/json;q=0, */*', PAGE],
  ['a client that accepts neither', 'image/png', PAGE],
  ['a client that writes in capitals', 'APPLICATION/JSON; Q=1.0', JSON_FORM],
  ['nonsense', ';;q=,,', PAGE],
];

/** The addresses from which the page loads, as it names them. */
function assetsOf(page: unknown): string[] {
  const found = [...String(page).matchAll(/(?:href|src)="(\/api\/docs\/assets\/[^"]+)"/g)];
  return [...new Set(found.map(([, address = '']) => address))];
}

describe('/api/docs', () => {
  longTest('returns to each client what it asks for', async (t) => {
    const { api } = await startService(t);
    for (const [who, Accept, type] of ACCEPTS) {
      const answer = await api.get('/docs', { Accept });
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type], who);
      assert.equal(answer.headers.get('vary'), 'Accept, Origin, Accept-Encoding');
    }
  });

  test('allows the page no files but its own, and no frame around it', async (t) => {
    const { api } = await startService(t);
    const policy = (await api.get('/docs')).headers.get('content-security-policy') ?? '';
    const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ', 1)[0], rule] as const));
    for (const name of ['default-src', 'frame-ancestors']) assert.equal(rules.get(name), `${name} 'none'`);
    for (const name of ['script-src', 'style-src', 'connect-src'])
      assert.equal(rules.get(name), `${name} 'self'`);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  });

  test('answers HEAD like GET, and accepts a slash at the end', async (t) => {
    const { api } = await startService(t);
    const get = await api.get('/docs/');
    const head = await api.send('/api/docs', { method: 'HEAD' });
    const names = ['etag', 'content-type', 'content-length', 'content-security-policy'];
    assert.deepEqual([head.status, ...headerValues(head, ...names)], [200, ...headerValues(get, ...names)]);
  });

  test('has another page where there are other ways to sign in', async (t) => {
    const [{ api }, other] = [await startService(t), await startService(t, { AUTH_MODE: 'oauth' })];
    const [tag] = headerValues(await api.get('/docs'), 'etag');
    assert.equal((await other.api.get('/docs', { 'If-None-Match': tag ?? '' })).status, 200);
  });
});

describe('the files of the page', () => {
  test('may be cached permanently under the address that the page names', async (t) => {
    const { api } = await startService(t);
    const addresses = assetsOf((await api.get('/docs')).body);
    assert.ok(addresses.length >= 5);
    for (const address of addresses) {
      const answer = await api.send(address, {});
      const [caching, tag] = headerValues(answer, 'cache-control', 'etag');
      assert.deepEqual([answer.status, caching], [200, 'public, max-age=31536000, immutable'], address);
      const again = await api.send(address, { headers: { 'If-None-Match': tag ?? '' } });
      assert.deepEqual([again.status, again.body], [304, '']);
    }
  });

  test('are available under an older address too, to be revalidated', async (t) => {
    const { api } = await startService(t);
    const { status, headers } = await api.get('/docs/assets/older/docs.js');
    assert.deepEqual([status, headers.get('cache-control')], [200, 'no-cache']);
    assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8');
  });

  for (const name of ['docs.html', 'swagger.yaml', 'common-passwords.txt', 'none.js', '..%2Fpackage.json'])
    test(`do not include others of the folder: ${name}`, async (t) => {
      const { api } = await startService(t);
      const { status, body } = await api.get(`/docs/assets/x/${name}`);
      assert.deepEqual([status, body], [404, { error: 'File not found' }]);
    });
});
