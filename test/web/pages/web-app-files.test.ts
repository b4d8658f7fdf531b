import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, test } from 'node:test';
import { randomNumbers } from '../../support/catalogue.ts';
import { askBytes, decodedBody } from '../../support/bytes.ts';
import { startService } from '../../support/service.ts';
import { SCALE, SEED, longTest } from '../../support/size.ts';
import { addressesIn, filesAddress } from '../../support/web-app-files.ts';

const FOLDER = new URL('../../../static/app/', import.meta.url);
const PATHS = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
const read = (path: string): Buffer => readFileSync(new URL(path, FOLDER));
// What is sent of a module has lost its types and comments.
const BUILT = new URL('../../../dist/web-app/', import.meta.url);
const asSent = (path: string): Buffer =>
  path.endsWith('.js') ? readFileSync(new URL(path, BUILT)) : read(path);
const MODULES = PATHS.filter((path) => path.endsWith('.ts') && !/^(?:vendor|texts)\//.test(path));
const SERVED = [
  ...MODULES.map((path) => path.replace(/ts$/, 'js')),
  ...PATHS.filter((path) => /\.(?:svg|png|csv|json)$/.test(path) && !path.startsWith('texts/')),
  'src/catalogue/places/positions.js',
  'src/catalogue/places/map-address.js',
].filter((path) => path !== 'start/sw.js');
const VENDOR = [
  'lit-html/lit-html.js',
  'lit-html/async-directive.js',
  'lit-html/directive.js',
  ...['ref', 'repeat', 'live', 'if-defined', 'guard', 'keyed', 'until', 'class-map'].map(
    (name) => `lit-html/directives/${name}.js`,
  ),
  'leaflet/leaflet.js',
  'leaflet/leaflet.css',
  'protomaps-leaflet/protomaps-leaflet.js',
  'world-atlas/land-110m.json',
  'world-atlas/land-50m.json',
  'uqr/dist/index.mjs',
].map((path) => `vendor/${path}`);
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
};
// Of TypeScript and CSS: code, types and styles.
const MOST_LINES = 11_420;
const IMMUTABLE = 'public, max-age=31536000, immutable';

// Files next to those that are served, and ways around; the hostile paths of all files have a test of their own.
const HIDDEN = [
  'index.html',
  'start/sw.js',
  'manifest.webmanifest',
  'start/tokens.css',
  'base/types.ts',
  'start/main.ts',
  'tsconfig.json',
  'x.js',
  'vendor/lit-html/lit-html.d.ts',
  'vendor/lit-html/package.json',
  'vendor/lit-html/node/lit-html.js',
  'vendor/leaflet/dist/leaflet.js',
  'vendor/leaflet/package.json',
  'vendor/better-sqlite3/package.json',
  'vendor/world-atlas/countries-110m.json',
  '..%2fswagger.yaml',
  'explore/..%2fstart/main.js',
  'start/main.js%00',
  'start/MAIN.JS',
  'start/main.js.map',
  '__proto__',
  'constructor',
  'toString',
];

/** The modules that a module names, those that it loads later included, without the types in its comments. */
function importsOf(path: string, source: string): string[] {
  const code = source.replaceAll(/\/\*[^]*?\*\/|(?<![:'"])\/\/.*$/gm, '');
  const named = code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']/g);
  return [...named].map(([, target = '']) => posix.join(posix.dirname(path), target));
}

describe('a file of the web app', () => {
  longTest(
    'may be cached permanently below the address that the page names, and is what lies in the folder but for comments',
    async (t) => {
      const base = await filesAddress(await startService(t));
      assert.match(base, /\/app\/[\w-]{16}$/);
      for (const path of [...SERVED, ...VENDOR, 'app.css', 'icons/icon.svg']) {
        const { status, headers, body } = await askBytes(`${base}/${path}`);
        const type = TYPES[path.split('.').at(-1) ?? ''];
        const {
          'cache-control': caching,
          'content-type': sent,
          'x-content-type-options': sniffing,
        } = headers;
        assert.deepEqual([status, caching, sent, sniffing], [200, IMMUTABLE, type, 'nosniff'], path);
        if (SERVED.includes(path)) assert.ok(body.equals(asSent(path)), path);
        const again = await askBytes(`${base}/${path}`, { 'If-None-Match': headers.etag ?? '' });
        assert.deepEqual([again.status, again.body.length], [304, 0]);
      }
    },
  );

  test('is not found under an older version, nor where another lies: never a page, and never cached', async (t) => {
    const { url } = await startService(t);
    const base = await filesAddress({ url });
    for (const address of [
      ...[
        '/app/AAAAAAAAAAAAAAAA/start/main.js',
        '/app/x/vendor/leaflet/leaflet.js',
        '/app//start/main.js',
      ].map((path) => url + path),
      ...HIDDEN.map((path) => `${base}/${path}`),
    ]) {
      const { status, headers, body } = await askBytes(address);
      assert.ok(status === 404 || status === 400, address);
      assert.equal(headers['content-type'], 'application/json; charset=utf-8');
      if (status === 404) assert.equal(body.toString(), '{"error":"File not found"}', address);
      if (status === 404) assert.equal(headers['cache-control'], 'private, no-store');
    }
  });

  test('names only modules that are served', async (t) => {
    const base = await filesAddress(await startService(t));
    const modules = [...SERVED, ...VENDOR].filter(
      (path) => path.endsWith('.js') && !path.includes('leaflet'),
    );
    const sources = modules.map(
      (path) => [path, path.startsWith('vendor/') ? undefined : asSent(path)] as const,
    );
    const named = new Set<string>();
    for (const [path, own] of sources) {
      const source = own ?? (await askBytes(`${base}/${path}`)).body;
      for (const target of importsOf(path, source.toString())) named.add(target);
    }
    assert.ok(named.size > 3);
    for (const path of named) assert.equal((await askBytes(`${base}/${path}`)).status, 200, path);
  });

  longTest('is compressed for who asks, the same inside, as many as are asked for at once', async (t) => {
    const base = await filesAddress(await startService(t));
    const all = ['app.css', ...VENDOR, ...SERVED.filter((path) => path.endsWith('.js'))];
    const random = randomNumbers(SEED);
    const texts = all.filter((_, index) => index === 0 || random() < SCALE);
    for (const coding of ['gzip', 'br']) {
      const asked = { 'Accept-Encoding': coding };
      const answers = await Promise.all(texts.map((path) => askBytes(`${base}/${path}`, asked)));
      for (const [index, answer] of answers.entries()) {
        const plain = await askBytes(`${base}/${texts[index] ?? ''}`);
        assert.ok(decodedBody(answer).equals(plain.body), texts[index]);
        const isLong = plain.body.length > 1_024;
        assert.equal(answer.headers['content-encoding'], isLong ? coding : undefined, texts[index]);
        assert.equal(answer.headers.etag?.startsWith('W/'), isLong);
        const head = await askBytes(`${base}/${texts[index] ?? ''}`, asked, 'HEAD');
        assert.equal(head.headers['content-length'], String(answer.body.length));
      }
    }
  });

  test('is in the one style sheet if it is one: variables first, paper last', async (t) => {
    const base = await filesAddress(await startService(t));
    const sheet = (await askBytes(`${base}/app.css`)).body.toString();
    const places = PATHS.filter((path) => path.endsWith('.css')).map((path) => {
      const at = sheet.indexOf(read(path).toString());
      assert.notEqual(at, -1, path);
      return [at, path] as const;
    });
    const order = places.toSorted(([a], [b]) => a - b).map(([, path]) => path);
    assert.deepEqual(
      [...order.slice(0, 2), order.at(-1)],
      ['start/tokens.css', 'parts/parts.css', 'start/print.css'],
    );
  });

  test('is one of few: all of them stay within a budget of lines of code', () => {
    const counted = [...MODULES, ...PATHS.filter((path) => path.endsWith('.css'))];
    const lines = counted.flatMap((path) => read(path).toString().trimEnd().split('\n')).length;
    assert.ok(lines > 0 && lines <= MOST_LINES, `${lines} lines`);
  });
});

describe('the page of the web app', () => {
  longTest('loads ahead all modules that it needs, each of them once', async (t) => {
    const { url } = await startService(t);
    const base = await filesAddress({ url });
    for (const [path, view] of [
      ['/', 'explore/view.js'],
      ['/restaurants/1', 'place/view.js'],
      ['/settings/tokens', 'settings/view.js'],
    ] as const) {
      const page = (await askBytes(url + path)).body.toString();
      const preloaded = [...page.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(
        ([, href = '']) => url + href,
      );
      const needed = new Set(['start/main.js', view]);
      for (const module of needed) {
        const source = (await askBytes(`${base}/${module}`)).body.toString();
        const atStart = source.matchAll(
          /(?:^|;|\n)(?:import|export)[\w\s{},*$]*?(?:from)?\s*["'](\.[^"']+)["']/g,
        );
        for (const [, target = ''] of atStart) needed.add(posix.join(posix.dirname(module), target));
      }
      const expected = [...needed].slice(1).map((module) => `${base}/${module}`);
      assert.deepEqual(preloaded.toSorted(), expected.toSorted(), path);
      assert.ok(preloaded.includes(`${base}/vendor/lit-html/lit-html.js`));
      for (const address of addressesIn({ body: Buffer.from(page) }))
        assert.equal((await askBytes(url + address)).status, 200, address);
    }
  });
});

describe('the service worker of the web app', () => {
  longTest(
    'knows the files of its version, all of which are there, and what the app needs is among them',
    async (t) => {
      const { url } = await startService(t);
      const base = await filesAddress({ url });
      const { headers, body } = await askBytes(`${url}/sw.js`);
      const source = body.toString();
      assert.deepEqual(
        [headers['content-type'], headers['cache-control'], source.includes('{{')],
        ['text/javascript; charset=utf-8', 'no-cache', false],
      );
      assert.match(String(headers['content-security-policy']), /; connect-src 'self';/);
      const shell = Array.from(source.matchAll(/\/app\/[^\s"/]+\/[^\s"]+/g), ([path]) => url + path);
      for (const address of shell) assert.equal((await askBytes(address)).status, 200, address);
      const wanted = SERVED.filter((path) => path.endsWith('.js')).concat(
        'app.css',
        'vendor/lit-html/lit-html.js',
        ...['leaflet/leaflet.js', 'leaflet/leaflet.css', 'world-atlas/land-110m.json'].map(
          (path) => `vendor/${path}`,
        ),
      );
      assert.deepEqual(
        wanted.filter((path) => !shell.includes(`${base}/${path}`)),
        [],
      );
      assert.deepEqual(
        shell.filter((address) => /protomaps|50m|png|csv/.test(address)),
        [],
      );
    },
  );
});
