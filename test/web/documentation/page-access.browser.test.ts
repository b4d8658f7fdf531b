import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, test } from '../../support/chromium.ts';
import { goTo, openDocs, sendForm, signIn } from '../../support/docs-page.ts';
import { LOCAL, signUp } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { scrollsSideways, violations } from '../../support/web-app.ts';

const PHONE = { width: 390, height: 844 };
const SMALL_PHONE = { width: 320, height: 568 };
// Each theme once, and the small phone only for what it has no room for.
const LOOKS = [
  ['desktop', 'dark', { width: 1440, height: 900 }],
  ['phone', 'light', PHONE],
] as const;

async function unfold(page: Page): Promise<void> {
  await page.evaluate(`document.querySelectorAll('details').forEach((each) => (each.open = true))`);
}

describe('the page at /api/docs', { skip: NO_BROWSER }, () => {
  for (const [size, colorScheme, viewport] of LOOKS)
    test(`is accessible and needs no scrolling sideways, ${size}, ${colorScheme}`, async (t) => {
      const service = await startService(t, LOCAL);
      const alice = await signUp(service, 'alice');
      const { page } = await openDocs(t, service, { viewport, colorScheme, refusals: [401] });
      assert.deepEqual(await violations(page), []);
      const show = async (operationId: string): Promise<void> => {
        await goTo(page, operationId);
        await unfold(page);
      };
      for (const operationId of ['listRestaurants', 'convertSuggestion', 'uploadPhoto', 'beginIdpLogin']) {
        await show(operationId);
        assert.deepEqual(await violations(page), [], operationId);
        for (const narrower of [SMALL_PHONE, viewport]) {
          await page.setViewportSize(narrower);
          assert.equal(await scrollsSideways(page), false, `${operationId} ${narrower.width}`);
        }
      }
      await show('createRestaurant');
      assert.equal((await sendForm(page)).status, '401 Unauthorized');
      assert.deepEqual(await violations(page), [], 'an error');
      await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
      await unfold(page);
      assert.deepEqual(await violations(page), [], 'the dialog');
      await page.keyboard.press('Escape');
      await signIn(page, alice.email, alice.password);
      assert.equal((await sendForm(page)).status, '201 Created');
      await page.getByRole('tab', { name: 'Headers', exact: true }).first().click();
      assert.deepEqual(await violations(page), [], 'an answer');
    });

  test('hides its navigation behind a button on a phone', async (t) => {
    const { page } = await openDocs(t, await startService(t), { viewport: PHONE });
    const navigation = page.getByRole('navigation');
    assert.equal(await navigation.isVisible(), false);
    const button = page.getByRole('button', { name: 'Menu' });
    await button.click();
    assert.deepEqual(
      [await navigation.isVisible(), await button.getAttribute('aria-expanded')],
      [true, 'true'],
    );
    assert.deepEqual(await violations(page), []);
    await navigation.getByRole('link', { name: 'Rate a restaurant' }).click();
    await page.getByRole('heading', { level: 1, name: 'Rate a restaurant' }).waitFor();
    assert.equal(await navigation.isVisible(), false);
  });

  test('links browsers without scripts to the description', async (t) => {
    const { page } = await openDocs(t, await startService(t), { javaScriptEnabled: false });
    assert.equal(await page.getByRole('link', { name: 'YAML' }).getAttribute('href'), '/api/swagger.yaml');
  });
});
