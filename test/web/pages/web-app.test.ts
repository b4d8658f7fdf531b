import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { askBytes, decodedBody } from '../../support/bytes.ts';
import { headerValues } from '../../support/client.ts';
import { LOCAL } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { addressesIn, filesAddress } from '../../support/web-app-files.ts';
import { PATTERNS } from '../../support/web-app-screens.ts';

const policyWith = (images: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${images}`,
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default lit-html',
  ].join('; ');
const OSM = 'https://tile.openstreetmap.org';
const POLICY = policyWith(`'self' blob: data: ${OSM}`);
const HEADERS = ['content-type', 'cache-control', 'content-security-policy', 'referrer-policy'];
const EXPECTED = ['text/html; charset=utf-8', 'no-cache', POLICY, 'strict-origin-when-cross-origin'];
// Nothing stores the page of a link, and no other site learns its address.
const EXPECTED_OF_LINKS = ['text/html; charset=utf-8', 'private, no-store', POLICY, 'no-referrer'];
const PAGES = PATTERNS.map((pattern) => pattern.replaceAll(/:\w+/g, '12'));

// Paths at which the app has no page, though some lie next to one.
const ELSEWHERE = [
  '/foo',
  '/.well-known/x',
  '/.well-known/security.txt',
  '/favicon.ico',
  '/robots.txt',
  '/index.html',
  '/restaurants',
  '/restaurants/12/photos',
  '/restaurants/12/x',
  '/lists/1/2',
  '/auth',
  '/join/x',
  '/app',
  '/app/',
  '/app/x',
  '/app/x/',
  '/sw.js/x',
  '/static/app/start/main.ts',
  '/main.js',
  '/api/foo',
  '/api',
  '/api/restaurants/12/edit',
];

/** A page without what it loads ahead, its data and its title, which are in documents.test.ts. */
const frameOf = (page: unknown): string =>
  String(page).replaceAll(
    / *<(?:link rel="modulepreload"|script type="application\/json"|title)[^\n]*\n/g,
    '',
  );

describe('the web app', () => {
  test('has the same page at all of its addresses, but for what they load ahead and their data, for every browser to ask for again', async (t) => {
    const { url, api } = await startService(t);
    const root = frameOf((await askBytes(`${url}/`)).body);
    assert.ok(PAGES.length >= 17);
    for (const path of [
      ...PAGES,
      '/restaurants/abc',
      '/?q=soup&sort=name',
      '/lists/',
      '/add?text=%F0%9F%8D%9C',
    ]) {
      const answer = await api.send(path, { headers: { 'Accept-Encoding': 'identity' } });
      // That of a link which opens nothing.
      const expected = /^\/[lo]\//.test(path) ? [404, ...EXPECTED_OF_LINKS] : [200, ...EXPECTED];
      assert.deepEqual([answer.status, ...headerValues(answer, ...HEADERS)], expected, path);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(frameOf(answer.body), root, path);
    }
  });

  test('has no page elsewhere: the answer is that of the API', async (t) => {
    const { api } = await startService(t);
    for (const path of ELSEWHERE) {
      const { status, headers, body } = await api.send(path, { headers: { Accept: 'text/html' } });
      const type = headers.get('content-type');
      assert.deepEqual([status, type], [404, 'application/json; charset=utf-8'], path);
      assert.deepEqual(body, { error: 'Not found' });
    }
    assert.equal((await api.get('/docs')).headers.get('content-type'), 'text/html; charset=utf-8');
  });

  test('answers HEAD like GET, other methods with 405, and 304 to a client that has the page', async (t) => {
    const { url, api } = await startService(t);
    for (const path of ['/', '/lists/3', '/sw.js', '/manifest.webmanifest'])
      for (const coding of ['identity', 'gzip', 'br']) {
        const asked = { 'Accept-Encoding': coding };
        const get = await askBytes(url + path, asked);
        const head = await askBytes(url + path, asked, 'HEAD');
        assert.deepEqual([head.status, head.body.length], [200, 0]);
        for (const name of [...HEADERS, 'etag', 'vary', 'content-encoding', 'content-length'])
          assert.equal(head.headers[name], get.headers[name], `${path} ${name}`);
        const etag = get.headers.etag ?? '';
        const again = await askBytes(url + path, { ...asked, 'If-None-Match': etag });
        assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, etag]);
        // A browser puts the headers of this answer in place of those that it has.
        for (const name of HEADERS.slice(1)) assert.equal(again.headers[name], get.headers[name], path);
        assert.equal((await askBytes(url + path, { ...asked, 'If-None-Match': '"x"' })).status, 200);
      }
    const post = await api.send('/lists/3', { method: 'POST' });
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
    assert.equal((await api.send('/', { method: 'OPTIONS' })).status, 204);
  });

  test('may show the tiles of another server where maps come from there, and of no other', async (t) => {
    const { api: without } = await startService(t, { MAP_TILES: 'none' });
    const strict = (await without.send('/', {})).headers.get('content-security-policy');
    assert.equal(strict, policyWith("'self' blob: data:"));
    for (const [tiles, images] of [
      ['https://Tiles.example:8443/{z}/{x}/{y}.png?key=a;script-src%20*', 'https://tiles.example:8443'],
      ['https://t.example/a/{z}/{x}/{y}', 'https://t.example'],
      ['osm', OSM],
      ['ask', OSM],
    ] as const) {
      const { api } = await startService(t, { MAP_TILES: tiles, MAP_ATTRIBUTION: 'Tiles' });
      const policy = (await api.send('/', {})).headers.get('content-security-policy');
      assert.equal(policy, policyWith(`'self' blob: data: ${images}`));
    }
  });

  test('shows the name of the catalogue as text, whatever markup it holds', async (t) => {
    const name = `</title><script>alert(1)</script>"'&{{base}}$&`;
    const { url, api } = await startService(t, { CATALOGUE_NAME: name });
    const page = (await askBytes(`${url}/`)).body.toString();
    const text = '&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;{{base}}$&amp;';
    assert.equal(page.split(text).length, 3);
    assert.ok(page.includes(JSON.stringify(name).replaceAll('<', '\\u003c')));
    assert.equal(page.includes('alert(1)</script>'), false);
    const filled = page.replaceAll(text, '').replace(/<script type="application\/json".*/, '');
    assert.equal(filled.includes('{{'), false);
    const manifest: unknown = JSON.parse(String((await api.send('/manifest.webmanifest', {})).body));
    assert.deepEqual(Object.entries(manifest ?? {}).slice(1, 3), [
      ['name', name],
      ['short_name', name],
    ]);
  });

  test('has another page and another address of its files under another name', async (t) => {
    const [one, other] = [await startService(t), await startService(t, { CATALOGUE_NAME: 'Other' })];
    const [first, second] = [await askBytes(`${one.url}/`), await askBytes(`${other.url}/`)];
    assert.notEqual(first.headers.etag, second.headers.etag);
    assert.notEqual(addressesIn(first)[0], addressesIn(second)[0]);
    assert.equal(
      (await askBytes(`${other.url}/`, { 'If-None-Match': first.headers.etag ?? '' })).status,
      200,
    );
  });

  test('has files, a worker and a manifest that are under no limit, whatever the API allows', async (t) => {
    const service = await startService(t, {
      RATE_LIMIT_PER_MINUTE: '1',
      RATE_LIMIT_BURST: '1',
      FILES_RATE_LIMIT_PER_MINUTE: '1',
      FILES_RATE_LIMIT_BURST: '1',
      EDGE_LIMITS: 'true',
    });
    const { pathname } = new URL(await filesAddress(service));
    for (let index = 0; index < 30; index += 1) {
      const path = ['/sw.js', '/manifest.webmanifest', `${pathname}/start/main.js`][index % 3] ?? '';
      const { status, headers } = await service.api.send(path, {});
      assert.deepEqual([status, headers.get('ratelimit-limit')], [200, null]);
    }
  });

  longTest('is there in every mode, and on a replica', async (t) => {
    const primary = await startService(t, LOCAL);
    const base = (await askBytes(`${primary.url}/settings/tokens`)).body;
    const oauth = await startService(t, { AUTH_MODE: 'oauth' });
    await primary.stop();
    const replica = await startService(t, { ...LOCAL, DATA_DIR: primary.folder, READ_ONLY: 'true' });
    for (const { url } of [oauth, replica]) {
      const answer = await askBytes(`${url}/settings/tokens`, { 'Accept-Encoding': 'br' });
      assert.equal(frameOf(decodedBody(answer)), frameOf(base));
      for (const address of addressesIn({ body: base }))
        assert.equal((await askBytes(url + address)).status, 200, address);
    }
  });
});
