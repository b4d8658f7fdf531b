import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { array, field, textOf } from '../support/client.ts';
import { sample } from '../support/images.ts';
import { LOCAL, makeAdmin, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { NO_BROWSER, openApp } from '../support/web-app.ts';

// A folder for a picture of each step, for those who want to see them.
const { PICTURES } = process.env;

const PLACES = [
  { name: 'Soba Ya', address: 'Via Labicana 4, Roma', latitude: 41.8896, longitude: 12.4984 },
  { name: 'Osteria Uno', address: 'Via dei Serpenti 12, Roma', latitude: 41.8951, longitude: 12.4913 },
  { name: 'Café Lilas', address: 'Piazza Vittorio 8, Roma', latitude: 41.8947, longitude: 12.5044 },
];

/** Where a place is drawn on the map: the selected one is a drop, which ends there. */
async function pinOf(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.locator('.map-drop svg').boundingBox();
  if (!box) throw new Error('no place is selected');
  return { x: box.x + box.width / 2, y: box.y + box.height - 2 };
}

describe('somebody who was invited', { skip: NO_BROWSER }, () => {
  test('joins, finds a place by name and by map, rates it, adds one with a photo and takes it back, on a phone', async (t) => {
    const service = await startService(t, { ...LOCAL, REGISTRATION: 'open' });
    const carol = await signUp(service, 'carol');
    makeAdmin(service, carol);
    for (const place of PLACES) await carol.api.post('/restaurants', place);
    const invited = await carol.api.post('/invitations', { email: 'dora@example.com' });
    let taps = 0;
    let step = 0;
    const options = {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      path: textOf(invited.body, 'url'),
    };
    const { page } = await openApp(t, service, options);
    const look = async (name: string): Promise<void> => {
      step += 1;
      if (PICTURES === undefined) return;
      mkdirSync(PICTURES, { recursive: true });
      // The change stream stays open, so that the network is never idle.
      await page.waitForTimeout(600);
      await page.screenshot({ path: join(PICTURES, `${String(step).padStart(2, '0')} ${name}.png`) });
    };
    const tap = async (locator: ReturnType<Page['locator']>): Promise<void> => {
      taps += 1;
      await locator.tap();
    };

    await page.getByLabel('Password').fill('dora and a long password');
    await look('invitation');
    await tap(page.getByRole('button', { name: 'Join' }));
    await page.locator('.row').nth(2).waitFor();
    await look('joined');

    await page.getByRole('searchbox').fill('soba');
    await page.getByText('1 place for “soba”').waitFor();
    await look('found by name');
    await tap(page.getByRole('link', { name: 'Soba Ya' }));
    await page.getByRole('heading', { name: 'Soba Ya', level: 1 }).waitFor();
    await look('place');

    await tap(page.locator('.bottom').getByRole('link', { name: 'Explore' }));
    await page.locator('.row').nth(2).waitFor();
    await tap(page.getByRole('button', { name: 'Map' }));
    // The drop of a place that the address names shows where its pin is.
    await page.goto(`${service.url}/?view=map&sel=2`);
    await page.locator('.map-drop svg').waitFor();
    const pin = await pinOf(page);
    await page.keyboard.press('Escape');
    await page.locator('.peek').waitFor({ state: 'detached' });
    await until(async () => {
      taps += 1;
      await page.touchscreen.tap(pin.x, pin.y);
      return (await page.locator('.peek').count()) > 0;
    });
    await look('found by map');
    assert.equal(await page.locator('.peek h2').textContent(), 'Osteria Uno');

    await tap(page.locator('.peek h2 a'));
    await page.getByRole('heading', { name: 'Osteria Uno', level: 1 }).waitFor();
    await tap(page.locator('.dock').getByRole('button', { name: 'Rate' }));
    await tap(page.getByRole('dialog').getByRole('group', { name: 'Food' }).locator('label').nth(3));
    await page.getByText('Rated Osteria Uno 4 · 4 · 4').waitFor();
    await look('rated');
    await tap(page.getByRole('dialog').getByRole('button', { name: 'Done' }));

    await tap(page.locator('.bottom').getByRole('link', { name: 'Add' }));
    await page.locator('#box').fill('Trattoria Nuova');
    await look('add');
    await tap(page.locator('main').getByRole('button', { name: 'Add', exact: true }));
    await page.getByRole('heading', { name: 'Trattoria Nuova', level: 1 }).waitFor();
    await page
      .locator('main input[type=file]')
      .first()
      .setInputFiles({ name: 'plate.jpg', mimeType: 'image/jpeg', buffer: sample('baseline') });
    await until(async () => array((await carol.api.get('/restaurants/4/photos')).body).length === 1);
    await page.locator('.strip img').waitFor();
    await look('added with a photo');

    await tap(page.locator('.dock').getByRole('button', { name: 'Been' }));
    await page.getByText('Been to Trattoria Nuova today').waitFor();
    await look('a mistake');
    await tap(page.locator('.toast').getByRole('button', { name: 'Undo' }));
    await page.getByText('Undone').waitFor();
    await look('undone');
    const [place] = array((await carol.api.get('/restaurants?q=Osteria')).body);
    assert.equal(field(field(place, 'avg_rating'), 'overall'), 4);
    assert.ok(taps <= 20, `${taps} taps`);
  });
});
