import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { directionOf } from '../../../src/web/pages/languages.ts';
import { askBytes } from '../../support/bytes.ts';
import { LANGUAGES } from '../../support/languages.ts';
import { startService } from '../../support/service.ts';

// By gzip, more than the English ones.
const MORE_BYTES = 10_000;

/** The beginning of the page, and the address of its files. */
function rootOf(body: Buffer): { readonly root: string; readonly base: string } {
  const [root = ''] = /<html[^>]*>/.exec(body.toString()) ?? [];
  return { root, base: /data-base="([^"]+)"/.exec(root)?.[1] ?? '' };
}

describe('The language of a page', () => {
  test('is the one that was chosen, then the one that the browser prefers, then English', async (t) => {
    const { url } = await startService(t);
    const ask = async (headers: Readonly<Record<string, string>>): Promise<string | undefined> =>
      / lang="([^"]+)"/.exec(rootOf((await askBytes(`${url}/`, headers)).body).root)?.[1];
    assert.equal(await ask({}), 'en');
    assert.equal(await ask({ 'accept-language': 'zh,*' }), 'en');
    assert.equal(await ask({ 'accept-language': 'it-CH,de;q=0.5' }), 'it');
    assert.equal(await ask({ 'accept-language': 'it', cookie: 'a=b; language=ja' }), 'ja');
    for (const chosen of ['xx', '', '../en', 'en.de', 'EN'])
      assert.equal(await ask({ 'accept-language': 'it', cookie: `language=${chosen}` }), 'it');
  });

  test('decides about its texts, direction and title, and is named by Vary', async (t) => {
    const { url } = await startService(t);
    const english = rootOf((await askBytes(`${url}/`)).body).base;
    const sizes = new Map<string, number>();
    for (const tag of ['en', ...LANGUAGES]) {
      const page = await askBytes(`${url}/restaurants/7`, { cookie: `language=${tag}` });
      const { root, base } = rootOf(page.body);
      assert.match(root, new RegExp(` dir="${directionOf(tag)}"`));
      assert.match(page.headers.vary ?? '', /Cookie, Accept-Language/);
      assert.equal(base, tag === 'en' ? english : `${english}.${tag}`);
      const texts = await askBytes(`${url}${base}/texts/texts.js`);
      assert.equal(texts.status, 200);
      sizes.set(tag, gzipSync(texts.body).length);
      const other = await askBytes(`${url}${base}/start/main.js`);
      assert.deepEqual(other.body, (await askBytes(`${url}${english}/start/main.js`)).body);
    }
    const least = sizes.get('en') ?? NaN;
    for (const [tag, size] of sizes) assert.ok(size - least <= MORE_BYTES, `${tag}: ${size} of ${least}`);
    assert.equal((await askBytes(`${url}${english}.xx/start/main.js`)).status, 404);
    const german = await askBytes(`${url}/restaurants/7`, { cookie: 'language=de' });
    assert.match(german.body.toString(), /<title>Nicht mehr da - Catalogue<\/title>/);
  });
});
