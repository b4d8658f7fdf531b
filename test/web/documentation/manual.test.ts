import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Marked, type Token } from 'marked';
import { askBytes, decodedBody } from '../../support/bytes.ts';
import { CHECKOUT } from '../../support/checkout.ts';
import { headerValues } from '../../support/client.ts';
import { MANUAL_SOURCES, manualPages } from '../../support/manual.ts';
import { LOCAL } from '../../support/people.ts';
import { type Service, startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');
const ABROAD = /^(?:https?:\/\/|mailto:)/;

async function textAt({ api }: Service, path: string): Promise<string> {
  const { status, body } = await api.send(path, {});
  assert.equal(status, 200, path);
  return String(body);
}

const mainOf = (page: string): string => /<main[^]*<\/main>/.exec(page)?.[0] ?? '';

/** All that Markdown consists of. What looks like a link within code is none. */
function tokensIn(source: string): Token[] {
  const tokens: Token[] = [];
  const markdown = new Marked();
  void markdown.walkTokens(markdown.lexer(source), (token) => {
    tokens.push(token);
  });
  return tokens;
}

/** The targets of the links and pictures in Markdown. */
const targetsIn = (source: string): string[] =>
  tokensIn(source).flatMap((token) =>
    (token.type === 'link' || token.type === 'image') && 'href' in token ? [String(token.href)] : [],
  );

describe('the manual', () => {
  longTest('has the pages that its first one lists, under their titles, and no other', async (t) => {
    const service = await startService(t);
    const pages = await manualPages(service);
    const names = pages.map(({ path }) => path.slice('/manual/'.length) || 'index');
    assert.deepEqual(names.toSorted(), [...MANUAL_SOURCES.keys()].sort());
    for (const { path, title } of pages) {
      const page = await textAt(service, path);
      const headings = [...page.matchAll(/<h1[^>]*><a[^>]*>(.*?)<\/a>/g)].map(([, text]) => text);
      assert.deepEqual(headings, [title], path);
      assert.match(page, new RegExp(`<title>${title} – `));
      assert.equal(page.split(`<a href="${path}" aria-current="page">`).length, 2, path);
    }
    const list = mainOf(await textAt(service, '/manual'));
    for (const { path, title } of pages.slice(1))
      assert.ok(list.includes(`<a href="${path}">${title}</a>`), path);
  });

  longTest('has no dead link', async (t) => {
    const service = await startService(t);
    const known = new Map<string, readonly string[]>();
    const idsAt = async (path: string): Promise<readonly string[]> => {
      const text = known.has(path) ? '' : await textAt(service, path);
      const ids = known.get(path) ?? [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
      known.set(path, ids);
      return ids;
    };
    for (const { path } of await manualPages(service)) {
      const page = await textAt(service, path);
      const found = [...page.matchAll(/ (?:href|src|action)="([^"]+)"/g)].map(([, address = '']) => address);
      assert.ok(found.length > 10);
      for (const address of new Set(found.filter((one) => !ABROAD.test(one)))) {
        const [file = '', id] = address.split('#');
        const ids = await idsAt(file === '' ? path : file);
        if (id !== undefined) assert.ok(ids.includes(decodeURIComponent(id)), `${path} leads to ${address}`);
      }
    }
  });

  test('names no file that is not there, so that links work where a forge shows it, too', () => {
    for (const [name, source] of MANUAL_SOURCES)
      for (const target of targetsIn(source).filter((one) => !ABROAD.test(one))) {
        const file = new URL(target.split('#', 1)[0] ?? '', new URL(`static/manual/${name}.md`, CHECKOUT));
        assert.ok(!target.startsWith('/') && file.href.startsWith(CHECKOUT.href), `${name}: ${target}`);
        assert.ok(existsSync(file), `${name}: ${target}`);
      }
  });

  test('is written in the Markdown that is served as forges show it', () => {
    for (const [name, source] of MANUAL_SOURCES) {
      const odd = tokensIn(source).filter((token) => {
        const { type, raw } = token;
        // A text that has parts holds code as well.
        if ('tokens' in token && type === 'text') return false;
        if (type === 'html') return !raw.startsWith('<!--');
        if (type === 'heading') return /\]\(|&/.test(raw);
        // Alerts and footnotes are not Markdown's own.
        return type === 'checkbox' || (type === 'text' && /\[!\w+\]|\[\^/.test(raw));
      });
      const texts = odd.map(({ raw }) => raw);
      assert.deepEqual(texts, [], name);
    }
  });

  test('is the same for everybody: with accounts, and on a replica', async (t) => {
    const first = await startService(t, LOCAL);
    const expected = await textAt(first, '/manual/install');
    await first.stop();
    const replica = await startService(t, { DATA_DIR: first.folder, READ_ONLY: 'true' });
    assert.equal(await textAt(replica, '/manual/install'), expected);
  });

  test('answers HEAD like GET, other methods with 405, and 304 to a client that has the page', async (t) => {
    const { url, api } = await startService(t);
    const names = ['content-type', 'etag', 'content-security-policy', 'cache-control', 'vary'];
    for (const path of ['/manual', '/manual/install', '/manual/?q=secret']) {
      const headers = { 'Accept-Encoding': 'gzip' };
      const get = await askBytes(url + path, headers);
      assert.deepEqual([get.status, get.headers['content-encoding']], [200, 'gzip']);
      assert.equal(get.headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(get.headers['content-security-policy'], POLICY);
      assert.equal(get.headers['cache-control'], 'no-cache');
      assert.match(decodedBody(get).toString(), /<\/html>\n$/);
      const head = await askBytes(url + path, headers, 'HEAD');
      assert.deepEqual([head.status, head.body.length], [200, 0]);
      for (const name of names) assert.equal(head.headers[name], get.headers[name], name);
      const again = await askBytes(url + path, { ...headers, 'If-None-Match': get.headers.etag ?? '' });
      assert.deepEqual([again.status, again.body.length], [304, 0]);
      for (const name of names.slice(1)) assert.equal(again.headers[name], get.headers[name], name);
    }
    const post = await api.send('/manual/install', { method: 'POST' });
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  });

  test('has its Markdown under the names of its files, and no page under another name', async (t) => {
    const { api } = await startService(t);
    for (const [name, source] of MANUAL_SOURCES) {
      const answer = await api.send(`/manual/${name}.md`, {});
      const [type] = headerValues(answer, 'content-type');
      assert.deepEqual([answer.status, type, answer.body], [200, 'text/markdown; charset=utf-8', source]);
    }
    const others = ['gone', 'gone.md', 'Install', 'install.html', 'install/x', '__proto__', '..%2Fdocs.html'];
    for (const name of others) {
      const { status, body } = await api.send(`/manual/${name}`, {});
      assert.equal(status, 404, name);
      assert.match(JSON.stringify(body), /^\{"error":"(?:Page not|Not) found"\}$/);
    }
  });

  test('counts as files do', async (t) => {
    const limits = { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '1' };
    const ofFiles = { FILES_RATE_LIMIT_PER_MINUTE: '1', FILES_RATE_LIMIT_BURST: '3' };
    const { api } = await startService(t, { ...limits, ...ofFiles });
    for (const status of [200, 200, 200, 429]) assert.equal((await api.send('/manual', {})).status, status);
    assert.equal((await api.get('/health')).status, 200);
  });
});

describe('the search of the manual', () => {
  test('leads to the parts that have the words, or says that there are none, with markup as text', async (t) => {
    const service = await startService(t);
    const { path, title } = (await manualPages(service)).at(-1) ?? { path: '', title: '' };
    const page = await textAt(service, `/manual?q=${encodeURIComponent(title.toUpperCase())}`);
    assert.ok(mainOf(page).includes(`<li><a href="${path}">${title}</a><p>`));
    assert.match(mainOf(page), /<p>(?:One part|\d+ parts) of the manual with “/);
    assert.equal(page.includes('aria-current'), false);
    const none = await textAt(service, `/manual?q=${encodeURIComponent('"><script>{{base}}')}`);
    assert.match(mainOf(none), /<p>No part of the manual has “&quot;&gt;&lt;script&gt;\{\{base\}\}”\.<\/p>/);
    assert.match(none, /value="&quot;&gt;&lt;script&gt;\{\{base\}\}"/);
  });

  test('is the first page without words, and takes whatever comes', async (t) => {
    const service = await startService(t);
    const first = await textAt(service, '/manual');
    for (const query of ['?q=', '?q=%20%09', '?x=1', '?', '?q=&q=a'])
      assert.equal(await textAt(service, `/manual${query}`), first, query);
    for (const query of ['%zz', '%00', '%ff', '.*', 'a+'.repeat(1_000)])
      assert.match(await textAt(service, `/manual?q=${query}`), /<h1>Search<\/h1>/);
  });
});
