import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { launch } from '../support/docs-page.ts';
import { CLIENT, startRealProvider } from '../support/oidc-provider.ts';
import { LOCAL } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { NO_BROWSER, settled } from '../support/web-app.ts';

const ORIGIN = 'http://food.example';

/** The app of a service with a provider, behind a public name that only this browser resolves. */
async function openFederated(t: TestContext, path: string, mode = 'oauth'): Promise<Page> {
  const redirectUrl = `${ORIGIN}/api/auth/oidc/callback`;
  const alice = { email: 'alice@example.com', email_verified: true, preferred_username: 'alice' };
  const issuer = await startRealProvider(t, { accounts: new Map([['alice', alice]]), redirectUrl });
  const service = await startService(t, {
    AUTH_MODE: mode,
    JWT_SECRET_KEY: LOCAL.JWT_SECRET_KEY,
    OIDC_ISSUER_URL: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_REDIRECT_URL: redirectUrl,
  });
  const browser = await launch(`--host-resolver-rules=MAP food.example:80 127.0.0.1:${service.port}`);
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(ORIGIN + path);
  await settled(page);
  return page;
}

const button = (page: Page) => page.getByRole('link', { name: 'Sign in with OpenID Connect' });

describe('the sign-in of the web app with a provider', { skip: NO_BROWSER }, () => {
  test('comes back signed in to where it was asked for, with no token in sight', async (t) => {
    const page = await openFederated(t, '/sign-in?to=/settings/sessions');
    assert.equal(await page.getByLabel('Password').count(), 0);
    await button(page).click();
    await page.locator('[name=login]').fill('alice');
    await page.locator('[name=password]').fill('any');
    await page.locator('[type=submit]').click();
    await page.locator('[name=prompt][value=consent]').waitFor({ state: 'attached' });
    await page.locator('[type=submit]').click();
    await page.waitForURL(`${ORIGIN}/settings/sessions`);
    await page.getByText('This browser').waitFor();
    const stored = await page.evaluate<string>(
      'JSON.stringify([localStorage, sessionStorage]) + document.cookie',
    );
    assert.doesNotMatch(stored, /eyJ|refresh/);
  });

  test('says in words of its own that it was cancelled there', async (t) => {
    const page = await openFederated(t, '/sign-in?to=/lists', 'both');
    await page.getByLabel('Password').waitFor();
    await button(page).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('alert').getByText('The sign-in was cancelled or refused.').waitFor();
    assert.equal(page.url(), `${ORIGIN}/sign-in?to=%2Flists&error=access_denied`);
  });

  test('does not repeat words that a link brings along', async (t) => {
    const page = await openFederated(t, '/auth/callback?to=/#error=x&error_description=Call+0900');
    await page.getByRole('alert').getByText('The sign-in did not work. Try again.').waitFor();
    assert.equal(await page.getByText('0900').count(), 0);
    assert.equal(new URL(page.url()).hash, '');
  });
});
