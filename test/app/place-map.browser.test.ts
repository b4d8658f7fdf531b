import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, test } from '../support/chromium.ts';
import { field } from '../support/client.ts';
import { MIDDLE, PLACES } from '../support/explore-map.ts';
import { startService } from '../support/service.ts';
import { holds, openApp, openNew, testAccess } from '../support/web-app.ts';

describe('The small map', { skip: NO_BROWSER }, () => {
  testAccess('A form with the map on which a position is picked', async (t, options) => {
    const { page } = await openNew(t, { ...options, path: '/add' });
    await page.getByText('Add details', { exact: true }).click();
    await page.getByRole('button', { name: 'Pick on the map' }).click();
    await page.locator('.place-map .leaflet-control-scale-line[style*=width]').waitFor({ state: 'attached' });
    return page;
  });

  test('is a picture on the page of a place', async (t) => {
    const service = await startService(t);
    await service.api.post('/restaurants', MIDDLE);
    await service.api.post('/ratings', {
      restaurant_id: 1,
      food_rating: 5,
      service_rating: 4,
      ambiance_rating: 5,
    });
    const { page } = await openApp(t, service, { path: '/restaurants/1' });
    await page.locator('.place-map .map-drop', { hasText: '4.7' }).waitFor({ state: 'attached' });
    assert.equal(await page.locator('.place-map').getAttribute('aria-label'), 'Map of this place');
    assert.equal(await page.locator('.place-map button').count(), 0);
  });

  test('is left out where a place has no position', async (t) => {
    const { page } = await openNew(t, { places: [{ name: 'Nowhere' }], path: '/restaurants/1' });
    await page.getByRole('heading', { name: 'Nowhere' }).waitFor();
    assert.equal(await page.locator('.place-map').count(), 0);
  });

  test('takes the position of a place that is added, and another press moves it', async (t) => {
    const { page, service } = await openNew(t, { path: '/add' });
    await page.getByText('Add details', { exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Da Enzo');
    await page.getByRole('button', { name: 'Pick on the map' }).click();
    const map = page.locator('.place-map');
    await map.locator('.leaflet-control-scale-line[style*=width]').waitFor({ state: 'attached' });
    await map.click({ position: { x: 100, y: 100 } });
    await map.locator('.map-drop').waitFor({ state: 'attached' });
    const left = `document.querySelector('.map-drop').getBoundingClientRect().x`;
    const first = Number(await page.evaluate(left));
    await map.click({ position: { x: 300, y: 150 } });
    await holds(page, `${left} === ${first + 200}`);
    await page.getByRole('button', { name: 'Add', exact: true }).last().click();
    await page.getByRole('heading', { name: 'Da Enzo' }).waitFor();
    const { body } = await service.api.get('/restaurants/1');
    assert.equal(typeof field(body, 'latitude'), 'number');
  });

  test('of a page that was left is gone', async (t) => {
    const { page } = await openNew(t, { places: PLACES, path: '/restaurants/1' });
    await page.locator('.place-map .map-drop').waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'Lists' }).first().click();
    await page.getByRole('heading', { name: 'Lists' }).waitFor();
    await page.goBack();
    await page.locator('.place-map .map-drop').waitFor({ state: 'attached' });
    assert.equal(await page.locator('.leaflet-container').count(), 1);
  });
});
