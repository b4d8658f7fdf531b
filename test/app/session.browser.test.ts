import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { until } from '../support/until.ts';
import { type App, endCookieSessions, holds, openAsAlice, openTab, settled } from '../support/web-app.ts';

const REFRESH = 'POST /api/auth/refresh';
const refreshes = (...apps: readonly App[]): number =>
  apps.flatMap(({ requests }) => requests).filter((request) => request === REFRESH).length;

const account = (page: Page) => page.getByRole('link', { name: 'Settings of alice' }).first();

describe('the session of the web app', { skip: NO_BROWSER }, () => {
  mainPath('outlives a reload, with no token that a script of another page could read', async (t) => {
    const { page } = await openAsAlice(t, { path: '/settings/sessions' });
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
    const first = await openAsAlice(t, {
      path: '/settings',
      prepare: (context) => context.clock.install(),
    });
    await account(first.page).waitFor();
    // The second tab waits longer than usual for the first one, which may be slow to answer on a busy machine.
    await first.context.addInitScript(`{
      const { setTimeout } = window;
      window.setTimeout = (run, wait = 0, ...values) => setTimeout(run, wait * 30, ...values);
    }`);
    const second = await openTab(t, first, '/settings');
    await until(() => second.requests.length > 0);
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
    const app = await openAsAlice(t, { path: '/settings/appearance', refusals: [401] });
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
    await app.page.evaluate(`import(document.documentElement.dataset.base + '/base/api.js').then(({ call }) =>
      Promise.all(['/lists', '/categories', '/food-types'].map((path) => call('GET', path))).then(() => true))`);
    assert.equal(refreshes(app) - before, 1);
  });

  for (const [status, headers] of [
    [503, {}],
    [500, {}],
    [429, { 'Retry-After': '60' }],
  ] as const)
    test(`stays when a refresh is answered with ${status}`, async (t) => {
      const { page, service } = await openAsAlice(t, { refusals: [status] });
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
    const { service, context } = await openAsAlice(t);
    // Not under watch: Chromium reports each request that fails.
    const page = await context.newPage();
    await page.route('**/api/auth/*', (route) => route.abort('internetdisconnected'));
    await page.goto(service.url);
    await account(page).waitFor();
    await page.unroute('**/api/auth/*');
    await page.goto(`${service.url}/settings/sessions`);
    await page.getByText('This browser').waitFor();
  });

  test('ends, and says so, when the service has ended it', async (t) => {
    const { page, alice } = await openAsAlice(t, { refusals: [401] });
    await account(page).waitFor();
    await endCookieSessions(alice);
    await page.reload();
    await page.getByText('Your session has ended. Sign in again.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    await holds(page, `localStorage.getItem('signed') === null`);
  });

  test('is said to go on when the service could not end it', async (t) => {
    const { page } = await openAsAlice(t, { path: '/settings', refusals: [503] });
    await page.route('**/api/auth/logout', (route) =>
      route.fulfill({ status: 503, json: { error: 'not now' } }),
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Still signed in: The service is busy').waitFor();
    await settled(page);
    await account(page).waitFor();
  });
});
