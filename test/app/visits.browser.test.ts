import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, field } from '../support/client.ts';
import { addRestaurants } from '../support/lists.ts';
import { LOCAL, type Person, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
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

const FULL = {
  note: 'The best cacio e pepe so far.',
  companions: ['Ada', 'Grace'],
  total_minor: 4850,
  currency: 'EUR',
  dishes: [{ name: 'Cacio e pepe', stars: 5, again: true, price_minor: 1400 }],
};

const WRITE = /^(?:Add details|Edit): Soba Ya, /;

interface Diary extends App {
  readonly alice: Person;
}

/** Alice's visit to Soba Ya, today unless `visit` says otherwise, as she looks at it. */
async function openDiary(t: TestContext, visit: object = {}, options: AppOptions = {}): Promise<Diary> {
  const service = await startService(t, LOCAL);
  const alice = await signUp(service, 'alice');
  await addRestaurants(alice.api, 'Soba Ya');
  const { status } = await alice.api.post('/visits', { restaurant_id: 1, ...visit });
  assert.equal(status, 201);
  const app = await openApp(t, service, { user: alice, path: '/visits', ...options });
  return { ...app, alice };
}

const storedVisit = async ({ alice }: Diary): Promise<unknown> => (await alice.api.get('/visits/1')).body;

/** The first day of a month some years ago, far from any end of a span. */
const yearsAgo = (years: number): string => `${new Date().getUTCFullYear() - years}-03-05`;

describe('Visits', { skip: NO_BROWSER }, () => {
  testAccess('A visit that is being written down', async (t, options) => {
    const { page } = await openDiary(t, FULL, options);
    await page.getByRole('button', { name: WRITE }).click();
    await page.getByLabel('Dish 2', { exact: true }).waitFor();
    return page;
  });

  test('are empty at first, and say how one is written', async (t) => {
    const { page } = await openNew(t, { path: '/visits' });
    await page.getByText('No visits in these twelve months.').waitFor();
    await page.getByText('“Been”').waitFor();
  });

  mainPath('gain one of today by one key in the list of places', async (t) => {
    const service = await startService(t);
    await addRestaurants(service.api, 'Soba Ya');
    const { page } = await openApp(t, service);
    await press(page, 'j', 'b');
    await page.getByText('Been to Soba Ya today').waitFor();
    const visits = array(field((await service.api.get('/visits')).body, 'data'));
    assert.equal(visits.length, 1);
    await page.getByRole('link', { name: 'Visits' }).click();
    await page.locator('.visit').getByRole('link', { name: 'Soba Ya' }).waitFor();
    const day = Number(String(field(visits[0], 'visited_on')).slice(8));
    assert.equal(await page.locator('.visit .date b').textContent(), String(day));
    await page.getByText('1 visit to 1 place').waitFor();
    assert.equal(await page.locator('.year circle:not(.none)').count(), 1);
  });

  test('are written from the diary: the place by its name, and any day of before', async (t) => {
    const diary = await openDiary(t);
    const { page, alice } = diary;
    await addRestaurants(alice.api, 'Ramen Bar');
    await page.getByRole('button', { name: 'Add a visit' }).click();
    await page.getByRole('searchbox', { name: 'Where were you?' }).fill('ramen');
    await page.getByRole('link', { name: 'Ramen Bar' }).click();
    await holds(page, `document.activeElement?.id === 'field-visited_on'`);
    await page.getByLabel('Day').fill(yearsAgo(2));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved your visit to Ramen Bar.').waitFor();
    await page.locator('.visit').getByRole('link', { name: 'Ramen Bar' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.has('place'), false);
    const visit = (await alice.api.get('/visits/2')).body;
    assert.deepEqual([field(visit, 'restaurant_id'), field(visit, 'visited_on')], [2, yearsAgo(2)]);
  });

  test('of today lead from the place to their form, whose day comes first', async (t) => {
    const service = await startService(t);
    await addRestaurants(service.api, 'Soba Ya');
    const { page } = await openApp(t, service, { path: '/restaurants/1' });
    await page.getByRole('button', { name: 'Been', exact: true }).click();
    await page.getByRole('button', { name: 'Add details' }).click();
    await holds(page, `document.activeElement?.id === 'field-visited_on'`);
    assert.equal(new URL(page.url()).search, '?write=1');
  });

  test('take the currency of the last cost', async (t) => {
    const { page, alice } = await openDiary(t, FULL);
    await alice.api.post('/visits', { restaurant_id: 1 });
    await page.reload();
    await page.getByRole('button', { name: /^Add details/ }).click();
    assert.equal(await page.getByLabel('Currency').inputValue(), 'EUR');
  });

  test('show the score of the place', async (t) => {
    const service = await startService(t);
    await addRestaurants(service.api, 'Soba Ya');
    const stars = { food_rating: 5, service_rating: 4, ambiance_rating: 4 };
    await service.api.post('/ratings', { restaurant_id: 1, ...stars });
    await service.api.post('/visits', { restaurant_id: 1 });
    const { page } = await openApp(t, service, { path: '/visits' });
    await page.locator('.visit').getByText('4.3', { exact: true }).waitFor();
  });

  test('show note, dishes, company and cost', async (t) => {
    const { page } = await openDiary(t, FULL);
    for (const text of [FULL.note, 'Cacio e pepe · 5 stars · again', 'With Ada and Grace', '€48.50'])
      await page.getByText(text).waitFor();
  });

  mainPath('are written down later, in their place', async (t) => {
    const diary = await openDiary(t);
    const { page } = diary;
    await page.getByRole('button', { name: WRITE }).click();
    await page.getByLabel('Note').fill('Noisy, and worth it');
    await page.getByLabel('Dish 1', { exact: true }).fill('Soba');
    await page.getByLabel('Stars of dish 1').selectOption('4');
    await page.getByLabel('Dish 1 again?').selectOption('yes');
    await page.getByLabel('Dish 2', { exact: true }).fill('Matcha');
    await page.getByLabel('With whom').fill('Ben, Lucia ,');
    await page.getByLabel('Total').fill('1200');
    await page.getByLabel('Currency').fill('jpy');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved your visit to Soba Ya.').waitFor();
    const visit = await storedVisit(diary);
    const written = ['note', 'companions', 'total_minor', 'currency'].map((name) => field(visit, name));
    assert.deepEqual(written, ['Noisy, and worth it', ['Ben', 'Lucia'], 1200, 'JPY']);
    const blank = { stars: null, price_minor: null, note: null, again: null };
    assert.deepEqual(field(visit, 'dishes'), [
      { ...blank, name: 'Soba', stars: 4, again: true },
      { ...blank, name: 'Matcha' },
    ]);
    await press(page, 'u');
    await page.getByText('Undone').waitFor();
    assert.equal(field(await storedVisit(diary), 'note'), null);
  });

  test('keep what the form does not show of a dish', async (t) => {
    const diary = await openDiary(t, FULL);
    const { page } = diary;
    await page.getByRole('button', { name: WRITE }).click();
    await page.getByLabel('Total').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved your visit to Soba Ya.').waitFor();
    const visit = await storedVisit(diary);
    assert.equal(field(visit, 'total_minor'), null);
    assert.equal(field(array(field(visit, 'dishes'))[0], 'price_minor'), 1400);
  });

  test('say at its field what is wrong, and keep what was typed', async (t) => {
    const { page } = await openDiary(t, {}, { refusals: [400] });
    await page.getByRole('button', { name: WRITE }).click();
    await page.getByLabel('Note').fill('Kept');
    await page.getByLabel('Total').fill('a lot');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Write an amount').waitFor();
    await holds(page, `document.activeElement?.id === 'field-total_minor'`);
    await page.getByLabel('Total').fill('48,5');
    await page.getByLabel('Currency').fill('XQX');
    await page.getByRole('button', { name: 'Save' }).click();
    await holds(page, `document.activeElement?.id === 'field-currency'`);
    assert.equal(await page.getByLabel('Note').inputValue(), 'Kept');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await holds(page, `document.activeElement?.textContent.trim() === 'Add details'`);
  });

  test('are deleted, and come back by one press', async (t) => {
    const diary = await openDiary(t);
    const { page } = diary;
    await page.locator('.visit').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted your visit to Soba Ya.').waitFor();
    assert.equal((await diary.alice.api.get('/visits/1')).status, 404);
    await page.locator('.visit').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.visit').waitFor();
    assert.equal((await diary.alice.api.get('/visits/1')).status, 200);
  });

  test('of earlier years are found year by year, and none twice', async (t) => {
    const { page } = await openDiary(t, { visited_on: yearsAgo(2) });
    await page.getByText('No visits in these twelve months.').waitFor();
    let found = 0;
    for (let step = 1; step <= 3; step += 1) {
      const earlier = page.getByRole('link', { name: 'Earlier' });
      const before = String(await earlier.getAttribute('href'));
      await earlier.click();
      // The address changes before the years do.
      await earlier.and(page.locator(`:not([href="${before}"])`)).waitFor();
      await settled(page);
      await holds(page, `document.querySelector('.visit, .empty') !== null`);
      found += await page.locator('.visit').count();
    }
    assert.equal(found, 1);
    for (let step = 1; step <= 3; step += 1) await page.getByRole('link', { name: 'Later' }).click();
    await page.waitForURL((url) => url.search === '');
    await page.getByRole('link', { name: 'Later' }).waitFor({ state: 'detached' });
  });

  test('outlive the place', async (t) => {
    const { page, alice } = await openDiary(t);
    await alice.api.delete('/restaurants/1');
    await page.reload();
    await settled(page);
    await page.getByText('deleted since').waitFor();
    assert.equal(await page.locator('.visit a').count(), 0);
  });
});
