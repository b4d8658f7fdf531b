import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, field, textOf } from '../support/client.ts';
import { startService } from '../support/service.ts';
import { becomes } from '../support/until.ts';
import { type App, holds, numbered, openApp, openNew, press, settled } from '../support/web-app.ts';

const PLACES = [
  { name: 'Café Lilas', price_level: 2, latitude: 48.85, longitude: 2.34 },
  { name: 'Osteria Uno', price_level: 3, latitude: 41.9, longitude: 12.48, opening_hours: '24/7' },
  { name: 'Soba Ya', price_level: 1, latitude: 35.66, longitude: 139.7, opening_hours: 'off' },
  { name: 'Zum Bären', price_level: 2, latitude: 48.86, longitude: 2.35 },
];
const ROME = '12.4,41.8,12.6,42';
const MANY = 230;

/** Opens the list of those places, of which the third and the first are rated. */
async function openPlaces(t: TestContext, path = '/'): Promise<App> {
  const service = await startService(t);
  for (const place of PLACES) await service.api.post('/restaurants', place);
  for (const [id, stars] of [
    [3, 5],
    [1, 3],
  ] as const)
    await service.api.post('/ratings', {
      restaurant_id: id,
      food_rating: stars,
      service_rating: stars,
      ambiance_rating: stars,
    });
  return openApp(t, service, { path });
}

/** Waits until the list shows these rows. */
const shows = (page: Page, expected: readonly string[]): Promise<void> =>
  becomes(() => page.locator('.row .name').allTextContents(), expected);

const selected = '.row[aria-current=true] .name';

describe('the list of Explore', { skip: NO_BROWSER }, () => {
  test('has the rows of the API, in its order and with its total, for every filter and order', async (t) => {
    const { page, service } = await openPlaces(t);
    for (const query of [
      'sort=rating',
      'sort=newest',
      'sort=name',
      'price_level=2&sort=name',
      'price_level=1,3',
      `bbox=${ROME}`,
      'min_rating=4',
      'lat=48.855&lng=2.345&radius=5',
      'price_level=4',
      'open_at=now',
    ]) {
      await page.goto(`${service.url}/?${query}`);
      await settled(page);
      // Few of them are rated, so that the newest come first.
      const sort = query.includes('sort=') ? '' : query.includes('lat=') ? '&sort=distance' : '&sort=newest';
      const { body } = await service.api.get(
        `/restaurants/paginated?limit=100&${query}${sort}&include=opening`,
      );
      // Unknown hours may be open: such places stand behind those that are.
      const isSure = (row: unknown): boolean =>
        !query.startsWith('open_at') || textOf(field(row, 'opening'), 'state') === 'open';
      const data = array(field(body, 'data'));
      const rows = [...data.filter(isSure), ...data.filter((row) => !isSure(row))].map((row) =>
        textOf(row, 'name'),
      );
      await shows(page, rows);
      assert.match((await page.locator('h1').textContent()) ?? '', new RegExp(`^${rows.length} places?\\b`));
    }
  });

  mainPath('finds what is typed without its accents, and asks once a pause', async (t) => {
    const { page, requests, service } = await openPlaces(t);
    await press(page, '/');
    assert.equal(await page.evaluate('document.activeElement.type'), 'search');
    requests.length = 0;
    await page.evaluate(`(async () => {
      const field = document.activeElement;
      for (const letter of 'cafe') {
        field.value += letter;
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
        await new Promise(requestAnimationFrame);
      }
    })()`);
    await page.waitForURL('**/?q=cafe');
    await shows(page, ['Café Lilas']);
    const searches = requests.filter((request) => request.includes('q='));
    assert.deepEqual(
      searches.map((request) => new URL(request.slice('GET '.length), service.url).searchParams.get('q')),
      searches.map(() => 'cafe'),
    );
    const lists = requests.filter((request) => request.startsWith('GET /api/restaurants/paginated'));
    assert.equal(lists.length, 1);
    await page.goBack();
    // Newest first, since few of them are rated.
    await shows(page, PLACES.map(({ name }) => name).toReversed());
  });

  mainPath('follows its chips, each of which Back takes off again', async (t) => {
    const { page } = await openPlaces(t, '/?sort=name');
    const all = PLACES.map(({ name }) => name);
    // Unknown hours may be open: they stand behind those that are.
    const open = ['Osteria Uno', 'Café Lilas', 'Zum Bären'];
    const chip = (name: string): Promise<void> =>
      page.getByRole('button', { name, exact: true }).first().click();
    await chip('Open now');
    await page.waitForURL('**/?sort=name&open_at=now');
    await shows(page, open);
    await page.reload();
    await settled(page);
    await shows(page, open);
    await chip('Open now');
    await page.waitForURL('**/?sort=name');
    await shows(page, all);
    await chip('Price');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: '€€', exact: true }).click();
    await page.waitForURL('**/?sort=name&price_level=2');
    await shows(page, ['Café Lilas', 'Zum Bären']);
    await dialog.getByRole('button', { name: '2 places' }).click();
    await dialog.waitFor({ state: 'detached' });
    for (const rows of [all, open, all]) {
      await page.goBack();
      await shows(page, rows);
    }
    assert.equal(new URL(page.url()).search, '?sort=name');
  });

  test('keeps filters, area and selection over a reload', async (t) => {
    const path = `/?bbox=2,48,3,49&price_level=2&sort=name&sel=4`;
    const { page } = await openPlaces(t, path);
    await shows(page, ['Café Lilas', 'Zum Bären']);
    await page.reload();
    await settled(page);
    await shows(page, ['Café Lilas', 'Zum Bären']);
    assert.deepEqual(await page.locator(selected).allTextContents(), ['Zum Bären']);
    const { searchParams } = new URL(page.url());
    assert.deepEqual(
      ['price_level', 'sort', 'sel'].map((name) => searchParams.get(name)),
      ['2', 'name', '4'],
    );
    assert.notEqual(searchParams.get('bbox'), null);
  });

  test('is walked and opened by keys alone', async (t) => {
    const { page } = await openPlaces(t, '/?sort=name');
    await press(page, 'j');
    await holds(page, `document.querySelector('${selected}')?.textContent === 'Café Lilas'`);
    await press(page, 'j');
    await holds(page, `document.querySelector('${selected}')?.textContent === 'Osteria Uno'`);
    await press(page, 'k');
    await holds(page, `document.querySelector('${selected}')?.textContent === 'Café Lilas'`);
    await press(page, 'Enter');
    await page.waitForURL('**/restaurants/1');
    await page.goBack();
    await holds(page, `document.querySelector('${selected}')?.textContent === 'Café Lilas'`);
  });

  test('says nothing of what is not known of a place, but that it can be rated', async (t) => {
    const { page } = await openPlaces(t, '/?sort=rating');
    const row = (name: string): Promise<string> => page.locator('.row', { hasText: name }).innerText();
    assert.doesNotMatch(await row('Zum Bären'), /not rated|unknown|0[.,]0/);
    await page.getByRole('button', { name: 'Rate Zum Bären, now not rated' }).waitFor();
    await page.getByRole('heading', { name: 'Not rated yet' }).waitFor();
    assert.match(await row('Osteria Uno'), /Open/);
    assert.match(await row('Soba Ya'), /5\.0 of 5 from 1 rating: food 5\.0, service 5\.0, ambience 5\.0/);
  });

  test('grows by a hundred rows without a repeat, and shows a place that is added meanwhile', async (t) => {
    const { page, requests, service } = await openNew(t, { places: numbered(MANY), path: '/?sort=newest' });
    assert.equal(await page.locator('.row').count(), 100);
    await page.getByRole('button', { name: 'Show 100 more' }).click();
    await holds(page, `document.querySelectorAll('.row').length === 200`);
    assert.equal(requests.filter((request) => request.includes('/paginated')).length, 2);
    await service.api.post('/restaurants', { name: 'Another' });
    await page.getByText('Another').waitFor();
    await page.getByRole('button', { name: 'Show 31 more' }).click();
    const expected = ['Another', ...Array.from({ length: MANY }, (_, at) => `Place ${MANY - at}`)];
    await shows(page, expected);
  });
});
