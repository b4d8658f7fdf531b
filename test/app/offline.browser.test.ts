import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { addRestaurants } from '../support/lists.ts';
import { uploadWithThumbnail } from '../support/photos.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { filesAddress } from '../support/web-app-files.ts';
import { AWAY, CONTROLLED, storedRatings } from '../support/web-app-offline.ts';
import { holds, openApp, openAsAlice, openNew, openTab, settled } from '../support/web-app.ts';

const LOADED_PICTURE = `document.querySelector('main img')?.naturalWidth > 0`;

/** The same service again on the same address, with another version of the app: its name is part of that. */
async function startNext(t: TestContext, { folder, port, stop }: Service): Promise<Service> {
  await stop();
  return startService(t, { DATA_DIR: folder, PORT: String(port), CATALOGUE_NAME: 'Next' });
}

/** Has the page look for a new version, as it does when somebody comes back to it. */
const comeBack = (page: Page): Promise<unknown> =>
  page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);

const shell = `caches.keys().then((names) => names.filter((name) => name.startsWith('shell ')).length)`;

describe('the web app without a connection', { skip: NO_BROWSER }, () => {
  mainPath('opens what was seen, with its pictures, its map and its time', async (t) => {
    const service = await startService(t);
    await addRestaurants(service.api, 'Soba Ya', 'Osteria Uno');
    await uploadWithThumbnail(service.api);
    const app = await openApp(t, service, { worker: true, ...AWAY });
    await holds(app.page, CONTROLLED);
    await app.page.reload();
    await holds(app.page, LOADED_PICTURE);
    await app.page.getByRole('link', { name: 'Soba Ya' }).click();
    await app.page.getByRole('heading', { name: 'Soba Ya' }).first().waitFor();
    await settled(app.page);
    await app.context.setOffline(true);
    await app.page.close();
    for (const [path = '', part = ''] of [
      ['/restaurants/1', 'h1'],
      ['/', '.leaflet-container'],
    ]) {
      const { page } = await openTab(t, app, path, AWAY);
      await page.getByText(/No connection\. From \d+:\d+\./).waitFor();
      await page.getByText('Soba Ya').first().waitFor();
      await holds(page, LOADED_PICTURE);
      await page.locator(part).first().waitFor();
      await page.close();
    }
    // It was seen as a row alone.
    const seen = await openTab(t, app, '/restaurants/2', AWAY);
    await seen.page.getByRole('heading', { name: 'Osteria Uno' }).first().waitFor();
    await seen.page.getByText(/No connection\. From \d+:\d+\./).waitFor();
    const { page } = await openTab(t, app, '/restaurants/3', AWAY);
    await page.getByText('The service cannot be reached.').waitFor();
    await addRestaurants(service.api, 'Trattoria Due');
    await app.context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Trattoria Due' }).first().waitFor();
  });

  test('counts what was rated and not sent yet, also after a reload', async (t) => {
    const app = await openNew(t, { places: [{ name: 'Soba Ya' }], worker: true, ...AWAY });
    const { page } = app;
    await holds(page, CONTROLLED);
    await page.getByRole('link', { name: 'Soba Ya' }).click();
    await settled(page);
    await app.context.setOffline(true);
    await page.locator('.rating label').nth(3).click();
    await page.locator('.rating').getByText('Will be sent when there is a connection').waitFor();
    await page.reload();
    await page.locator('.means b', { hasText: '4.0' }).first().waitFor();
    await page.getByRole('link', { name: 'Explore' }).first().click();
    await page.locator('.row .score', { hasText: '4.0' }).waitFor();
  });

  test('is not what opens where the manual should', async (t) => {
    const { page, service } = await openNew(t, { path: '/settings', worker: true, ...AWAY });
    await holds(page, CONTROLLED);
    const links = page.getByRole('navigation', { name: 'Settings' });
    await links.getByRole('link', { name: 'Manual' }).click();
    await page.getByRole('heading', { level: 1, name: 'Manual' }).waitFor();
    await service.stop();
    await assert.rejects(page.goto(`${service.url}/manual/install`), /ERR_CONNECTION_REFUSED/);
  });

  test('shows what was seen while the service does not answer', async (t) => {
    const app = await openAsAlice(t, { places: [{ name: 'Soba Ya' }], ...AWAY });
    const { service } = app;
    await app.page.close();
    await app.context.route('**/api/**', () => undefined);
    // No tab of openTab's, which waits until nothing more will come.
    const page = await app.context.newPage();
    await page.goto(service.url);
    await page.getByRole('link', { name: 'Soba Ya' }).waitFor();
    await page.getByLabel('Settings of alice').first().waitFor();
    await app.context.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('tells of a new version, keeps its own files until then, and loses no draft', async (t) => {
    const app = await openNew(t, { path: '/add', worker: true, ...AWAY });
    const { page, service } = app;
    await holds(page, CONTROLLED);
    const other = await openTab(t, app, '/', AWAY);
    await page.getByRole('textbox', { name: /name/i }).first().fill('Soba Ya');
    const next = await startNext(t, service);
    // Again and again, as people do: a look is lost while the browser itself looks at a service that is just starting.
    await until(async () => {
      await comeBack(page);
      return page.getByText('There is a new version of this page.').isVisible();
    });
    await other.page.getByText('There is a new version of this page.').waitFor();
    // Its module was not loaded yet, and the service has another one now.
    await other.page.bringToFront();
    await other.page.getByRole('link', { name: 'Lists' }).first().click();
    await other.page.waitForURL('**/lists');
    await settled(other.page);
    assert.equal(await other.page.getByText('This did not work').count(), 0);
    await page.bringToFront();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('There is a new version of this page.').waitFor({ state: 'detached' });
    await settled(page);
    assert.equal(await page.getByRole('textbox', { name: /name/i }).first().inputValue(), 'Soba Ya');
    await holds(page, `document.title.endsWith(' - Next')`);
    assert.equal(
      `${next.url}${String(await page.evaluate('document.documentElement.dataset.base'))}`,
      await filesAddress(next),
    );
    await holds(page, `${shell}.then((count) => count === 2)`);
  });

  test('offers to load the page again where a file of an old version is gone', async (t) => {
    const { page, service } = await openNew(t, { refusals: [404], ...AWAY });
    // The map comes after the page: what of it is missing is another matter.
    await page.getByRole('button', { name: 'Zoom in' }).waitFor();
    await startNext(t, service);
    await page.getByRole('link', { name: 'Lists' }).first().click();
    await page.getByText('This did not work').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Lists' }).first().waitFor();
  });

  test('works over plain HTTP, all but opening without a connection', async (t) => {
    const { url, ...service } = await startService(t, { ALLOWED_HOSTS: 'catalogue.test' });
    await service.api.post('/restaurants', { name: 'Soba Ya' });
    const plain = { ...service, url: url.replace('127.0.0.1', 'catalogue.test') };
    const { page, context } = await openApp(t, plain, { worker: true, ...AWAY });
    const missing = `[isSecureContext, 'serviceWorker' in navigator, 'locks' in navigator]`;
    assert.deepEqual(await page.evaluate(missing), [false, false, false]);
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Rate Soba Ya' }).click();
    await page.getByRole('dialog').getByText('4 stars').first().click({ force: true });
    await page.getByText('1 waiting').waitFor();
    await context.setOffline(false);
    await page.getByText('1 waiting').waitFor({ state: 'detached' });
    assert.deepEqual(storedRatings({ ...service, url }), [{ id: 1, food: 4 }]);
  });
});
