import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { launch } from './chromium.ts';
import { atEnd } from './cleanup.ts';
import { CLIENT, startRealProvider } from './oidc-provider.ts';
import { LOCAL } from './people.ts';
import { startService } from './service.ts';

/** The public name of the service, which only the browser of the test resolves. */
export const ORIGIN = 'http://food.example';

/** Starts a service with a provider, at which Alice has an account, and opens an address of it in a browser. */
export async function openFederated(t: TestContext, path: string, mode: 'oauth' | 'both'): Promise<Page> {
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
  atEnd(t, () => browser.close());
  const page = await browser.newPage();
  await page.goto(ORIGIN + path);
  return page;
}

/** Signs Alice in on the pages of the provider, and lets it tell the service who she is. */
export async function signInAtProvider(page: Page): Promise<void> {
  await page.locator('[name=login]').fill('alice');
  await page.locator('[name=password]').fill('any');
  await page.locator('[type=submit]').click();
  await page.locator('[name=prompt][value=consent]').waitFor({ state: 'attached' });
  await page.locator('[type=submit]').click();
}
