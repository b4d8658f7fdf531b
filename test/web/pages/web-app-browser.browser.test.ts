import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, test } from '../../support/chromium.ts';
import { array, field } from '../../support/client.ts';
import { startService } from '../../support/service.ts';
import { type App, type AppOptions, PHONE, holds, openApp, openNew } from '../../support/web-app.ts';

// Bytes by gzip, as a phone pays for them: what the first screen takes, and what its map adds.
const FIRST_SCREEN = 78_500;
const WITH_MAP = 169_500;
// The parts of a shared link are parameters of the page that adds a place.
const SHARING = {
  action: '/add',
  method: 'GET',
  enctype: 'application/x-www-form-urlencoded',
  params: { title: 'title', text: 'text', url: 'url' },
};

describe('the page of the web app in a browser', { skip: NO_BROWSER }, () => {
  test('shows the way to the documentation where JavaScript is off', async (t) => {
    const { page, service } = await openNew(t, {
      settings: { CATALOGUE_NAME: 'Chez <b>nous</b>' },
      path: '/lists/3',
      javaScriptEnabled: false,
    });
    assert.equal(await page.getByText('Chez <b>nous</b>').isVisible(), true);
    await page.getByRole('link', { name: 'documentation' }).click();
    assert.equal(page.url(), `${service.url}/api/docs`);
  });

  test('can be installed: its manifest is without a fault, and its icons are what they say', async (t) => {
    const { page } = await openApp(t, await startService(t, { CATALOGUE_NAME: 'Chez nous' }));
    const client = await page.context().newCDPSession(page);
    const { errors, data, url } = await client.send('Page.getAppManifest');
    assert.deepEqual([errors, new URL(url).pathname], [[], '/manifest.webmanifest']);
    const manifest: unknown = JSON.parse(data ?? '');
    assert.deepEqual(
      ['name', 'start_url', 'display', 'share_target'].map((name) => field(manifest, name)),
      ['Chez nous', '/', 'standalone', SHARING],
    );
    const { installabilityErrors } = await client.send('Page.getInstallabilityErrors');
    // A browser of tests is one without a trace.
    const faults = installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito');
    assert.deepEqual(faults, []);
    const icons = array(field(manifest, 'icons'));
    assert.equal(icons.length, 4);
    const wrong = await page.evaluate(`Promise.all(${JSON.stringify(icons)}.map(async ({ src, sizes }) => {
      const image = new Image();
      image.src = src;
      await image.decode();
      const size = image.naturalWidth + 'x' + image.naturalHeight;
      return sizes === 'any' || sizes === size ? [] : [src + ' is ' + size];
    }))`);
    assert.deepEqual(wrong, [[], [], [], []]);
  });

  test('stays within its budget of bytes, with and without a map', async (t) => {
    const service = await startService(t);
    const options: AppOptions = {
      extraHTTPHeaders: { 'Accept-Encoding': 'gzip' },
      // Half a second later Explore loads the screen of a place, which is not part of the budget: it never arrives here.
      prepare: (context) => context.route('**/place/*.js', () => undefined),
    };
    const bytesOf = async ({ page }: App): Promise<number> => {
      // What was preloaded has two entries.
      const sizes: unknown = await page.evaluate(`[...new Map(
        [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
          .map(({ name, encodedBodySize }) => [name, encodedBodySize])).values()]`);
      return array(sizes).reduce<number>((bytes, size) => bytes + Number(size), 0);
    };
    const list = await bytesOf(await openApp(t, service, { ...options, viewport: PHONE }));
    const app = await openApp(t, service, options);
    await app.page.locator('.map canvas').first().waitFor();
    // The coast and the names on it come last.
    for (const file of ['land-', 'names.json'])
      await holds(
        app.page,
        `performance.getEntriesByType('resource').some(({ name }) => name.includes('${file}'))`,
      );
    const both = await bytesOf(app);
    t.diagnostic(`${list} bytes for the list, ${both} with a map`);
    assert.ok(list > 3_000 && list <= FIRST_SCREEN, `${list} bytes for the list`);
    assert.ok(both > list && both <= WITH_MAP, `${both} bytes with a map`);
  });
});
