import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import { changeOf, reverted } from '../support/changes.ts';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { field } from '../support/client.ts';
import { signUp } from '../support/people.ts';
import { becomes, until } from '../support/until.ts';
import { filesAddress } from '../support/web-app-files.ts';
import { AWAY, CONTROLLED, rateAll, storedRatings } from '../support/web-app-offline.ts';
import { type AppOptions, holds, openAsAlice, openTab, press, signInContext } from '../support/web-app.ts';

const RATINGS = 80;
const TWO_DAYS = 2 * 86_400_000;

/** The app of Alice without a connection, where ratings of the first places wait to be sent. */
async function openWaiting(
  t: TestContext,
  { places, ...options }: { readonly places: readonly string[] } & AppOptions,
): ReturnType<typeof openAsAlice> {
  const app = await openAsAlice(t, { places: places.map((name) => ({ name })), ...options, ...AWAY });
  if (options.worker === true) await holds(app.page, CONTROLLED);
  await app.context.setOffline(true);
  await rateAll(
    app.page,
    app.service,
    places.map((_, at) => at + 1),
  );
  await app.page.getByText(`${places.length} waiting`).waitFor();
  return app;
}

describe('what waits to be sent in the web app', { skip: NO_BROWSER }, () => {
  test(`keeps ${RATINGS} ratings over closed tabs and stores each once`, async (t) => {
    const places = Array.from({ length: RATINGS }, (_, at) => `Place ${at + 1}`);
    const app = await openWaiting(t, { places, worker: true });
    const { service } = app;
    await becomes(() => app.page.locator('.row .mark.warn').count(), RATINGS);
    await app.page.close();
    const still = await openTab(t, app, '/settings/outbox', AWAY);
    await still.page.getByText(`${RATINGS} waiting`).waitFor();
    await still.page.close();
    await app.context.setOffline(false);
    // This tab is killed while it sends.
    const first = await openTab(t, app, '/', AWAY);
    await until(() => storedRatings(service).length > 10);
    await first.page.close();
    assert.ok(storedRatings(service).length < RATINGS);
    const [second, third] = [await openTab(t, app, '/', AWAY), await openTab(t, app)];
    const all = places.map((_, at) => ({ id: at + 1, food: 1 + ((at + 1) % 5) }));
    await becomes(() => storedRatings(service), all);
    for (const { page } of [second, third]) await page.getByText(/\d waiting/).waitFor({ state: 'detached' });
  });

  test('is sent as well where the first version of the app stored it, whose database had no places', async (t) => {
    const { page, service, alice } = await openAsAlice(t, { places: [{ name: 'One' }] });
    await page.goto(`${service.url}/manual`);
    const stars = { food_rating: 4, service_rating: 4, ambiance_rating: 4 };
    const request = { method: 'POST', path: '/ratings', body: { restaurant_id: 1, ...stars } };
    const about = { key: 'key-of-the-first-version', label: 'Rating', place: 'restaurant 1' };
    const waiting = { ...request, ...about, user: alice.id, at: Date.now(), state: 'waiting' };
    await page.evaluate(`new Promise((resolve, reject) => {
      indexedDB.deleteDatabase('catalogue');
      const request = indexedDB.open('catalogue', 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore('answers').createIndex('at', 'at');
        request.result.createObjectStore('outbox', { keyPath: 'key' }).put(${JSON.stringify(waiting)});
      };
      request.onsuccess = () => resolve(request.result.close());
      request.onerror = reject;
    })`);
    await page.goto(service.url);
    await until(() => storedRatings(service).length === 1);
    await holds(page, `indexedDB.databases().then((all) => all.some(({ version }) => version === 2))`);
  });

  mainPath('changes a rating that was not sent yet, and takes it back with one key', async (t) => {
    const { page, context, service } = await openWaiting(t, { places: ['One', 'Two'] });
    await press(page, 'u');
    await page.getByText('1 waiting').waitFor();
    await page.getByRole('button', { name: 'Rate One' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('5 stars').first().click({ force: true });
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('2 waiting').waitFor();
    await context.setOffline(false);
    await page.getByText(/\d waiting/).waitFor({ state: 'detached' });
    assert.deepEqual(storedRatings(service), [{ id: 1, food: 5 }]);
  });

  test('keeps what the service refuses, with its reason, and sends it again', async (t) => {
    const places = ['Gone', 'Here'];
    const { page, context, service, alice } = await openWaiting(t, { places, refusals: [404] });
    const deletion = changeOf(await alice.api.delete('/restaurants/1'));
    await context.setOffline(false);
    await page.getByRole('link', { name: '1 waiting · 1 needs you' }).click();
    await page.getByText('Refused: It is not here any more.').waitFor();
    assert.deepEqual(storedRatings(service), [{ id: 2, food: 3 }]);
    await reverted(alice.api, deletion);
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Nothing is waiting to be sent.').waitFor();
    assert.deepEqual(storedRatings(service), [
      { id: 1, food: 2 },
      { id: 2, food: 3 },
    ]);
  });

  for (const status of [429, 502, 503, 504])
    test(`sends nothing more after a ${status}, and all of it later`, async (t) => {
      const places = ['One', 'Two'];
      const { page, context, service } = await openWaiting(t, { places, refusals: [status] });
      const sent: unknown[] = [];
      await page.route('**/api/ratings', (route) => {
        sent.push(field(route.request().postDataJSON(), 'restaurant_id'));
        if (sent.length > 1) return route.continue();
        return route.fulfill({ status, headers: { 'Retry-After': '60' }, json: { error: 'not now' } });
      });
      await context.setOffline(false);
      await page.getByText(/\d waiting/).waitFor({ state: 'detached' });
      // Both were tried at once before, so either may be first.
      const [first] = sent;
      assert.deepEqual(sent, [first, first, first === 1 ? 2 : 1]);
      assert.deepEqual(storedRatings(service), [
        { id: 1, food: 2 },
        { id: 2, food: 3 },
      ]);
    });

  test('asks before it sends what is so old that the service may not remember it', async (t) => {
    const { page, service, alice } = await openAsAlice(t, { places: [{ name: 'Soba Ya' }] });
    const base = await filesAddress(service);
    const waiting = {
      key: 'a key',
      user: alice.id,
      method: 'POST',
      path: '/ratings',
      state: 'waiting',
      label: 'Rating of Soba Ya',
      place: 'restaurant 1',
      at: Date.now() - TWO_DAYS,
      body: { restaurant_id: 1, food_rating: 2, service_rating: 2, ambiance_rating: 2, comment: 'Cold' },
    };
    const showWaiting = async (): Promise<void> => {
      await page.evaluate(
        `import('${base}/base/cache.js').then(({ storeWaiting }) => storeWaiting(${JSON.stringify(waiting)}))`,
      );
      await page.goto(`${service.url}/settings/outbox`);
    };
    await showWaiting();
    await page.getByText('From 2 days ago.').waitFor();
    assert.deepEqual(storedRatings(service), []);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.waitForURL('**/restaurants/1');
    await page.getByText('1 waiting').waitFor({ state: 'detached' });
    await holds(page, `[...document.querySelectorAll('textarea')].some(({ value }) => value === 'Cold')`);
    assert.deepEqual(storedRatings(service), []);
    await showWaiting();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Nothing is waiting to be sent.').waitFor();
    assert.deepEqual(storedRatings(service), [{ id: 1, food: 2 }]);
  });

  test('never sends what another user left in the same browser', async (t) => {
    const { page, context, service } = await openWaiting(t, { places: ['One'] });
    const bob = await signUp(service, 'bob');
    await bob.api.post('/restaurants', { name: 'Two' });
    await page.close();
    await context.setOffline(false);
    await signInContext(context, service, bob);
    const other = await openTab(t, { service, context });
    await other.page.getByLabel('Settings of bob').first().waitFor();
    assert.equal(await other.page.getByText('1 waiting').count(), 0);
    await rateAll(other.page, service, [2]);
    await other.page.getByText('Rated Place 2').waitFor();
    assert.deepEqual(storedRatings(service), [{ id: 2, food: 3 }]);
  });
});
