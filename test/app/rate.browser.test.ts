import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { TRATTORIA, openTrattoria } from '../support/app-places.ts';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, field } from '../support/client.ts';
import type { Service } from '../support/service.ts';
import { becomes } from '../support/until.ts';
import {
  type AppOptions,
  PHONE,
  holdBack,
  holds,
  openApp,
  openAsAlice,
  press,
  fillSignIn,
  settled,
  testAccess,
} from '../support/web-app.ts';

const PATH = '/restaurants/1';

/** The stored ratings of restaurant 1, the newest first: food, service, room and comment. */
async function stored({ api }: Service): Promise<readonly (readonly unknown[])[]> {
  const names = ['food_rating', 'service_rating', 'ambiance_rating', 'comment'];
  const { body } = await api.get('/restaurants/1/ratings');
  return array(body).map((rating) => names.map((name) => field(rating, name)));
}

/** The means that the page shows, from the one of all to that of the room. */
const shownMeans = (page: Page): Promise<string[]> => page.locator('.means b').allTextContents();

/** Presses one of the stars of the box beside the page. */
async function pressStar(page: Page, row: string, stars: number): Promise<void> {
  const group = page.locator('.rating').getByRole('group', { name: row });
  await group
    .locator('label')
    .nth(stars - 1)
    .click();
}

/** The page of a place that is not rated yet, unless the path is another. */
const openUnrated = (t: TestContext, options: AppOptions = {}): ReturnType<typeof openAsAlice> =>
  openAsAlice(t, { places: [TRATTORIA], path: PATH, ...options });

describe('Rating', { skip: NO_BROWSER }, () => {
  testAccess('The stars of a restaurant', async (t, options) => {
    const { page } = await openUnrated(t, { ...options, path: '/' });
    await page.getByRole('button', { name: 'Rate Trattoria da Enzo' }).click();
    await page.getByRole('dialog').locator('label').nth(3).click();
    await page.getByText('Rated Trattoria da Enzo').waitFor();
    return page;
  });

  test('stand in the page of a place that nobody has rated, and stay there', async (t) => {
    const { page } = await openUnrated(t, { viewport: PHONE, hasTouch: true });
    await page.getByRole('heading', { name: 'Be the first to rate it' }).waitFor();
    assert.equal(await page.locator('[data-focus=rate]').count(), 0);
    await pressStar(page, 'Food', 4);
    await page.getByText('Rated Trattoria da Enzo 4 stars').waitFor();
    await page.getByRole('heading', { name: 'Your rating' }).waitFor();
    await page.locator('.rating textarea').waitFor();
  });

  test('are said to be stored once they are, and to wait only where there is no connection', async (t) => {
    const { page } = await openUnrated(t);
    const goOn = await holdBack(page, '**/api/ratings');
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/api/ratings')),
      pressStar(page, 'Food', 4),
    ]);
    const status = page.locator('.rating').getByRole('status');
    assert.deepEqual([await status.textContent(), sent.failure()], ['', null]);
    goOn();
    await status.getByText('Saved').waitFor();
  });

  test('are not covered by what says that they are stored', async (t) => {
    const { page } = await openUnrated(t, { path: '/', viewport: PHONE, hasTouch: true });
    await page.getByRole('button', { name: 'Rate Trattoria da Enzo' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('label').nth(3).click();
    await dialog.getByText('Rated Trattoria da Enzo').waitFor();
    const [toast, title] = await Promise.all(
      [dialog.locator('.toast'), dialog.locator('h2')].map((part) => part.boundingBox()),
    );
    assert.ok(toast && title && toast.y + toast.height <= title.y);
  });

  test('that are given in the list change the map, the page and a list without another read', async (t) => {
    const app = await openUnrated(t, { path: '/' });
    const { page, requests, alice } = app;
    await alice.api.put('/lists/want/items/1', {});
    await page.getByRole('link', { name: 'Lists' }).first().click();
    await page.getByRole('link', { name: 'Want to go' }).click();
    await page.getByRole('link', { name: TRATTORIA.name }).waitFor();
    await page.getByRole('link', { name: 'Explore' }).first().click();
    await page.getByRole('button', { name: 'Rate Trattoria da Enzo' }).waitFor();
    await settled(page);
    await press(page, 'j');
    await holds(page, `document.querySelector('.map-drop')?.textContent.includes('–')`);
    await page.getByRole('button', { name: 'Rate Trattoria da Enzo' }).first().click();
    await page.getByRole('dialog').locator('label').nth(4).click();
    await page.getByText('Rated Trattoria da Enzo 5 stars').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('.row .score', { hasText: '5.0' }).waitFor();
    await holds(page, `document.querySelector('.map-drop')?.textContent.includes('5.0')`);
    const since = requests.slice(requests.indexOf('POST /api/ratings') + 1);
    assert.deepEqual(
      since.filter((one) => !one.includes('/me/') && !one.includes('stream')),
      [],
    );
    await holdBack(page, '**/api/**');
    await page.getByRole('link', { name: TRATTORIA.name }).first().click();
    await page.locator('.means b', { hasText: '5.0' }).first().waitFor();
    await page.getByRole('link', { name: 'Lists' }).first().click();
    await page.getByRole('link', { name: 'Want to go' }).click();
    await page.locator('.row .score', { hasText: '5.0' }).waitFor();
  });

  test('that somebody gives before signing in are shown afterwards, without a reload', async (t) => {
    const { service, alice } = await openUnrated(t);
    const { page } = await openApp(t, service);
    await page.getByRole('button', { name: 'Rate Trattoria da Enzo' }).click();
    await page.getByRole('dialog').locator('label').nth(3).click();
    await page.waitForURL('**/sign-in?**');
    await fillSignIn(page, alice);
    await page.getByText('Rated Trattoria da Enzo 4 stars').waitFor();
    await page.locator('.row .score', { hasText: '4.0' }).waitFor();
    await page.getByRole('link', { name: TRATTORIA.name }).first().click();
    await page.locator('.means b', { hasText: '4.0' }).first().waitFor();
  });

  mainPath('fills the other rows by the first choice, and changes that rating by the next', async (t) => {
    const { page, service, requests } = await openUnrated(t);
    const goOn = await holdBack(page, '**/api/ratings');
    await pressStar(page, 'Food', 4);
    await holds(page, `document.querySelectorAll('.rating .stars.draft').length === 2`);
    goOn();
    await page.getByText('Rated Trattoria da Enzo 4 stars').waitFor();
    await pressStar(page, 'Service', 2);
    await page.getByText('Rated Trattoria da Enzo food 4, service 2, ambience 4').waitFor();
    await page.locator('.rating textarea').fill('Loud.');
    await holds(page, `document.querySelector('.say p')?.textContent === 'Loud.'`);
    // The page shows it before it is stored.
    await becomes(() => stored(service), [[4, 2, 4, 'Loud.']]);
    assert.deepEqual(
      requests.filter((one) => !one.startsWith('GET') && one.includes('ratings')),
      ['POST /api/ratings', 'PUT /api/ratings/1', 'PUT /api/ratings/1'],
    );
  });

  test('stores one rating where the second choice comes before the answer to the first', async (t) => {
    const { page, service } = await openUnrated(t);
    const goOn = await holdBack(page, '**/api/ratings');
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/ratings'),
    );
    await pressStar(page, 'Food', 4);
    await sent;
    await pressStar(page, 'Ambience', 5);
    await page.getByRole('link', { name: 'Explore' }).first().click();
    goOn();
    await page.getByText('Rated Trattoria da Enzo food 4, service 4, ambience 5').waitFor();
    assert.deepEqual(await stored(service), [[4, 4, 5, null]]);
  });

  test('moves the mean at once, and back with the reason where it is not stored', async (t) => {
    const { page } = await openTrattoria(t, { as: 'bob', refusals: [500] });
    const before = ['4.2', '4.5', '4.0', '4.0'];
    assert.deepEqual(await shownMeans(page), before);
    const goOn = await holdBack(page, '**/api/ratings/*', {
      answer: (route) => route.fulfill({ status: 500, json: { error: 'Internal server error' } }),
    });
    await pressStar(page, 'Ambience', 5);
    await page.locator('.means b', { hasText: '5.0' }).waitFor();
    assert.deepEqual(await shownMeans(page), ['4.5', '4.5', '4.0', '5.0']);
    goOn();
    await page.getByText('Not saved: The service has a problem.').waitFor();
    assert.deepEqual(await shownMeans(page), before);
    await becomes(() => page.locator('[data-kind=ambiance] .on').count(), 3);
  });

  test('needs keys alone', async (t) => {
    const { page, service } = await openUnrated(t);
    await press(page, '4');
    await page.getByText('Rated Trattoria da Enzo 4 stars').waitFor();
    await press(page, 'r', 'Tab', '2', 'Tab', 'ArrowRight');
    await page.getByText('Rated Trattoria da Enzo food 4, service 2, ambience 5').waitFor();
    await press(page, 'u');
    await page.getByText('Undone').waitFor();
    assert.deepEqual(await stored(service), [[4, 4, 4, null]]);
    await page.getByRole('button', { name: 'Redo' }).click();
    await page.getByText('Done again').waitFor();
    assert.deepEqual(await stored(service), [[4, 2, 5, null]]);
    await press(page, 'u');
    await page.getByText('Undone').waitFor();
    await page.setViewportSize(PHONE);
    await press(page, 'r');
    await holds(page, `document.activeElement?.matches('.rating [data-kind=food] input')`);
    // The undone rating of three times four is loaded again.
    await holds(page, `document.activeElement?.closest('.rating').querySelectorAll('.on').length === 12`);
    await press(page, '3');
    await page.getByText('Rated Trattoria da Enzo food 3, service 4, ambience 4').waitFor();
  });

  test('comes back with what was rated before, and puts it right', async (t) => {
    const app = await openTrattoria(t, { as: 'bob', viewport: PHONE });
    const { service } = app;
    await press(app.page, 'r');
    const dialog = app.page.getByRole('dialog');
    await dialog.getByText('Saved').waitFor();
    await holds(app.page, `document.activeElement?.matches('dialog [data-kind=food] input')`);
    assert.equal(await dialog.locator('textarea').inputValue(), 'Crowded after eight.');
    await becomes(() => dialog.locator('.on').count(), 11);
    await dialog.locator('[data-kind=ambiance] label').nth(4).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await app.page.getByText('Rated Trattoria da Enzo food 4, service 4, ambience 5').waitFor();
    assert.deepEqual(await stored(service), [
      [4, 4, 5, 'Crowded after eight.'],
      [5, 4, 5, 'Ask for the table in the yard.'],
    ]);
    await press(app.page, 'u');
    await app.page.getByText('Undone').waitFor();
    assert.deepEqual((await stored(service))[0], [4, 4, 3, 'Crowded after eight.']);
  });

  test('changes the rating of before also where that was not loaded yet', async (t) => {
    const { page, service } = await openTrattoria(t, { as: 'bob', path: '/' });
    const goOn = await holdBack(page, '**/api/ratings?user=me**', { times: 1 });
    await page.getByRole('button', { name: 'Rate Trattoria da Enzo' }).click();
    await page.getByRole('dialog').locator('label').nth(4).click();
    await page.getByText('Rated Trattoria da Enzo 5 stars').waitFor();
    goOn();
    assert.deepEqual(await stored(service), [
      [5, 5, 5, 'Crowded after eight.'],
      [5, 4, 5, 'Ask for the table in the yard.'],
    ]);
  });

  test('is deleted by its author, and brought back', async (t) => {
    const { page, service } = await openTrattoria(t, { as: 'bob' });
    await page.getByRole('button', { name: 'Delete my rating' }).click();
    await page.getByText('Your rating of Trattoria da Enzo is deleted').waitFor();
    assert.equal((await stored(service)).length, 1);
    await press(page, 'u');
    await page.getByText('Undone').waitFor();
    assert.equal((await stored(service)).length, 2);
  });
});
