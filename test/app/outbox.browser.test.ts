import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { array, field } from '../support/client.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { NO_BROWSER, holds, openApp, openTab, press } from '../support/web-app.ts';
import { filesAddress } from '../support/web-app-files.ts';
import { AWAY, CONTROLLED, rateAll, storedRatings } from '../support/web-app-offline.ts';

const RATINGS = 200;
const TWO_DAYS = 2 * 86_400_000;

describe('what waits to be sent in the web app', { skip: NO_BROWSER }, () => {
  test(`keeps ${RATINGS} ratings over closed tabs and stores each once`, async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    for (let id = 1; id <= RATINGS; id += 1) await alice.api.post('/restaurants', { name: `Place ${id}` });
    const app = await openApp(t, service, { user: alice, worker: true, ...AWAY });
    await holds(app.page, CONTROLLED);
    await app.context.setOffline(true);
    const ids = Array.from({ length: RATINGS }, (_, at) => at + 1);
    await rateAll(app.page, service, ids);
    await app.page.getByText(`${RATINGS} waiting`).waitFor();
    assert.equal(await app.page.locator('.row .mark.warn').count(), 100);
    await app.page.close();
    const still = await openTab(t, service, app, '/settings/outbox', AWAY);
    await still.page.getByText(`${RATINGS} waiting`).waitFor();
    await still.page.close();
    await app.context.setOffline(false);
    // This tab is killed while it sends.
    const first = await openTab(t, service, app, '/', AWAY);
    await until(() => storedRatings(service).length > 20);
    await first.page.close();
    assert.ok(storedRatings(service).length < RATINGS);
    const [second, third] = [await openTab(t, service, app, '/', AWAY), await openTab(t, service, app)];
    for (const { page } of [second, third]) await page.getByText(/\d waiting/).waitFor({ state: 'detached' });
    assert.deepEqual(
      storedRatings(service),
      ids.map((id) => ({ id, food: 1 + (id % 5) })),
    );
  });

  test('changes a rating that was not sent yet, and takes it back with one key', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    for (const name of ['One', 'Two']) await alice.api.post('/restaurants', { name });
    const { page, context } = await openApp(t, service, { user: alice, ...AWAY });
    await context.setOffline(true);
    await rateAll(page, service, [1, 2]);
    await page.getByText('2 waiting').waitFor();
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
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    for (const name of ['Gone', 'Here']) await alice.api.post('/restaurants', { name });
    const { page, context } = await openApp(t, service, { user: alice, refusals: [404], ...AWAY });
    await context.setOffline(true);
    await rateAll(page, service, [1, 2]);
    await page.getByText('2 waiting').waitFor();
    await alice.api.delete('/restaurants/1');
    await context.setOffline(false);
    await page.getByRole('link', { name: '1 waiting, 1 needs you' }).click();
    await page.getByText('Refused: Restaurant not found').waitFor();
    assert.deepEqual(storedRatings(service), [{ id: 2, food: 3 }]);
    const [deletion] = array(
      field((await alice.api.get('/changes?action=delete&order=newest')).body, 'data'),
    );
    await alice.api.post(`/changes/${String(field(deletion, 'id'))}/revert`, {});
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Nothing waits to be sent.').waitFor();
    assert.deepEqual(storedRatings(service), [
      { id: 1, food: 2 },
      { id: 2, food: 3 },
    ]);
  });

  test('asks before it sends what is so old that the service may not remember it', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    await alice.api.post('/restaurants', { name: 'Soba Ya' });
    const { page } = await openApp(t, service, { user: alice });
    const base = await filesAddress(service);
    const waiting = {
      ...{ key: 'a key', user: alice.id, method: 'POST', path: '/ratings', state: 'waiting' },
      ...{ label: 'Rating of Soba Ya', place: 'restaurant 1', at: Date.now() - TWO_DAYS },
      body: { restaurant_id: 1, food_rating: 2, service_rating: 2, ambiance_rating: 2, comment: 'Cold' },
    };
    await page.evaluate(
      `import('${base}/cache.js').then(({ storeWaiting }) => storeWaiting(${JSON.stringify(waiting)}))`,
    );
    await page.goto(`${service.url}/settings/outbox`);
    await page.getByText('From 2 days ago.').waitFor();
    assert.deepEqual(storedRatings(service), []);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.waitForURL('**/restaurants/1');
    await page.getByText('1 waiting').waitFor({ state: 'detached' });
    await holds(page, `[...document.querySelectorAll('textarea')].some(({ value }) => value === 'Cold')`);
    assert.deepEqual(storedRatings(service), []);
    await page.evaluate(
      `import('${base}/cache.js').then(({ storeWaiting }) => storeWaiting(${JSON.stringify(waiting)}))`,
    );
    await page.goto(`${service.url}/settings/outbox`);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Nothing waits to be sent.').waitFor();
    assert.deepEqual(storedRatings(service), [{ id: 1, food: 2 }]);
  });

  test('never sends what another user left in the same browser', async (t) => {
    const service = await startService(t, LOCAL);
    const [alice, bob] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
    for (const name of ['One', 'Two']) await alice.api.post('/restaurants', { name });
    const { page, context } = await openApp(t, service, { user: alice, ...AWAY });
    await context.setOffline(true);
    await rateAll(page, service, [1]);
    await page.getByText('1 waiting').waitFor();
    await page.close();
    await context.setOffline(false);
    await context.request.post(`${service.url}/api/auth/login`, {
      data: { email: bob.email, password: bob.password, session: 'cookie' },
      headers: { Origin: service.url },
    });
    const other = await openTab(t, service, { context });
    await other.page.getByLabel('Settings of bob').first().waitFor();
    assert.equal(await other.page.getByText('1 waiting').count(), 0);
    await rateAll(other.page, service, [2]);
    await other.page.getByText('Rated Place 2').waitFor();
    assert.deepEqual(storedRatings(service), [{ id: 2, food: 3 }]);
  });
});
