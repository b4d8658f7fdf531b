import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addItems, addList, addRestaurants } from '../support/lists.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type App, NO_BROWSER, holds, openApp, openTab, press, settled } from '../support/web-app.ts';

const STREAM = 'GET /api/changes/stream';

const streamsOf = ({ requests }: App): number => requests.filter((one) => one === STREAM).length;

/** Hides a tab, or shows it again, as its browser would report. */
const look = ({ page }: App, isHidden: boolean): Promise<unknown> =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

describe('Changes of others', { skip: NO_BROWSER }, () => {
  test('appear within a second, whether another person or another tab made them', async (t) => {
    const service = await startService(t, LOCAL);
    const [alice, bob] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
    await addRestaurants(alice.api, 'Soba Ya');
    const first = await openApp(t, service, { user: alice });
    const second = await openTab(t, service, first, '/visits');
    await until(() => streamsOf(first) + streamsOf(second) === 1);
    // Chromium slows down the timers of a tab behind another one.
    await first.page.bringToFront();
    // The stream is open once the first change comes through.
    await addRestaurants(bob.api, 'Chez Nous');
    await first.page.getByRole('link', { name: 'Chez Nous' }).waitFor();
    await addRestaurants(bob.api, 'La Esquina');
    const said = performance.now();
    await first.page.getByRole('link', { name: 'La Esquina' }).waitFor();
    t.diagnostic(`a change of another person: ${Math.round(performance.now() - said)} ms`);
    await press(first.page, 'j', 'b');
    await first.page.getByText('today').waitFor();
    const done = performance.now();
    await second.page.locator('.visit').waitFor();
    t.diagnostic(`a change of another tab: ${Math.round(performance.now() - done)} ms`);
    assert.equal(streamsOf(first) + streamsOf(second), 1);
  });

  test('do not have a tab ask again for what it wrote itself', async (t) => {
    const service = await startService(t);
    await addRestaurants(service.api, 'Soba Ya');
    const app = await openApp(t, service);
    await until(() => streamsOf(app) === 1);
    await addRestaurants(service.api, 'Chez Nous');
    await app.page.getByRole('link', { name: 'Chez Nous' }).waitFor();
    const pages = (): number => app.requests.filter((one) => one.includes('/paginated')).length;
    const before = pages();
    await press(app.page, 'j', 'w');
    await app.page.getByText('is on your list Want to go').waitFor();
    await addList(service.api, 'Lyon');
    await until(() => pages() > before);
    assert.equal(pages(), before + 1);
  });

  test('are not followed while the tab is hidden, and are there when it is looked at again', async (t) => {
    const service = await startService(t);
    const app = await openApp(t, service, { path: '/lists' });
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

  test('go on to reach the other tabs when the one with the stream is closed', async (t) => {
    const service = await startService(t);
    const first = await openApp(t, service, { path: '/lists' });
    await until(() => streamsOf(first) === 1);
    const second = await openTab(t, service, first, '/lists');
    await addList(service.api, 'First');
    await second.page.getByRole('link', { name: 'First' }).waitFor();
    assert.equal(streamsOf(second), 0);
    await first.page.close();
    await addList(service.api, 'Second');
    await second.page.getByRole('link', { name: 'Second' }).waitFor();
    assert.equal(streamsOf(second), 1);
  });

  test('reach each tab by a stream of its own where there are no locks', async (t) => {
    const service = await startService(t);
    const prepare = async (context: App['context']): Promise<void> => {
      await context.addInitScript(`Object.defineProperty(navigator, 'locks', { value: undefined })`);
    };
    const first = await openApp(t, service, { path: '/lists', prepare });
    const second = await openTab(t, service, first, '/lists');
    await until(() => streamsOf(first) === 1 && streamsOf(second) === 1);
    await addList(service.api, 'First');
    for (const { page } of [first, second]) await page.getByRole('link', { name: 'First' }).waitFor();
  });

  test('come again after the service refused a stream or could not be reached', async (t) => {
    const service = await startService(t);
    let refusals = 0;
    const app = await openApp(t, service, {
      path: '/lists',
      refusals: [429, 503],
      prepare: async (context) => {
        await context.route('**/api/changes/stream', async (route) => {
          refusals += 1;
          if (refusals > 2) return route.continue();
          const status = refusals === 1 ? 429 : 503;
          return route.fulfill({ status, headers: { 'Retry-After': '1' }, json: { error: 'no' } });
        });
      },
    });
    await until(() => refusals > 2);
    await addList(service.api, 'First');
    await app.page.getByRole('link', { name: 'First' }).waitFor();
  });

  test('are no longer followed once nobody is signed in', async (t) => {
    const service = await startService(t, LOCAL);
    const app = await openApp(t, service);
    await settled(app.page);
    assert.equal(streamsOf(app), 0);
  });
});

describe('What is private', { skip: NO_BROWSER }, () => {
  test('is nowhere in the browser after a sign-out, and never shown to the next person', async (t) => {
    const service = await startService(t, LOCAL);
    const [alice, bob] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
    await addRestaurants(alice.api, 'Soba Ya');
    const list = await addList(alice.api, 'Secret list');
    await addItems(alice.api, list, [1]);
    await alice.api.post('/visits', { restaurant_id: 1, note: 'Secret note' });
    const { page, context } = await openApp(t, service, {
      user: alice,
      path: '/lists',
      refusals: [401, 404],
    });
    await page.getByText('Secret list').click();
    await page.getByRole('link', { name: 'Soba Ya' }).waitFor();
    await page.getByRole('link', { name: 'Visits' }).click();
    await page.getByText('Secret note').waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByText('You made the list Secret list').waitFor();
    const other = await context.newPage();
    await other.goto(`${service.url}/lists`);
    await other.getByText('Secret list').waitFor();
    await holds(page, `${STORED}.then((text) => text.includes('Secret note'))`);

    // The page loads anew, so that nothing can be awaited in it.
    await page.evaluate(`void ${SESSION}.then((session) => session.signOut())`);
    for (const one of [page, other]) {
      await one.getByRole('link', { name: 'Sign in' }).first().waitFor();
      assert.doesNotMatch(await one.locator('body').innerText(), /Secret/);
    }
    await holds(page, `${STORED}.then((text) => !text.includes('Secret'))`);

    const { email, password } = bob;
    const body = JSON.stringify({ email, password, session: 'cookie' });
    await page.evaluate(`fetch('/api/auth/login', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: ${JSON.stringify(body)},
    }).then((answer) => answer.json()).then(async (answer) => (await ${SESSION}).enter(answer))`);
    await page.goto(`${service.url}/lists`);
    await page.getByRole('button', { name: 'New list' }).waitFor();
    for (const path of ['/lists', `/lists/${list}`, '/visits', '/activity']) {
      await page.goto(service.url + path);
      await settled(page);
      await page.locator('#content h1').waitFor();
      assert.doesNotMatch(await page.locator('body').innerText(), /Secret/);
    }
    assert.doesNotMatch(String(await page.evaluate(STORED)), /Secret/);
  });
});

const SESSION = `import(document.querySelector('script[type=module]').src.replace('main.js', 'session.js'))`;

/** All that the page has stored, as one text. */
const STORED = `new Promise((resolve) => {
  indexedDB.open('catalogue').onsuccess = ({ target: { result: db } }) => {
    const all = db.transaction('answers').objectStore('answers').getAll();
    all.onsuccess = () => {
      db.close();
      resolve(JSON.stringify([all.result, { ...localStorage }, { ...sessionStorage }]));
    };
  };
})`;
