import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { array, field } from '../support/client.ts';
import { LOCAL, type Person, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { NO_BROWSER, type App, holds, openApp, openTab, settled } from '../support/web-app.ts';

const REFRESH = 'POST /api/auth/refresh';
const refreshes = (...apps: readonly App[]): number =>
  apps.flatMap(({ requests }) => requests).filter((request) => request === REFRESH).length;

const account = (page: Page) => page.getByRole('link', { name: 'Settings of alice' }).first();

/** Ends all sessions of a person that are in a browser. */
async function endCookieSessions({ api }: Person): Promise<void> {
  for (const session of array((await api.get('/auth/sessions')).body))
    if (field(session, 'cookie') === true) await api.delete(`/auth/sessions/${String(field(session, 'id'))}`);
}

/** The keys of all answers that the browser's database holds. */
const storedKeys = `new Promise((resolve) => {
  indexedDB.open('catalogue').onsuccess = ({ target }) => {
    const request = target.result.transaction('answers').objectStore('answers').getAllKeys();
    request.onsuccess = () => { target.result.close(); resolve(request.result); };
  };
})`;

describe('the session of the web app', { skip: NO_BROWSER }, () => {
  test('outlives a reload, with no token that a script of another page could read', async (t) => {
    const service = await startService(t, LOCAL);
    const user = await signUp(service, 'alice');
    const { page } = await openApp(t, service, { user, path: '/settings/sessions' });
    await page.getByText('This browser').waitFor();
    await page.reload();
    await page.getByText('This browser').waitFor();
    const readable = await page.evaluate<string>(
      `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])`,
    );
    assert.doesNotMatch(readable, /eyJ|token|refresh/i);
    const cookies = await page.context().cookies();
    assert.deepEqual(
      cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]),
      [['refresh', true, 'Strict']],
    );
  });

  test('is refreshed once for two tabs whose token has ended', async (t) => {
    const service = await startService(t, LOCAL);
    const user = await signUp(service, 'alice');
    const first = await openApp(t, service, {
      user,
      path: '/settings',
      prepare: (context) => context.clock.install(),
    });
    await account(first.page).waitFor();
    const second = await openTab(t, service, first, '/settings');
    await account(second.page).waitFor();
    assert.equal(refreshes(first, second), 1, 'the second tab asks the first one');
    // Proxies let few requests for sessions through.
    assert.deepEqual(
      [...first.requests, ...second.requests].filter((request) => request.includes('/auth/')),
      [REFRESH],
    );
    await first.context.clock.fastForward('16:00');
    await Promise.all(
      [first, second].map(async ({ page }) => {
        await page.getByRole('link', { name: 'Where you are signed in' }).click();
        await page.getByText('This browser').waitFor();
      }),
    );
    assert.equal(refreshes(first, second), 2);
  });

  test('is refreshed once for several requests that the service refuses at once', async (t) => {
    const service = await startService(t, LOCAL);
    const user = await signUp(service, 'alice');
    const app = await openApp(t, service, { user, path: '/settings/appearance', refusals: [401] });
    const second = Math.floor(Date.now() / 1000);
    // Two tokens of one second are the same.
    await until(() => Math.floor(Date.now() / 1000) > second);
    const used = new Set<string>();
    // As a service that was restarted with another secret refuses them.
    await app.page.route('**/api/{lists,categories,food-types}*', async (route) => {
      const token = (await route.request().headerValue('authorization')) ?? '';
      if (used.size === 0) used.add(token);
      await (used.has(token)
        ? route.fulfill({ status: 401, json: { error: 'Token has expired' } })
        : route.continue());
    });
    const before = refreshes(app);
    await app.page.evaluate(`import(document.documentElement.dataset.base + '/api.js').then(({ call }) =>
      Promise.all(['/lists', '/categories', '/food-types'].map((path) => call('GET', path))).then(() => true))`);
    assert.equal(refreshes(app) - before, 1);
  });

  for (const [status, headers] of [
    [503, {}],
    [500, {}],
    [429, { 'Retry-After': '60' }],
  ] as const)
    test(`stays when a refresh is answered with ${status}`, async (t) => {
      const service = await startService(t, LOCAL);
      const user = await signUp(service, 'alice');
      const { page } = await openApp(t, service, { user, refusals: [status] });
      await account(page).waitFor();
      const answered = page.waitForResponse('**/api/auth/refresh');
      await page.route('**/api/auth/refresh', (route) =>
        route.fulfill({ status, headers, json: { error: 'not now' } }),
      );
      await page.reload();
      assert.equal((await answered).status(), status);
      await account(page).waitFor();
      await page.unroute('**/api/auth/refresh');
      await page.goto(`${service.url}/settings/sessions`);
      await page.getByText('This browser').waitFor();
    });

  test('stays when nothing can be reached', async (t) => {
    const service = await startService(t, LOCAL);
    const user = await signUp(service, 'alice');
    const app = await openApp(t, service, { user });
    // Not under watch: Chromium reports each request that fails.
    const page = await app.context.newPage();
    await page.route('**/api/auth/*', (route) => route.abort('internetdisconnected'));
    await page.goto(service.url);
    await account(page).waitFor();
    await page.unroute('**/api/auth/*');
    await page.goto(`${service.url}/settings/sessions`);
    await page.getByText('This browser').waitFor();
  });

  test('ends, and says so, when the service has ended it', async (t) => {
    const service = await startService(t, LOCAL);
    const user = await signUp(service, 'alice');
    const { page } = await openApp(t, service, { user, refusals: [401] });
    await account(page).waitFor();
    await endCookieSessions(user);
    await page.reload();
    await page.getByText('Your session has ended. Sign in again.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    assert.equal(await page.evaluate(`localStorage.getItem('signed')`), null);
  });

  test('leaves nothing behind when the user signs out, in other tabs too', async (t) => {
    const service = await startService(t, LOCAL);
    const user = await signUp(service, 'alice');
    const app = await openApp(t, service, { user, path: '/lists', refusals: [401] });
    const other = await openTab(t, service, app, '/settings/sessions', { refusals: [401] });
    await other.page.getByText('This browser').waitFor();
    await app.page.evaluate(`localStorage.setItem('draft add', '{"name":"A secret place"}')`);
    await app.page.goto(`${service.url}/settings`);
    await app.page.getByRole('button', { name: 'Sign out' }).click();
    await app.page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    await other.page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    assert.equal(await other.page.getByText('This browser').count(), 0);
    // The browser of the test claims a session again at each load, which then ends.
    await holds(app.page, `Object.keys(localStorage).every((name) => name === 'ended')`);
    await holds(app.page, `${storedKeys}.then((keys) => !keys.some((key) => /^[0-9]/.test(key)))`);
    assert.deepEqual(await app.context.cookies(), []);
    const sessions = array((await user.api.get('/auth/sessions')).body);
    assert.equal(
      sessions.some((session) => field(session, 'cookie') === true),
      false,
    );
  });

  test('is said to go on when the service could not end it', async (t) => {
    const service = await startService(t, LOCAL);
    const user = await signUp(service, 'alice');
    const { page } = await openApp(t, service, { user, path: '/settings', refusals: [503] });
    await page.route('**/api/auth/logout', (route) =>
      route.fulfill({ status: 503, json: { error: 'not now' } }),
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Still signed in: The service has a problem.').waitFor();
    await settled(page);
    await account(page).waitFor();
  });

  test('of another user does not show what the last one wrote', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const bob = await signUp(service, 'bob');
    const { page } = await openApp(t, service, { user: alice, refusals: [401] });
    await account(page).waitFor();
    await page.evaluate(`localStorage.setItem('draft add', '{"name":"A secret place"}')`);
    await endCookieSessions(alice);
    await page.goto(`${service.url}/sign-in`);
    for (const { email, password } of [alice, bob]) {
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
      const isHers = email === alice.email;
      await page
        .getByLabel(`Settings of ${isHers ? 'alice' : 'bob'}`)
        .first()
        .waitFor();
      await holds(
        page,
        `location.pathname === '/' && (localStorage.getItem("draft ${alice.id} add") !== null) === ${isHers}`,
      );
      if (!isHers) continue;
      await endCookieSessions(alice);
      await page.goto(`${service.url}/sign-in`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    }
  });
});
