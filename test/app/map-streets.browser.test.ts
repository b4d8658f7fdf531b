import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { NO_BROWSER, test } from '../support/chromium.ts';
import { PLACES, ROME, mapped } from '../support/explore-map.ts';
import { type FakeServer, startFakeServer } from '../support/fake-server.ts';
import { type App, holds, openNew } from '../support/web-app.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkM/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==',
  'base64',
);
const TILES = `document.querySelectorAll('img.leaflet-tile-loaded').length`;

/** A catalogue that offers the streets of a server of tiles on loopback. */
async function openWithStreets(t: TestContext, path: string): Promise<App & { readonly tiles: FakeServer }> {
  const tiles = await startFakeServer(t, (response) =>
    response.writeHead(200, { 'Content-Type': 'image/png' }).end(PIXEL),
  );
  // The configuration comes with the page, and names the server of OpenStreetMap.
  const prepare = (context: BrowserContext): Promise<unknown> =>
    context.route(/\/(?:\?[^/]*|restaurants\/1|settings(?:\/\w+)?)?$/, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll('https://tile.openstreetmap.org', tiles.url);
      await route.fulfill({ response, body });
    });
  // The policy of the page names openstreetmap.org alone.
  const app = await openNew(t, {
    settings: { MAP_TILES: 'ask' },
    places: PLACES,
    path,
    prepare,
    ally: tiles.url,
    bypassCSP: true,
    // A page that was changed on its way is not taken for one of this machine.
    permissions: ['local-network-access'],
  });
  return { ...app, tiles };
}

const showStreets = (page: Page): ReturnType<Page['getByRole']> =>
  page.getByRole('button', { name: 'Show streets Pictures then come from openstreetmap.org' });

describe('The streets', { skip: NO_BROWSER }, () => {
  test('come from another server only after a press, and only those in view', async (t) => {
    const { page, tiles, service } = await openWithStreets(t, ROME);
    await mapped(page);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByText('Coast and names: Natural Earth').waitFor();
    assert.ok(tiles.asked.length < 1);
    await showStreets(page).click();
    await holds(page, `${TILES} >= 6`);
    await holds(page, `document.querySelectorAll('.map-city, .map-ring').length === 0`);
    await showStreets(page).waitFor({ state: 'detached' });
    const copyright = page.locator('.stage').getByRole('link', { name: 'OpenStreetMap' });
    assert.equal(await copyright.getAttribute('href'), 'https://www.openstreetmap.org/copyright');
    assert.deepEqual([...new Set(tiles.asked.map(({ headers }) => headers.referer))], [`${service.url}/`]);
    const zooms = new Set(tiles.asked.map(({ path }) => path.split('/')[1]));
    assert.equal(zooms.size, 1);
    // 800 by 750 pixels touch at most five by four tiles.
    const { length } = tiles.asked;
    assert.ok(length <= 20, String(length));
  });

  test('stay chosen in this browser, on the map of a place as well, until Settings takes them back', async (t) => {
    const { page, tiles, service } = await openWithStreets(t, '/restaurants/1');
    await showStreets(page).click();
    await holds(page, `${TILES} > 0`);
    await page.goto(`${service.url}${ROME}`);
    await mapped(page);
    await holds(page, `${TILES} > 0`);
    await page.goto(`${service.url}/settings`);
    await page.getByRole('checkbox', { name: 'Show streets' }).uncheck();
    const asked = tiles.asked.length;
    await page.goto(`${service.url}${ROME}`);
    await mapped(page);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await showStreets(page).waitFor();
    await page.goto(`${service.url}/restaurants/1`);
    await showStreets(page).waitFor();
    await page.locator('.place-map .map-drop').waitFor();
    assert.equal(tiles.asked.length, asked);
  });
});
