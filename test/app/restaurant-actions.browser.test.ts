import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { TRATTORIA, openAction, openTrattoria } from '../support/app-places.ts';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, field } from '../support/client.ts';
import { holds, openTab, press, testAccess } from '../support/web-app.ts';

const PATH = '/restaurants/1';

describe('A restaurant', { skip: NO_BROWSER }, () => {
  for (const [name, what] of [
    ['save', 'The lists of a restaurant'],
    ['go', 'The choice of maps'],
  ] as const)
    testAccess(what, async (t, options) => {
      const { page } = await openTrattoria(t, { ...options });
      await openAction(page, name);
      await page.locator('dialog .skeleton').waitFor({ state: 'detached' });
      return page;
    });

  testAccess('The history of a restaurant', async (t, options) => {
    const { page } = await openTrattoria(t, { ...options });
    await page.locator('[aria-label="More about this place"]:visible').click();
    await page.getByRole('button', { name: 'History' }).click();
    await page.locator('.changes li').first().waitFor();
    return page;
  });

  test('goes with the maps that were chosen once', async (t) => {
    const app = await openTrattoria(t, { as: 'visitor' });
    const { page } = app;
    await press(page, 'g');
    await page.getByRole('dialog').waitFor();
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll('dialog a')].map((link) => link.getAttribute('href'))`,
    );
    assert.deepEqual(links, [
      'geo:41.8883,12.4771?q=41.8883,12.4771(Trattoria%20da%20Enzo)',
      'https://maps.apple.com/?daddr=41.8883%2C12.4771&q=Trattoria%20da%20Enzo',
      'https://www.google.com/maps/dir/?api=1&destination=41.8883%2C12.4771',
      'https://www.openstreetmap.org/directions?to=41.8883%2C12.4771',
    ]);
    const google = page.getByRole('link', { name: 'Google Maps' });
    // The address itself is not for a test to open.
    await page.evaluate(
      `document.addEventListener('click', (event) => event.target.closest('dialog a') && event.preventDefault())`,
    );
    await google.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const tab = await openTab(t, app, PATH);
    assert.equal(await tab.page.locator('a[data-focus=go]:visible').getAttribute('href'), links[2]);
  });

  mainPath('is deleted and brought back with its ratings and photos, by one press each', async (t) => {
    const { page, service } = await openTrattoria(t, { photos: 1, path: '/' });
    await page.getByRole('link', { name: TRATTORIA.name }).click();
    await page.locator('h1', { hasText: TRATTORIA.name }).waitFor();
    await page.locator('[aria-label="More about this place"]:visible').click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Trattoria da Enzo is deleted').waitFor();
    assert.equal((await service.api.get(PATH)).status, 404);
    await page.waitForURL(`${service.url}/`);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone').waitFor();
    await page.getByRole('link', { name: TRATTORIA.name }).click();
    await page.locator('.tile').waitFor();
    await page.getByText('Crowded after eight.').waitFor();
  });

  test('asks before a delete that nothing can revert', async (t) => {
    const { page, service } = await openTrattoria(t, { settings: { TRASH_DAYS: '0' } });
    await page.locator('[aria-label="More about this place"]:visible').click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Delete Trattoria da Enzo with everyone’s ratings and photos?').waitFor();
    assert.equal((await service.api.get(PATH)).status, 200);
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('Trattoria da Enzo is deleted').waitFor();
  });

  test('reverts a change from its history', async (t) => {
    const { page, service, alice } = await openTrattoria(t);
    await alice.api.put(PATH, { ...TRATTORIA, phone: '1' });
    await page.locator('[aria-label="More about this place"]:visible').click();
    await page.getByRole('button', { name: 'History' }).click();
    const change = page.locator('.changes li', { hasText: 'You changed the phone of Trattoria da Enzo' });
    await change.getByRole('button', { name: /^Undo/ }).click();
    await page.getByText('Undone', { exact: true }).waitFor();
    assert.equal(field((await service.api.get(PATH)).body, 'phone'), TRATTORIA.phone);
  });

  mainPath('is saved to two lists by two checks, and to a new one by its name', async (t) => {
    const { page, alice } = await openTrattoria(t);
    await openAction(page, 'save');
    await page.getByLabel('Want to go').check();
    await page.getByLabel('Favourites').check();
    await page.getByText('Added Trattoria da Enzo to Favourites').waitFor();
    await page.getByLabel('New list').fill('Date night');
    await press(page, 'Enter');
    await page.getByText('Added Trattoria da Enzo to Date night').waitFor();
    await page.getByRole('checkbox', { name: 'Date night', checked: true }).waitFor();
    const own = await alice.api.get('/restaurants/1?include=mine');
    const mine = field(own.body, 'mine');
    assert.deepEqual([field(mine, 'want'), field(mine, 'favourite')], [true, true]);
    assert.equal(array(field(mine, 'lists')).length, 1);
  });

  test('leaves what is typed into its fields alone while the screen is drawn again', async (t) => {
    const { page } = await openTrattoria(t);
    await openAction(page, 'save');
    await page.getByLabel('New list').fill('Date night');
    await page.getByLabel('Want to go').check();
    await page.getByText('Added Trattoria da Enzo to Want to go').waitFor();
    assert.equal(await page.getByLabel('New list').inputValue(), 'Date night');
  });

  test('says at its field why a list cannot be made', async (t) => {
    const { page, alice } = await openTrattoria(t, { refusals: [409] });
    await alice.api.post('/lists', { name: 'Date night' });
    await openAction(page, 'save');
    await page.getByLabel('New list').fill('date night');
    await press(page, 'Enter');
    await page.locator('.field .bad', { hasText: 'This is taken already.' }).waitFor();
    await holds(page, `document.activeElement?.getAttribute('name') === 'name'`);
  });

  mainPath('notes a visit of today by one press, and wants by another', async (t) => {
    const { page, alice } = await openTrattoria(t);
    await press(page, 'b');
    await page.getByText('Been once, on').waitFor();
    await page.getByText('Been to Trattoria da Enzo today').waitFor();
    await press(page, 'w');
    await page.getByText('to Want to go').waitFor();
    const visits = await alice.api.get('/visits');
    assert.equal(field(visits.body, 'total'), 1);
    assert.equal(field((await alice.api.get('/lists/want')).body, 'item_count'), 1);
    await page.goto(new URL('/', page.url()).href);
    const row = page.locator('.row', { hasText: 'Trattoria da Enzo' });
    for (const mark of ['Been once', 'Want to go']) await row.getByTitle(mark, { exact: true }).waitFor();
    await row.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Trattoria da Enzo', exact: true }).waitFor();
    await press(page, 'e');
    await page.waitForURL('**/restaurants/1/edit');
  });

  test('leads from the note of a visit to its details', async (t) => {
    const { page } = await openTrattoria(t);
    await press(page, 'b');
    await page.getByRole('button', { name: 'Add details' }).click();
    await page.waitForURL('**/visits?write=1');
  });

  test('asks whoever is signed out to sign in first, and comes back', async (t) => {
    const { page } = await openTrattoria(t, { as: 'visitor' });
    await page.locator('[data-focus=save]:visible').click();
    await page.waitForURL('**/sign-in?to=%2Frestaurants%2F1');
  });
});
