import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../../support/chromium.ts';
import { goTo, sendForm } from '../../support/docs-page.ts';
import { textOf } from '../../support/client.ts';
import { ORIGIN, openFederated, signInAtProvider } from '../../support/federated.ts';

const DOCS = '/api/docs';

/** The page of the provider, reached from that of the documentation. */
async function openProvider(t: TestContext): Promise<Page> {
  const page = await openFederated(t, DOCS, 'both');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Sign in with OpenID Connect' }).click();
  await page.locator('[name=login]').waitFor();
  return page;
}

describe('the page at /api/docs', { skip: NO_BROWSER }, () => {
  mainPath('signs in with a provider, with no token in its address or storage, and stays so', async (t) => {
    const page = await openProvider(t);
    await signInAtProvider(page);
    await page.getByRole('button', { name: 'alice' }).waitFor();
    assert.equal(page.url(), ORIGIN + DOCS);
    // The app, at which the provider was left, stores where its first screen begins.
    const stored = await page.evaluate(`Object.keys(localStorage).filter((name) => name !== 'start').length`);
    assert.equal(stored, 1);
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    await page.reload();
    await page.getByRole('button', { name: 'alice' }).waitFor();
    await goTo(page, 'getCurrentUser');
    assert.equal(textOf(JSON.parse((await sendForm(page)).body), 'email'), 'alice@example.com');
  });

  test('says that the user cancelled at the provider', async (t) => {
    const page = await openProvider(t);
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByText('The sign-in was cancelled or refused').waitFor();
    assert.equal(page.url(), ORIGIN + DOCS);
  });
});
