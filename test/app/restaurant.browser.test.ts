import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { TRATTORIA, openTrattoria } from '../support/app-places.ts';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { changeStored, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { holdBack, holds, openApp, openNew } from '../support/web-app.ts';

const PATH = '/restaurants/1';

describe('The page of a restaurant', { skip: NO_BROWSER }, () => {
  mainPath('shows the facts, hours, means and comments of the API without asking for them', async (t) => {
    const app = await openTrattoria(t, { timezoneId: 'Europe/Rome' });
    const text = (await app.page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
    for (const part of [
      TRATTORIA.name,
      TRATTORIA.description,
      TRATTORIA.address,
      TRATTORIA.phone,
      'daenzo.example',
      '€€',
      'Vegan, Vegetarian (limited)',
      'Overall, of 2 ratings 4.2',
      'Food 4.5',
      'Service 4.0',
      'Ambience 4.0',
      'Today 12:15–15:00, 19:00–23:00',
      'Holidays closed',
      'alice you,',
      'Ask for the table in the yard.',
      'bob',
      'Crowded after eight.',
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
    assert.equal(await app.page.title(), 'Trattoria da Enzo - Catalogue');
    // The document has brought it along.
    assert.deepEqual(
      app.requests.filter((one) => one.startsWith('GET /api/r')),
      [],
    );
  });

  test('asks for nothing private while nobody is signed in', async (t) => {
    const { page, requests } = await openTrattoria(t, { as: 'visitor' });
    await page.getByText('Crowded after eight.').waitFor();
    assert.deepEqual(
      requests.filter((one) => one.includes('/me/') || one.includes('user=me') || one.includes('/lists')),
      [],
    );
  });

  test('says in its title, too, that a place is gone', async (t) => {
    const { page } = await openNew(t, { path: PATH, refusals: [404] });
    await page.getByRole('heading', { name: 'Not here any more' }).waitFor();
    assert.equal(await page.title(), 'Not here any more - Catalogue');
  });

  test('says once that the hours are unknown', async (t) => {
    const { page } = await openNew(t, { places: [{ name: 'Soba Ya' }], path: PATH });
    assert.equal(await page.locator('main').getByText('Hours unknown').count(), 1);
  });

  test('shows hours that are no plain week as they were typed', async (t) => {
    const { page } = await openNew(t, {
      places: [{ name: 'Soba Ya', opening_hours: 'Apr-Oct 12:00-sunset' }],
      path: PATH,
    });
    await page.getByText('Apr-Oct 12:00-sunset').waitFor();
  });

  test('calls, and leaves for the site without telling it from where', async (t) => {
    const { page } = await openTrattoria(t, { as: 'visitor' });
    assert.equal(
      await page.getByRole('link', { name: TRATTORIA.phone }).getAttribute('href'),
      'tel:+39065812260',
    );
    const site = page.getByRole('link', { name: 'daenzo.example' });
    assert.equal(await site.getAttribute('href'), TRATTORIA.website);
    assert.equal(await site.getAttribute('rel'), 'noopener');
  });

  test('shows markup in names as text', async (t) => {
    const service = await startService(t);
    const name = 'Fish & "Chips" <3 &amp; Sons';
    await service.api.post('/restaurants', { name, description: 'a < b > c' });
    // As it was stored by a version of the service that left markup in.
    const address = '<img src=x onerror=alert(1)><b>Bold</b> street';
    changeStored(service.folder, 'UPDATE restaurants SET address = ?', address);
    const { page } = await openApp(t, service, { path: PATH });
    assert.equal(await page.locator('h1').textContent(), name);
    assert.equal(await page.locator('address').textContent(), address);
    await page.getByText('a < b > c').waitFor();
  });

  test('draws what the row knew before the place itself has come', async (t) => {
    const { page } = await openNew(t, { places: [TRATTORIA] });
    const goOn = await holdBack(page, '**/api/restaurants/1?**');
    await page.getByRole('link', { name: TRATTORIA.name }).click();
    await page.locator('h1', { hasText: TRATTORIA.name }).waitFor();
    await page.getByText(TRATTORIA.address).waitFor();
    await holds(page, `document.activeElement?.matches('h1')`);
    const answer = page.waitForResponse('**/api/restaurants/1?**');
    goOn();
    assert.equal((await answer).status(), 200);
  });

  test('prints on one page', async (t) => {
    const { page, service, alice } = await openTrattoria(t, { as: 'visitor', photos: 6 });
    for (let at = 0; at < 18; at += 1) {
      const guest = at === 0 ? await signUp(service, 'carol') : alice;
      const stars = { food_rating: 4, service_rating: 4, ambiance_rating: 4 };
      await guest.api.post('/ratings', { restaurant_id: 1, ...stars, comment: 'Good. '.repeat(40) });
    }
    await page.reload();
    await page.locator('.say').nth(10).waitFor({ state: 'attached' });
    const paper = (await page.pdf({ format: 'A4' })).toString('latin1');
    assert.equal(paper.match(/\/Type\s*\/Page\b(?!s)/g)?.length, 1);
  });
});
