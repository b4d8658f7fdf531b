import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../../support/chromium.ts';
import { openDocs } from '../../support/docs-page.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

// A search and the operations that come first, in their order.
const SEARCHES: readonly (readonly [string, readonly string[]])[] = [
  ['rating', ['listRatings', 'listOwnRatings', 'createRating', 'getRating', 'updateRating', 'deleteRating']],
  ['Ratings', ['listRatings', 'listOwnRatings', 'createRating']],
  ['photo', ['listPhotos', 'uploadPhoto', 'getPhoto', 'setPhotoCaption', 'deletePhoto', 'getPhotoFile']],
  ['login', ['login', 'beginOidcLoginAlias']],
  ['search', ['search', 'searchPlaces']],
  ['category', ['listCategories', 'createCategory']],
  ['food type', ['listFoodTypes', 'createFoodType']],
  ['list', ['listLists', 'createList', 'getList', 'updateList', 'deleteList']],
  ['import', ['importFile']],
  ['invitation', ['checkInvitation', 'listInvitations', 'createInvitation']],
  ['password', ['changePassword', 'resetPassword', 'createPasswordReset']],
  ['token', ['listApiTokens', 'createApiToken', 'getApiToken', 'deleteApiToken']],
  ['health', ['getHealth', 'getPlainHealth']],
  ['delete rating', ['deleteRating']],
  ['POST suggestion', ['createSuggestion', 'convertSuggestion']],
  ['sugg', ['listSuggestions', 'createSuggestion']],
  ['/api/visits/{id}', ['getVisit', 'updateVisit', 'deleteVisit']],
  ['radius', ['listRestaurants', 'pageRestaurants']],
];

/** The operations in the navigation, from above. */
function operationsOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('#operations a')].map(({ hash }) => hash.slice(1))`,
  );
}

describe('the search of the page at /api/docs', { skip: NO_BROWSER }, () => {
  mainPath('finds the operations first whose own name has the word', async (t) => {
    const { page } = await openDocs(t, await startService(t));
    for (const [words, first] of SEARCHES) {
      await page.getByRole('searchbox').fill(words);
      assert.deepEqual((await operationsOf(page)).slice(0, first.length), first, words);
    }
  });

  test('opens the first one by Enter, marks it, and shows all again when it is empty', async (t) => {
    const { page } = await openDocs(t, await startService(t));
    const all = await operationsOf(page);
    await page.getByRole('searchbox').fill('login');
    await page.keyboard.press('Enter');
    await page.locator('nav a[aria-current][href="#login"]').waitFor();
    await page.getByRole('searchbox').fill('no such operation');
    assert.equal(await page.locator('#matches').textContent(), 'No found');
    assert.deepEqual(await operationsOf(page), []);
    await page.getByRole('searchbox').fill(' ');
    assert.deepEqual(await operationsOf(page), all);
    assert.equal(await page.locator('nav a[aria-current]').getAttribute('href'), '#login');
  });
});

describe('the order of the page at /api/docs', { skip: NO_BROWSER }, () => {
  test('is that of use: the tour, restaurants first, what no one starts with, and what is true of all', async (t) => {
    const { page } = await openDocs(t, await startService(t));
    const titles = await page.locator('.overview h2').allTextContents();
    assert.deepEqual(titles.slice(0, 4), ['Restaurants', 'Ratings', 'Search', 'Suggestions']);
    const errors = titles.indexOf('Errors');
    assert.equal(titles[errors - 1], 'Pages and aliases');
    const tour = page.locator('.overview > ol');
    assert.match((await tour.textContent()) ?? '', /List the categories/);
    assert.equal(await page.locator('.overview > ol ~ section h2').first().textContent(), 'Restaurants');
    const last = page.locator('#operations section').last();
    for (const operationId of [
      'getPlainHealth',
      'getDocsAsset',
      'getDescription',
      'getAppConfig',
      'getMetrics',
    ])
      assert.equal(await last.locator(`a[href="#${operationId}"]`).count(), 1, operationId);
  });

  test('leads from the tour to what is true of all operations', async (t) => {
    const { page } = await openDocs(t, await startService(t));
    await page.getByRole('main').getByRole('link', { name: 'Conventions' }).click();
    await until(() =>
      page.evaluate<boolean>(`(() => {
        const { top } = document.getElementById('about-conventions').getBoundingClientRect();
        return top >= 0 && top < innerHeight;
      })()`),
    );
  });

  test('names its own host in code, and leads to the app and the manual', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service);
    const code = (await page.locator('.overview pre').first().textContent()) ?? '';
    assert.ok(code.includes(` ${service.url}/api/restaurants `), code);
    const banner = page.getByRole('banner');
    assert.equal(await banner.getByRole('link', { name: 'App' }).getAttribute('href'), '/');
    assert.equal(await banner.getByRole('link', { name: 'Manual' }).getAttribute('href'), '/manual');
  });
});
