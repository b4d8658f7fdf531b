import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, goTo, launch, sendForm } from '../support/docs-page.ts';
import { textOf } from '../support/client.ts';
import { CLIENT, startRealProvider } from '../support/oidc-provider.ts';
import { LOCAL } from '../support/people.ts';
import { startService } from '../support/service.ts';

const ORIGIN = 'http://food.example';
const DOCS = `${ORIGIN}/api/docs`;

/** The page of a service behind a public name that only this browser resolves. */
async function openFederated(t: TestContext): Promise<Page> {
  const redirectUrl = `${ORIGIN}/api/auth/oidc/callback`;
  const alice = { email: 'alice@example.com', email_verified: true, preferred_username: 'alice' };
  const issuer = await startRealProvider(t, { accounts: new Map([['alice', alice]]), redirectUrl });
  const service = await startService(t, {
    AUTH_MODE: 'both',
    JWT_SECRET_KEY: LOCAL.JWT_SECRET_KEY,
    OIDC_ISSUER_URL: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_REDIRECT_URL: redirectUrl,
  });
  const browser = await launch(`--host-resolver-rules=MAP food.example:80 127.0.0.1:${service.port}`);
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(DOCS);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Sign in with OpenID Connect' }).click();
  await page.locator('[name=login]').waitFor();
  return page;
}

describe('the page at /api/docs', { skip: NO_BROWSER }, () => {
  test('signs in with a provider, with no token in its address or storage, and stays so', async (t) => {
    const page = await openFederated(t);
    await page.locator('[name=login]').fill('alice');
    await page.locator('[name=password]').fill('any');
    await page.locator('[type=submit]').click();
    await page.locator('[name=prompt][value=consent]').waitFor({ state: 'attached' });
    await page.locator('[type=submit]').click();
    await page.getByRole('button', { name: 'alice' }).waitFor();
    assert.equal(page.url(), DOCS);
    assert.equal(await page.evaluate('localStorage.length'), 1);
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    await page.reload();
    await page.getByRole('button', { name: 'alice' }).waitFor();
    await goTo(page, 'getCurrentUser');
    assert.equal(textOf(JSON.parse((await sendForm(page)).body), 'email'), 'alice@example.com');
  });

  test('says that the user cancelled at the provider', async (t) => {
    const page = await openFederated(t);
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByText('The sign-in was cancelled or refused').waitFor();
    assert.equal(page.url(), DOCS);
  });
});
