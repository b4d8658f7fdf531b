import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, field } from '../support/client.ts';
import { addItems, addList, addRestaurants, namesOn } from '../support/lists.ts';
import { LOCAL, type Person, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { becomes } from '../support/until.ts';
import {
  type App,
  type AppOptions,
  holds,
  openApp,
  openNew,
  press,
  settled,
  testAccess,
} from '../support/web-app.ts';

interface Lyon extends App {
  readonly alice: Person;
  readonly list: number;
}

/** Alice's list Lyon with the places A, B and C, as she looks at it. */
async function openLyon(t: TestContext, options: AppOptions = {}): Promise<Lyon> {
  const service = await startService(t, LOCAL);
  const alice = await signUp(service, 'alice');
  await addRestaurants(alice.api, 'A', 'B', 'C');
  const list = await addList(alice.api, 'Lyon');
  await addItems(alice.api, list, [1, 2, 3]);
  const app = await openApp(t, service, { user: alice, path: `/lists/${list}`, ...options });
  return { ...app, alice, list };
}

const shownNames = ({ page }: App): Promise<string[]> => page.locator('.items .name').allTextContents();

describe('Lists', { skip: NO_BROWSER }, () => {
  testAccess('A list with a note that is being written', async (t, options) => {
    const { page } = await openLyon(t, options);
    await page.getByRole('button', { name: 'Edit order' }).click();
    await page.getByRole('button', { name: 'Note on B' }).click();
    await page.getByRole('textbox', { name: 'Note on B' }).fill('By the window');
    return page;
  });

  testAccess('The form of a new list', async (t, options) => {
    const { page } = await openLyon(t, { ...options, path: '/lists' });
    await page.getByRole('button', { name: 'New list' }).click();
    await page.getByLabel('Name', { exact: true }).waitFor();
    return page;
  });

  testAccess('The page of all lists for a stranger', async (t, options) => {
    return (await openNew(t, { settings: LOCAL, ...options, path: '/lists' })).page;
  });

  test('work without a sign-in where the service has none', async (t) => {
    const service = await startService(t);
    await addRestaurants(service.api, 'A');
    await addItems(service.api, 'want', [1]);
    const app = await openApp(t, service, { path: '/lists' });
    await app.page.getByRole('link', { name: 'Want to go' }).click();
    await app.page.locator('h1', { hasText: 'Want to go' }).waitFor();
    await settled(app.page);
    assert.deepEqual(await shownNames(app), ['A']);
    assert.equal(await app.page.title(), 'Want to go - Catalogue');
  });

  mainPath('are made, renamed, deleted and brought back', async (t) => {
    const { page, alice } = await openLyon(t, { path: '/lists', refusals: [409] });
    await page.getByRole('button', { name: 'New list' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('lyon');
    await press(page, 'Enter');
    await page.getByText('This is taken already.').waitFor();
    await holds(page, `document.activeElement?.getAttribute('aria-invalid') === 'true'`);
    await name.fill('Rome');
    await press(page, 'Enter');
    await page.locator('h1', { hasText: 'Rome' }).waitFor();
    await page.getByText('Nothing on this list yet.').waitFor();
    await page.getByRole('button', { name: 'Edit order' }).click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await name.fill('Roma');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('h1', { hasText: 'Roma' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted the list Roma.').waitFor();
    assert.equal(new URL(page.url()).pathname, '/lists');
    await becomes(() => page.locator('.row').count(), 3);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Roma' }).waitFor();
    const names = array((await alice.api.get('/lists')).body).map((list) => field(list, 'name'));
    assert.deepEqual(names.slice(2), ['Lyon', 'Roma']);
  });

  test('ask first where nothing can be brought back', async (t) => {
    const service = await startService(t, { ...LOCAL, TRASH_DAYS: '0' });
    const alice = await signUp(service, 'alice');
    const list = await addList(alice.api, 'Lyon');
    const { page } = await openApp(t, service, { user: alice, path: `/lists/${list}` });
    await page.getByRole('button', { name: 'Edit order' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await alice.api.get(`/lists/${list}`)).status, 200);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('Deleted the list Lyon.').waitFor();
    assert.equal((await alice.api.get(`/lists/${list}`)).status, 404);
  });
});

describe('A list', { skip: NO_BROWSER }, () => {
  mainPath('is put in order by keys alone: one write and one Undo for several steps', async (t) => {
    const app = await openLyon(t);
    const { page, alice, list, requests } = app;
    await page.getByRole('link', { name: 'C', exact: true }).focus();
    await press(page, 'Alt+ArrowUp', 'Alt+ArrowUp', 'Alt+ArrowUp');
    await page.getByText('Moved C to number 1.').waitFor();
    assert.deepEqual(await shownNames(app), ['C', 'A', 'B']);
    assert.deepEqual(await namesOn(alice.api, list), ['C', 'A', 'B']);
    assert.equal(requests.filter((one) => one.startsWith('PUT')).length, 1);
    await holds(page, `document.activeElement?.textContent === 'C'`);
    await press(page, 'u');
    await page.getByText('Undone').waitFor();
    assert.deepEqual(await namesOn(alice.api, list), ['A', 'B', 'C']);
    await holds(page, `document.querySelector('.items .name').textContent === 'A'`);
  });

  test('is put in order by buttons, which keep the focus', async (t) => {
    const app = await openLyon(t);
    const { page, alice, list } = app;
    await page.getByRole('button', { name: 'Edit order' }).click();
    await page.getByRole('button', { name: 'Move A down' }).focus();
    await press(page, 'Enter');
    await becomes(() => shownNames(app), ['B', 'A', 'C']);
    await holds(page, `document.activeElement?.getAttribute('aria-label') === 'Move A down'`);
    await page.getByText('Moved A to number 2.').waitFor();
    assert.deepEqual(await namesOn(alice.api, list), ['B', 'A', 'C']);
    const up = page.getByRole('button', { name: 'Move B up' });
    assert.equal(await up.getAttribute('aria-disabled'), 'true');
  });

  test('saves a move that is under way when it is left', async (t) => {
    const { page, alice, list } = await openLyon(t);
    await page.getByRole('button', { name: 'Edit order' }).click();
    await page.getByRole('button', { name: 'Move A down' }).click();
    await page.getByRole('link', { name: 'Visits' }).click();
    await page.getByText('Moved A to number 2.').waitFor();
    assert.deepEqual(await namesOn(alice.api, list), ['B', 'A', 'C']);
  });

  test('moves back what the service refused, with the reason', async (t) => {
    const app = await openLyon(t, { refusals: [500] });
    const { page } = app;
    await page.route('**/api/lists/*/items/*', (route) =>
      route.fulfill({ status: 500, json: { error: 'no' } }),
    );
    await page.getByRole('button', { name: 'Edit order' }).click();
    await page.getByRole('button', { name: 'Move A down' }).click();
    await page.getByText('Not saved: The service has a problem.').waitFor();
    assert.deepEqual(await shownNames(app), ['A', 'B', 'C']);
  });

  test('loses a place by one press and has it back by another, at its position', async (t) => {
    const app = await openLyon(t);
    const { page, alice, list } = app;
    await page.getByRole('button', { name: 'Edit order' }).click();
    await page.getByRole('button', { name: 'Remove B' }).click();
    await page.getByText('Removed B from Lyon.').waitFor();
    assert.deepEqual(await shownNames(app), ['A', 'C']);
    assert.deepEqual(await namesOn(alice.api, list), ['A', 'C']);
    await holds(page, `document.activeElement?.getAttribute('aria-label') === 'Remove C'`);
    await press(page, 'u');
    await page.getByText('Undone').waitFor();
    assert.deepEqual(await namesOn(alice.api, list), ['A', 'B', 'C']);
  });

  test('asks for itself once, and for nothing else, and says where its places are', async (t) => {
    const service = await startService(t);
    await service.api.post('/restaurants', { name: 'Chez Nous', address: 'Rue de Rivoli 1, Paris, France' });
    await addItems(service.api, 'want', [1]);
    const { page, requests } = await openApp(t, service, { path: '/lists/want' });
    await page.locator('.row').getByText('Paris', { exact: true }).waitFor();
    assert.deepEqual(
      requests.filter((one) => one.includes('/api/lists')),
      ['GET /api/lists/want?include=items'],
    );
  });

  test('shows its places on a map beside it, on which a press opens a place', async (t) => {
    const service = await startService(t);
    const position = { latitude: 48.86, longitude: 2.34 };
    await service.api.post('/restaurants', { name: 'Chez Nous', ...position });
    await addItems(service.api, 'want', [1]);
    const { page } = await openApp(t, service, { path: '/lists/want' });
    await page.locator('.list-map canvas').first().waitFor();
  });

  test('has a note for each place', async (t) => {
    const { page, alice, list } = await openLyon(t);
    await page.getByRole('button', { name: 'Edit order' }).click();
    await page.getByRole('button', { name: 'Note on B' }).click();
    await holds(page, `document.activeElement?.name === 'note'`);
    await page.keyboard.type('A table for 2 < 3 & more');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved the note on B.').waitFor();
    await page.getByText('A table for 2 < 3 & more').waitFor();
    const items = array((await alice.api.get(`/lists/${list}/items`)).body);
    assert.deepEqual(
      items.map((item) => field(item, 'note')),
      [null, 'A table for 2 < 3 & more', null],
    );
    await press(page, 'u');
    await page.getByText('Undone').waitFor();
    await holds(page, `!document.querySelector('.items').textContent.includes('table')`);
  });

  test('prints names, addresses and hours, with a box to tick for each', async (t) => {
    const service = await startService(t);
    const facts = { address: 'Rue de Rivoli 1', opening_hours: 'Mo-Fr 12:00-22:00' };
    await service.api.post('/restaurants', { name: 'Chez Nous', ...facts });
    await addItems(service.api, 'want', [1]);
    const { page } = await openApp(t, service, { path: '/lists/want' });
    const address = page.locator('.paper').getByText(facts.address);
    assert.equal(await address.isVisible(), false);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await address.isVisible(), true);
    assert.equal(await page.getByText(facts.opening_hours).isVisible(), true);
    assert.equal(await page.getByRole('link', { name: 'Chez Nous' }).isVisible(), true);
    assert.equal(await page.locator('#content button:visible').count(), 0);
    const box = await page.evaluate(`(() => {
      const { width, borderTopStyle } = getComputedStyle(document.querySelector('.items .row'), '::before');
      return [parseFloat(width) > 10, borderTopStyle];
    })()`);
    assert.deepEqual(box, [true, 'solid']);
  });
});
