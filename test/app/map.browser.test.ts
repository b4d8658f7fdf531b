import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, test } from '../support/chromium.ts';
import { openMap } from '../support/map-page.ts';
import { becomes } from '../support/until.ts';
import { holds } from '../support/web-app.ts';

const ROME = '{ lat: 41.9, lng: 12.48, zoom: 14 }';
const ENZO = `[1, 41.9, 12.48, 4.6, 0, 'Da <b>Enzo']`;
const MIDDLE = [470, 420] as const;

/** A map of Rome with one place in its middle and a group in its south-west. */
async function rome(t: TestContext, options = ''): Promise<Page> {
  const { page } = await openMap(t, { options });
  await page.evaluate(`map.setPins({ points: [${ENZO}], groups: [[41.89, 12.46, 120]] }); map.view(${ROME})`);
  await holds(page, 'calls.rests.length === 1');
  return page;
}

const box = (page: Page): Promise<unknown> => page.evaluate('geo.printBox(map.area().bbox)');

describe('The map', { skip: NO_BROWSER }, () => {
  test('reports its area once it rests, and whether a hand moved it', async (t) => {
    const page = await rome(t);
    assert.deepEqual(await page.evaluate('[calls.rests[0].zoom, calls.rests[0].byUser]'), [14, false]);
    await page.mouse.move(...MIDDLE);
    await page.mouse.down();
    for (let step = 1; step <= 10; step += 1) await page.mouse.move(470 - 20 * step, 420);
    await page.mouse.up();
    await holds(page, 'calls.rests.length > 1');
    const [w = 0] = String(await box(page))
      .split(',')
      .map(Number);
    assert.ok(w > 12.45, `the west is ${w}`);
    assert.equal(await page.evaluate('calls.rests.at(-1).byUser'), true);
    await page.evaluate('map.fit([{ lat: 48, lng: 11 }])');
    await holds(page, 'calls.rests.at(-1).bbox.n > 48');
    assert.equal(await page.evaluate('calls.rests.at(-1).byUser'), false);
  });

  test('zooms by its buttons, which say when they can do no more', async (t) => {
    const page = await rome(t);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await holds(page, 'calls.rests.at(-1).zoom === 15');
    assert.equal(await page.evaluate('calls.rests.at(-1).byUser'), true);
    assert.deepEqual(await page.evaluate('calls.opened'), []);
    await page.evaluate(`map.view({ lat: 41.9, lng: 12.48, zoom: 19 })`);
    await page.locator('[aria-label="Zoom in"][aria-disabled=true]').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Zoom out' }).getAttribute('aria-disabled'), 'false');
  });

  test('lifts the pin under the pointer with its name, and opens it by a press', async (t) => {
    const page = await rome(t);
    await page.mouse.move(...MIDDLE);
    await holds(page, 'calls.hovered.length === 1');
    assert.equal(await page.locator('.map-name').textContent(), 'Da <b>Enzo');
    await page.mouse.click(...MIDDLE);
    await page.mouse.click(100, 100);
    for (const calls of ['calls.opened', 'calls.hovered'])
      await becomes(() => page.evaluate(calls), [1, null]);
    assert.equal(await page.locator('.map-name').count(), 0);
  });

  test('zooms into a group that is pressed', async (t) => {
    const page = await rome(t);
    await page.mouse.click(237, 576);
    await holds(page, 'calls.rests.at(-1).zoom === 16');
    assert.deepEqual(await page.evaluate('[calls.opened, calls.rests.at(-1).byUser]'), [[], true]);
  });

  test('keeps the selected place clear of what covers its edges', async (t) => {
    const page = await rome(t);
    await page.evaluate(`calls.rests = []; map.cover({ width: 940, height: 500 });
      map.select({ id: 1, lat: 41.9, lng: 12.48, score: '4.6' })`);
    const tip = `document.querySelector('.map-drop').getBoundingClientRect().y`;
    await holds(page, `calls.rests.length > 0 && ${tip} < 340`);
    assert.equal(await page.locator('.map-drop').textContent(), '4.6');
    await page.locator('.map-drop').click();
    await becomes(() => page.evaluate('calls.opened'), [1]);
    await page.evaluate('map.select()');
    assert.equal(await page.locator('.map-drop').count(), 0);
  });

  test('shows the same area again that it reported, at every zoom and across the antimeridian', async (t) => {
    const page = await rome(t);
    for (const zoom of [2, 5, 9, 14, 19]) {
      await page.evaluate(`map.view({ lat: 41.9, lng: 179.99, zoom: ${zoom} })`);
      await holds(page, `calls.rests.at(-1).zoom === ${zoom}`);
      const before = String(await box(page));
      await page.evaluate(`map.fit({ w: 0, s: 0, e: 1, n: 1 }, { animate: false });
        map.fit(geo.parseBox('${before}'), { exact: true, animate: false })`);
      assert.equal(await box(page), before);
    }
  });

  test('draws places on the other side of the antimeridian next to those on this one', async (t) => {
    const page = await rome(t);
    await page.evaluate(`map.setPins({ points: [[7, 0, 179, null, 0, 'West'], [8, 0, -179, null, 0, 'East']],
      groups: [] }); map.fit([{ lat: 0, lng: 179 }, { lat: 0, lng: -179 }], { animate: false })`);
    const area = String(await box(page))
      .split(',')
      .map(Number);
    assert.ok(Number(area[0]) > 175 && Number(area[2]) < -175, area.join());
    // The middle of what the buttons leave free.
    const [y, middle, degree] = [440, 446, (256 * 2 ** 9) / 360];
    await page.mouse.click(middle - degree, y);
    await page.mouse.click(middle + degree, y);
    await becomes(() => page.evaluate('calls.opened'), [7, 8]);
    await page.evaluate(`map.view({ lat: 0, lng: 540 + 180, zoom: 5 })`);
    await holds(page, 'calls.rests.at(-1).zoom === 5');
    assert.ok(await page.evaluate('geo.contains(map.area().bbox, { lat: 0, lng: 0 })'));
  });

  test('picks a position instead of a pin when it is told to', async (t) => {
    const page = await rome(t, 'onPick: (position) => calls.picked.push(position)');
    await page.mouse.click(...MIDDLE);
    await holds(page, 'calls.picked.some((one) => geo.metresBetween(one, { lat: 41.9, lng: 12.48 }) < 10)');
    assert.deepEqual(await page.evaluate('calls.opened'), []);
  });

  test('gets its view as soon as it has a size', async (t) => {
    const { page } = await openMap(t);
    await page.evaluate(`(async () => {
      const { style } = document.querySelector('.map');
      style.display = 'none';
      // The browser reports sizes once a frame.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      map.fit([{ lat: 41.9, lng: 12.48 }]);
      style.display = '';
    })()`);
    await holds(page, 'calls.rests.length > 0');
    assert.ok(await page.evaluate('geo.contains(map.area().bbox, { lat: 41.9, lng: 12.48 })'));
  });

  test('has no pin that takes the focus', async (t) => {
    const page = await rome(t);
    await page.evaluate(`map.select({ id: 1, lat: 41.9, lng: 12.48, score: '4.6' })`);
    assert.equal(
      await page.evaluate(
        `document.querySelectorAll('.leaflet-map-pane :is([tabindex], a, [role=button])').length`,
      ),
      0,
    );
  });

  test('as a picture neither moves nor answers', async (t) => {
    const page = await rome(t, 'interactive: false');
    const before = await box(page);
    await page.mouse.click(...MIDDLE);
    await page.mouse.wheel(0, 300);
    await page.mouse.dblclick(...MIDDLE);
    assert.equal(await box(page), before);
    assert.deepEqual(await page.evaluate('[calls.opened, calls.hovered]'), [[], []]);
    assert.equal(await page.getByRole('button').count(), 0);
  });

  test('moves at once for a reader who wants no motion', async (t) => {
    const { page } = await openMap(t, { reducedMotion: 'reduce' });
    await page.evaluate(`map.view(${ROME}); map.view({ lat: 41.9, lng: 12.48, zoom: 16 })`);
    assert.equal(await page.evaluate('map.area().zoom'), 16);
    assert.equal(await page.locator('.leaflet-zoom-anim, .leaflet-fade-anim').count(), 0);
  });

  test('can go during a zoom, with a place selected, and leaves nothing behind', async (t) => {
    const page = await rome(t);
    await page.evaluate(`map.select({ id: 1, lat: 41.9, lng: 12.48, score: '4.6' })`);
    await page.evaluate(
      `new Promise((ended) => {
        map.view({ lat: 41.9, lng: 12.48, zoom: 15 });
        requestAnimationFrame(() => requestAnimationFrame(() => ended(map.destroy())));
      })`,
    );
    await holds(page, `document.querySelector('.map')._leaflet_id === undefined`);
    assert.equal(await page.locator('.map > *').count(), 0);
    assert.equal(await page.evaluate('calls.rests.length'), 1);
  });
});
