import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, test } from '../../support/chromium.ts';
import { field } from '../../support/client.ts';
import { bodyField, goTo, openDocs, sendForm, showOptional } from '../../support/docs-page.ts';
import { sample } from '../../support/images.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const CATEGORIES = '**/api/categories';
const FOOD_TYPES = '**/api/food-types';
const FRENCH = '5';

const SIZES: readonly (readonly [number, string])[] = [
  [950, '950 bytes'],
  [1000, '1 KB'],
  [1440, '1.4 KB'],
  [12_345, '12 KB'],
  [999_400, '999 KB'],
  [999_600, '1 MB'],
  [1_440_000, '1.4 MB'],
  [10_400_000, '10 MB'],
];

/** The part of the first such element that the user sees: neither the window nor a panel cuts it off. */
function shownPart(page: Page, selector: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const observer = new IntersectionObserver(([entry]) => resolve(entry.intersectionRatio));
    observer.observe(document.querySelector('${selector}'));
  })`);
}

/** Fills in what createRestaurant, listRestaurants or uploadPhoto need, and sends it. */
const FORMS: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
  ['createRestaurant', async (page) => bodyField(page).press('Control+Enter')],
  [
    'listRestaurants',
    async (page) => {
      await showOptional(page);
      await page.getByLabel('q', { exact: true }).fill('nous');
      await page.getByLabel('q', { exact: true }).press('Enter');
    },
  ],
  [
    'uploadPhoto',
    async (page) => {
      await page.getByLabel('restaurantId').fill('1');
      const file = { name: 'menu.jpg', mimeType: 'image/jpeg', buffer: sample('baseline') };
      await page.locator('.try').getByLabel('photo').setInputFiles(file);
      await page.getByRole('button', { name: 'Send' }).click();
    },
  ],
];

describe('the form of an operation on the page at /api/docs', { skip: NO_BROWSER }, () => {
  for (const [size, viewport] of Object.entries({
    desktop: { width: 1280, height: 800 },
    phone: { width: 390, height: 844 },
  }))
    test(`has its answer in view as soon as it is there, ${size}`, async (t) => {
      const service = await startService(t);
      const { page } = await openDocs(t, service, { viewport });
      for (const [operationId, send] of FORMS) {
        await goTo(page, operationId);
        await send(page);
        await page.locator('.answer pre').waitFor();
        for (const part of ['.try .status', '.answer pre'])
          assert.equal(await shownPart(page, part), 1, `${operationId} ${part}`);
      }
    });

  test('folds the optional fields and names them, and shows the required ones', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service, { hash: 'uploadPhoto' });
    assert.equal(await page.locator('.optional > summary').textContent(), '2 optional: thumbnail, caption');
    assert.equal(await page.getByLabel('caption').isVisible(), false);
    assert.equal(await page.locator('.try').getByLabel('photo').isVisible(), true);
    await goTo(page, 'createCategory');
    assert.equal(await page.locator('.optional').count(), 0);
  });

  test('unfolds them where one has a value, as after a way back', async (t) => {
    const { page } = await openDocs(t, await startService(t), { hash: 'listRestaurants' });
    const form = page.locator('.try');
    assert.equal(await form.getByLabel('radius').isVisible(), false);
    await showOptional(page);
    await form.getByLabel('limit').fill('3');
    await goTo(page, 'listCategories');
    await page.goBack();
    await page.locator('nav a[aria-current][href="#listRestaurants"]').waitFor();
    assert.equal(await form.getByLabel('radius').isVisible(), true);
    assert.equal(await form.getByLabel('limit').inputValue(), '3');
  });

  test('offers categories and food types by name for a filter, and takes their ids too', async (t) => {
    const { page, requests } = await openDocs(t, await startService(t), { hash: 'listRestaurants' });
    await showOptional(page);
    const category = page.getByLabel('Choose a category');
    await category.selectOption('French');
    assert.equal(await page.getByLabel('category_id').inputValue(), FRENCH);
    await page.getByText('Choose food types').click();
    await page.getByRole('checkbox', { name: 'Pizza' }).check();
    await page.getByRole('checkbox', { name: 'Curry' }).check();
    const ids = (await page.getByLabel('food_type_ids').inputValue()).split(',');
    await sendForm(page);
    assert.equal(requests.at(-1), `GET /api/restaurants?category_id=5&food_type_ids=${ids.join()}`);
    await page.getByLabel('food_type_ids').fill(`${ids[1] ?? ''},4711`);
    assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 1);
    await page.getByRole('checkbox', { checked: true }).uncheck();
    assert.equal(await page.getByLabel('food_type_ids').inputValue(), '4711');
    await page.getByLabel('category_id').fill('4711');
    assert.equal(await category.inputValue(), '');
  });

  test('offers them for the JSON of a body', async (t) => {
    const { page } = await openDocs(t, await startService(t), { hash: 'createRestaurant' });
    const category = page.getByLabel('Choose a category');
    await until(async () => (await category.inputValue()) === FRENCH);
    await page.getByLabel('example', { exact: true }).selectOption('With only a name');
    assert.equal(await category.inputValue(), '');
    await category.selectOption('French');
    await page.getByText('Choose food types').click();
    await page.getByRole('checkbox', { name: 'Pizza' }).check();
    const { status, body } = await sendForm(page);
    assert.equal(status, '201 Created');
    assert.equal(field(field(JSON.parse(body), 'category'), 'name'), 'French');
    assert.match(body, /"name": "Pizza"/);
    await category.selectOption('By name');
    assert.equal(field(JSON.parse(await bodyField(page).inputValue()), 'category_id'), null);
  });

  test('requests them once, when they are first needed, and again after one was written', async (t) => {
    const { page, requests } = await openDocs(t, await startService(t));
    const asked = () => requests.filter((request) => /GET \/api\/(?:categories|food-types)/.test(request));
    await goTo(page, 'listRestaurants');
    assert.deepEqual(asked(), []);
    const ready = () =>
      page.getByLabel('Choose a category').getByText('French').waitFor({ state: 'attached' });
    await showOptional(page);
    await ready();
    await goTo(page, 'createSuggestion');
    await ready();
    assert.deepEqual(asked().sort(), ['GET /api/categories', 'GET /api/food-types']);
    await goTo(page, 'createCategory');
    await bodyField(page).fill('{"name": "Bouchon"}');
    await sendForm(page);
    await goTo(page, 'createRestaurant');
    await page.getByLabel('Choose a category').selectOption('Bouchon');
  });

  test('is a plain field where they cannot be loaded, until they can', async (t) => {
    const { page } = await openDocs(t, await startService(t), { refusals: [500] });
    await page.route(CATEGORIES, (route) => route.fulfill({ status: 500, json: { error: 'Broken' } }));
    await page.route(FOOD_TYPES, (route) => route.fulfill({ status: 200, body: 'no JSON' }));
    await goTo(page, 'createRestaurant');
    await until(async () => (await page.locator('.choice:visible').count()) === 0);
    assert.equal((await sendForm(page)).status, '201 Created');
    await page.unroute(CATEGORIES);
    await goTo(page, 'listRestaurants');
    await showOptional(page);
    await page.getByLabel('Choose a category').selectOption('French');
  });

  test('says the size of an answer as people write it', async (t) => {
    const { page } = await openDocs(t, await startService(t), { hash: 'getMetrics' });
    let bytes = 0;
    await page.route('**/api/metrics', (route) =>
      route.fulfill({ contentType: 'text/plain', body: 'x'.repeat(bytes) }),
    );
    for (const [length, size] of SIZES) {
      bytes = length;
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('.result', { hasText: ` ms, ${size}` }).waitFor();
    }
  });
});
