import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { ORIGIN, openFederated, signInAtProvider } from '../support/federated.ts';
import { settled } from '../support/web-app.ts';

async function openApp(t: TestContext, path: string, mode: 'oauth' | 'both' = 'oauth'): Promise<Page> {
  const page = await openFederated(t, path, mode);
  await settled(page);
  return page;
}

const button = (page: Page) => page.getByRole('link', { name: 'Sign in with OpenID Connect' });

describe('the sign-in of the web app with a provider', { skip: NO_BROWSER }, () => {
  mainPath('comes back signed in to where it was asked for, with no token in sight', async (t) => {
    const page = await openApp(t, '/sign-in?to=/settings/sessions');
    assert.equal(await page.getByLabel('Password').count(), 0);
    await button(page).click();
    await signInAtProvider(page);
    await page.waitForURL(`${ORIGIN}/settings/sessions`);
    await page.getByText('This browser').waitFor();
    const stored = await page.evaluate<string>(
      'JSON.stringify([localStorage, sessionStorage]) + document.cookie',
    );
    assert.doesNotMatch(stored, /eyJ|refresh/);
  });

  test('says in words of its own that it was cancelled there', async (t) => {
    const page = await openApp(t, '/sign-in?to=/lists', 'both');
    await page.getByLabel('Password').waitFor();
    await button(page).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('alert').getByText('The sign-in was cancelled or refused.').waitFor();
    assert.equal(page.url(), `${ORIGIN}/sign-in?to=%2Flists&error=access_denied`);
  });

  test('does not repeat words that a link brings along', async (t) => {
    const page = await openApp(t, '/auth/callback?to=/#error=x&error_description=Call+0900');
    await page.getByRole('alert').getByText('The sign-in did not work. Try again.').waitFor();
    assert.equal(await page.getByText('0900').count(), 0);
    assert.equal(new URL(page.url()).hash, '');
  });
});
