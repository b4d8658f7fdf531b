import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath } from '../support/chromium.ts';
import { array, field, textOf } from '../support/client.ts';
import { sample } from '../support/images.ts';
import { LOCAL, makeAdmin, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { PHONE, openApp } from '../support/web-app.ts';

const PLACES = [
  { name: 'Soba Ya', address: 'Via Labicana 4, Roma', latitude: 41.8896, longitude: 12.4984 },
  { name: 'Osteria Uno', address: 'Via dei Serpenti 12, Roma', latitude: 41.8951, longitude: 12.4913 },
  { name: 'Café Lilas', address: 'Piazza Vittorio 8, Roma', latitude: 41.8947, longitude: 12.5044 },
];

/** Where a place is drawn on the map: the selected one is a drop, which ends there. */
async function pinOf(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.locator('.map-drop').boundingBox();
  if (!box) throw new Error('no place is selected');
  return { x: box.x + box.width / 2, y: box.y + box.height - 2 };
}

describe('somebody who was invited', { skip: NO_BROWSER }, () => {
  mainPath(
    'joins, finds a place by name and by map, rates it, adds one with a photo and takes it back, on a phone',
    async (t) => {
      const service = await startService(t, LOCAL);
      const carol = await signUp(service, 'carol');
      makeAdmin(service, carol);
      for (const place of PLACES) await carol.api.post('/restaurants', place);
      const invited = await carol.api.post('/invitations', { email: 'dora@example.com' });
      let taps = 0;
      const path = textOf(invited.body, 'url');
      const { page } = await openApp(t, service, { path, viewport: PHONE, hasTouch: true });
      const tap = async (locator: ReturnType<Page['locator']>): Promise<void> => {
        taps += 1;
        await locator.tap();
      };

      await page.getByLabel('Password').fill('dora and a long password');
      await tap(page.getByRole('button', { name: 'Join' }));
      await page.locator('.row').nth(2).waitFor();

      await page.getByRole('searchbox').fill('soba');
      await page.getByText('1 place for “soba”').waitFor();
      await tap(page.getByRole('link', { name: 'Soba Ya' }));
      await page.getByRole('heading', { name: 'Soba Ya', level: 1 }).waitFor();

      await tap(page.locator('.bottom').getByRole('link', { name: 'Explore' }));
      await page.locator('.row').nth(2).waitFor();
      await tap(page.getByRole('button', { name: 'Map' }));
      // The drop of a place that the address names shows where its pin is.
      await page.goto(`${service.url}/?view=map&sel=2`);
      await page.locator('.map-drop').waitFor();
      const pin = await pinOf(page);
      await page.keyboard.press('Escape');
      await page.locator('.peek').waitFor({ state: 'detached' });
      taps += 1;
      await until(async () => {
        await page.touchscreen.tap(pin.x, pin.y);
        return (await page.locator('.peek').count()) > 0;
      });
      assert.equal(await page.locator('.peek h2').textContent(), 'Osteria Uno');

      await tap(page.locator('.peek h2 a'));
      await page.getByRole('heading', { name: 'Osteria Uno', level: 1 }).waitFor();
      // The first to rate a place finds the stars on its page.
      await tap(page.getByRole('group', { name: 'Food' }).locator('label').nth(3));
      await page.getByText('Rated Osteria Uno 4 stars').waitFor();

      await tap(page.locator('.bottom').getByRole('link', { name: 'Add' }));
      await page.locator('#box').fill('Trattoria Nuova');
      await tap(page.locator('main').getByRole('button', { name: 'Add', exact: true }));
      await page.getByRole('heading', { name: 'Trattoria Nuova', level: 1 }).waitFor();
      await page
        .locator('main input[type=file]')
        .first()
        .setInputFiles({ name: 'plate.jpg', mimeType: 'image/jpeg', buffer: sample('baseline') });
      await until(async () => array((await carol.api.get('/restaurants/4/photos')).body).length === 1);
      await page.locator('.strip img').waitFor();

      await tap(page.locator('.dock').getByRole('button', { name: 'Been' }));
      await page.getByText('Been to Trattoria Nuova today').waitFor();
      await tap(page.locator('.toast').getByRole('button', { name: 'Undo' }));
      await page.getByText('Undone').waitFor();
      const [place] = array((await carol.api.get('/restaurants?q=Osteria')).body);
      assert.equal(field(field(place, 'avg_rating'), 'overall'), 4);
      assert.ok(taps <= 20, `${taps} taps`);
    },
  );
});
