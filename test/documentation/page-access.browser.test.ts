import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, goTo, openDocs, sendForm, signIn } from '../support/docs-page.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SIZES = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
  'small phone': { width: 320, height: 568 },
};

/** The violations that axe-core finds in the page. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate<string[]>(
    `axe.run(document).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`,
  );
}

async function unfold(page: Page): Promise<void> {
  await page.evaluate(`document.querySelectorAll('details').forEach((each) => (each.open = true))`);
}

describe('the page at /api/docs', { skip: NO_BROWSER }, () => {
  for (const [size, viewport] of Object.entries(SIZES))
    for (const colorScheme of ['light', 'dark'] as const)
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
          assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
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
    const { page } = await openDocs(t, await startService(t), { viewport: SIZES.phone });
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
