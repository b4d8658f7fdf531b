import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { addList, addRestaurants } from '../support/lists.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { until } from '../support/until.ts';
import { type App, openAsAlice, openNew, openTab, press, settled } from '../support/web-app.ts';

const STREAM = 'GET /api/changes/stream';

const streamsOf = ({ requests }: App): number => requests.filter((one) => one === STREAM).length;

/** Hides a tab, or shows it again, as its browser would report. */
const look = ({ page }: App, isHidden: boolean): Promise<unknown> =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

describe('Changes of others', { skip: NO_BROWSER }, () => {
  mainPath('appear by themselves, whether another person or another tab made them', async (t) => {
    const first = await openAsAlice(t, { places: [{ name: 'Soba Ya' }] });
    const bob = await signUp(first.service, 'bob');
    const second = await openTab(t, first, '/visits');
    await until(() => streamsOf(first) === 1 && streamsOf(second) === 1);
    // Chromium slows down the timers of a tab behind another one.
    await first.page.bringToFront();
    // The stream is open once the first change comes through.
    await addRestaurants(bob.api, 'Chez Nous');
    await first.page.getByRole('link', { name: 'Chez Nous' }).waitFor();
    await addRestaurants(bob.api, 'La Esquina');
    await first.page.getByRole('link', { name: 'La Esquina' }).waitFor();
    await press(first.page, 'j', 'b');
    await first.page.getByText('today').waitFor();
    await second.page.locator('.visit').waitFor();
    assert.deepEqual([streamsOf(first), streamsOf(second)], [1, 1]);
  });

  test('do not have a tab ask again for what it wrote itself', async (t) => {
    const app = await openNew(t, { places: [{ name: 'Soba Ya' }] });
    const { service } = app;
    await until(() => streamsOf(app) === 1);
    await addRestaurants(service.api, 'Chez Nous');
    await app.page.getByRole('link', { name: 'Chez Nous' }).waitFor();
    const pages = (): number => app.requests.filter((one) => one.includes('/paginated')).length;
    const before = pages();
    await press(app.page, 'j', 'w');
    await app.page.getByText('to Want to go').waitFor();
    await addRestaurants(service.api, 'La Esquina');
    await app.page.getByRole('link', { name: 'La Esquina' }).waitFor();
    assert.equal(pages(), before + 1);
  });

  test('are not followed while the tab is hidden, and are there when it is looked at again', async (t) => {
    const app = await openNew(t, { path: '/lists' });
    const { service } = app;
    const isLive = async (name: string): Promise<void> => {
      await addList(service.api, name);
      await app.page.getByRole('link', { name }).waitFor();
    };
    await until(() => streamsOf(app) === 1);
    await isLive('First');
    const open = app.page.waitForEvent('requestfailed');
    await look(app, true);
    await open;
    await addList(service.api, 'Second');
    await look(app, false);
    await app.page.getByRole('link', { name: 'Second' }).waitFor();
    assert.equal(streamsOf(app), 2);
    await isLive('Third');
  });

  test('reach each tab by a stream of its own, which ends with its tab', async (t) => {
    const first = await openNew(t, { path: '/lists' });
    const second = await openTab(t, first, '/lists');
    await until(() => streamsOf(first) === 1 && streamsOf(second) === 1);
    await addList(first.service.api, 'First');
    for (const { page } of [first, second]) await page.getByRole('link', { name: 'First' }).waitFor();
    await first.page.close();
    await addList(first.service.api, 'Second');
    await second.page.getByRole('link', { name: 'Second' }).waitFor();
    assert.equal(streamsOf(second), 1);
  });

  test('come again after the service refused a stream or could not be reached', async (t) => {
    let asked = 0;
    const { page, service } = await openNew(t, {
      path: '/lists',
      refusals: [429, 503],
      prepare: (context) =>
        context.route('**/api/changes/stream', (route) => {
          asked += 1;
          if (asked > 2) return route.continue();
          const status = asked === 1 ? 429 : 503;
          return route.fulfill({ status, headers: { 'Retry-After': '1' }, json: { error: 'no' } });
        }),
    });
    await until(() => asked > 2);
    await addList(service.api, 'First');
    await page.getByRole('link', { name: 'First' }).waitFor();
  });

  test('are no longer followed once nobody is signed in', async (t) => {
    const app = await openNew(t, { settings: LOCAL });
    await settled(app.page);
    assert.equal(streamsOf(app), 0);
  });
});
