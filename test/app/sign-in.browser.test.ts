import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { LOCAL, type Person, signUp } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';
import {
  PHONE,
  fillSignIn,
  holds,
  openApp,
  openAsAlice,
  openNew,
  press,
  settled,
  testAccess,
} from '../support/web-app.ts';

/** The name of the field that has the focus. */
const focused = 'document.activeElement?.getAttribute("name")';

/** Somebody who is not signed in rates a place, and is led to the sign-in. */
async function rateSignedOut(t: TestContext): Promise<{ service: Service; alice: Person; page: Page }> {
  const service = await startService(t, LOCAL);
  const alice = await signUp(service, 'alice');
  await alice.api.post('/restaurants', { name: 'Soba Ya' });
  const { page } = await openApp(t, service);
  await page.getByRole('button', { name: 'Rate Soba Ya' }).click();
  await page.getByRole('dialog').getByText('4 stars').first().click({ force: true });
  await page.waitForURL('**/sign-in?*');
  return { service, alice, page };
}

describe('the sign-in of the web app', { skip: NO_BROWSER }, () => {
  testAccess('The sign-in', async (t, options) => {
    return (await openNew(t, { settings: LOCAL, ...options, path: '/sign-in' })).page;
  });

  mainPath('goes on to where it was asked for', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const { page } = await openApp(t, service, { path: '/sign-in?to=/settings/appearance' });
    await fillSignIn(page, alice);
    await page.waitForURL(`${service.url}/settings/appearance`);
    await page.getByRole('link', { name: 'Settings of alice' }).first().waitFor();
    // The sign-in has no place in the history: Back must not lead to it.
    assert.equal(await page.evaluate('history.length'), 2);
  });

  for (const [to, why] of [
    ['//evil.example', 'two slashes'],
    ['/\\evil.example', 'a backslash'],
    ['/\t/evil.example', 'a tab that the parser drops'],
    ['https://evil.example/', 'an origin'],
    ['javascript:alert(1)', 'a script'],
  ] as const)
    test(`leads to the start instead of another host: ${why}`, async (t) => {
      const { page, service } = await openAsAlice(t, { path: `/sign-in?to=${encodeURIComponent(to)}` });
      await holds(page, `location.pathname === '/' && location.search === ''`);
      assert.equal(page.url(), `${service.url}/`);
    });

  test('says that email or password is wrong, and tries them once', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const { page, requests } = await openApp(t, service, { path: '/sign-in', refusals: [401] });
    await fillSignIn(page, { ...alice, password: 'no such password' });
    await page.getByRole('alert').getByText('Email or password is wrong.').waitFor();
    assert.equal(await page.getByLabel('Email').inputValue(), alice.email);
    assert.equal(requests.filter((request) => request === 'POST /api/auth/login').length, 1);
    await holds(page, `document.activeElement?.role === 'alert'`);
  });

  mainPath('makes an account where registration is open, with the faults at their fields', async (t) => {
    const { page, service } = await openNew(t, {
      settings: LOCAL,
      path: '/sign-in?to=/lists',
      refusals: [400],
    });
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByRole('heading', { name: 'Create an account' }).waitFor();
    await page.getByLabel('Name').fill('alice');
    await page.getByLabel('Email').fill('alice@example.com');
    await page.getByLabel('Password').fill('alice');
    await press(page, 'Enter');
    await page.getByText('At least 8 characters, neither a common word').waitFor();
    await holds(page, `${focused} === 'password'`);
    await page.getByLabel('Password').fill(' alice and a long password ');
    await press(page, 'Enter');
    await page.waitForURL('**/lists');
    // As it was typed: blanks are a part of it.
    const login = { email: 'alice@example.com', password: ' alice and a long password ' };
    assert.equal((await service.api.post('/auth/login', login)).status, 200);
  });

  test('names the fields for password managers', async (t) => {
    const { page } = await openNew(t, { settings: LOCAL, path: '/sign-in' });
    const purposes = (): Promise<unknown> =>
      page.evaluate(`[...document.querySelectorAll('main input')].map((one) => one.autocomplete)`);
    assert.deepEqual(await purposes(), ['username', 'current-password']);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByRole('heading', { name: 'Create an account' }).waitFor();
    assert.deepEqual(await purposes(), ['nickname', 'username', 'new-password']);
  });

  test('offers no new accounts where there are none, and says how to be invited', async (t) => {
    const closed = await startService(t, { ...LOCAL, REGISTRATION: 'closed' });
    const first = await openApp(t, closed, { path: '/sign-in?new=1' });
    assert.equal(await first.page.locator('h1').textContent(), 'Sign in');
    assert.equal(await first.page.getByRole('link', { name: 'Create an account' }).count(), 0);
    const invite = await startService(t, { ...LOCAL, REGISTRATION: 'invite' });
    const second = await openApp(t, invite, { path: '/sign-in' });
    await second.page.getByText('You need an invitation').waitFor();
    await second.page.getByText('Forgot your password? Ask an administrator').waitFor();
  });

  test('does afterwards what was asked for before it', async (t) => {
    const { service, alice, page } = await rateSignedOut(t);
    await fillSignIn(page, alice);
    await page.getByText('Rated Soba Ya 4 stars').waitFor();
    const stored = await service.api.get('/restaurants/1/ratings');
    assert.equal(Array.isArray(stored.body) && stored.body.length, 1);
  });

  test('forgets what was asked for when it is left', async (t) => {
    const { page } = await rateSignedOut(t);
    await page.getByLabel('Email').waitFor();
    await page.goBack();
    await page.locator('.row').waitFor();
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
  });

  test('is offered on the first screen of a phone', async (t) => {
    const { page } = await openNew(t, { settings: LOCAL, viewport: PHONE, places: [] });
    await page.locator('.phonetop2').getByRole('link', { name: 'Sign in' }).click();
    await page.getByText('You can look around without an account.').waitFor();
  });

  test('is nowhere in a service without accounts', async (t) => {
    const { page, service } = await openNew(t);
    assert.equal(await page.getByText('Sign in').count(), 0);
    for (const path of ['/settings', '/lists', '/join']) {
      await page.goto(service.url + path);
      await settled(page);
      assert.equal(await page.getByText('Sign in').count(), 0, path);
    }
    await page.getByRole('link', { name: 'Settings', exact: true }).first().waitFor();
    await page.goto(`${service.url}/settings`);
    await page.getByText('Anyone with this address can make changes.').waitFor();
    await page.goto(`${service.url}/sign-in`);
    await holds(page, `location.pathname === '/'`);
  });
});
