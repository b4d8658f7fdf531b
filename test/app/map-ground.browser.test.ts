import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { randomNumbers } from '../support/catalogue.ts';
import { NO_BROWSER, test } from '../support/chromium.ts';
import { array, field } from '../support/client.ts';
import { openMap } from '../support/map-page.ts';
import { temporaryFolder } from '../support/service.ts';
import { landTiles } from '../support/vector-tiles.ts';
import { holds } from '../support/web-app.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==',
  'base64',
);
const NOTHING = '0,0,0,0';
/** The colour of the ground at a point of the window, as red, green, blue and alpha; nothing where it has no canvas. */
const colourAt = (x: number, y: number): string => `(() => {
  const ground = [...document.querySelectorAll('.leaflet-tile-pane canvas')].find((canvas) => {
    const { left, right, top, bottom } = canvas.getBoundingClientRect();
    return left <= ${x} && ${x} < right && top <= ${y} && ${y} < bottom;
  });
  if (!ground) return '${NOTHING}';
  const { left, top, width } = ground.getBoundingClientRect();
  const scale = ground.width / width;
  const pixel = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
  const context = pixel.getContext('2d', { willReadFrequently: true });
  context.drawImage(ground, (left - ${x}) * scale, (top - ${y}) * scale);
  return context.getImageData(0, 0, 1, 1).data.join();
})()`;
/** Whether there is land at a point of the window. */
const landAt = (x: number, y: number): string => `${colourAt(x, y)} !== '${NOTHING}'`;

/** The paths of the coasts that are asked for. */
function watchCoasts(page: Page): string[] {
  const coasts: string[] = [];
  page.on('request', (request: Request) => {
    const name = /land-\d+m/.exec(request.url())?.[0];
    if (name !== undefined) coasts.push(name);
  });
  return coasts;
}

describe('The ground of a map', { skip: NO_BROWSER }, () => {
  test('is a coast of the world, finer from zoom 5 on, and bare paper with distances from 9 on', async (t) => {
    const { page } = await openMap(t);
    const coasts = watchCoasts(page);
    await page.evaluate('map.view({ lat: 0, lng: 0, zoom: 2 })');
    // Africa to the east of the middle, the ocean to its west.
    await holds(page, landAt(470 + 60, 420));
    assert.equal(await page.evaluate(landAt(470 - 60, 420)), false);
    assert.deepEqual(coasts, ['land-110m']);
    const finer = page.waitForRequest(/land-50m/);
    await page.evaluate('map.view({ lat: 42, lng: 12.5, zoom: 6 })');
    await finer;
    await holds(page, landAt(470 + 10, 420));
    await holds(page, `document.querySelector('.map').matches('.map-sea')`);
    await page.evaluate('map.view({ lat: 42, lng: 12.5, zoom: 14 })');
    await holds(page, `!document.querySelector('.map').matches('.map-sea')`);
    assert.deepEqual(coasts, ['land-110m', 'land-50m']);
  });

  test('names countries, and nearer by cities, so that no name lies on another', async (t) => {
    const { page } = await openMap(t);
    const boxes = `[...document.querySelectorAll('.map-country span, .map-city span')].map((name) => {
      const { left, right, top, bottom } = name.getBoundingClientRect();
      return { left, right, top, bottom };
    })`;
    const overlaps = `(${boxes}).flatMap((one, at, all) => all.slice(at + 1).filter((other) => one.left < other.right &&
      other.left < one.right && one.top < other.bottom && other.top < one.bottom)).length`;
    for (const [zoom, name] of [
      [1, 'France'],
      [4, 'France'],
      [7, 'Paris'],
      [10, 'Paris'],
    ] as const) {
      await page.evaluate(`map.view({ lat: 48.8, lng: 2.5, zoom: ${zoom} })`);
      await page.locator('.map').getByText(name, { exact: true }).waitFor();
      // Names grow and shrink with the map while it zooms.
      await holds(page, `!document.querySelector('.leaflet-zoom-anim') && ${overlaps} === 0`);
    }
  });

  test('has its names at the first view, also where they came before it', async (t) => {
    const { page } = await openMap(t);
    await holds(
      page,
      `performance.getEntriesByType('resource').some(({ name, responseEnd }) => name.endsWith('names.json') && responseEnd > 0)`,
    );
    await page.evaluate('map.view({ lat: 48.8, lng: 2.5, zoom: 1 })');
    await page.locator('.map').getByText('France', { exact: true }).waitFor();
  });

  test('names places next to their pins where there is room', async (t) => {
    const { page } = await openMap(t);
    const random = randomNumbers(89);
    // As in the densest area of a large catalogue: closer to each other near its middle.
    const near = (middle: number): number => middle + 0.15 * (random() + random() + random() - 1.5);
    const points = Array.from({ length: 400 }, (_, at) => [
      at + 1,
      near(35.67),
      near(139.73),
      null,
      0,
      `Place ${at}`,
    ]);
    await page.evaluate(`map.setPins({ points: ${JSON.stringify(points)}, groups: [] });
      map.view({ lat: 35.67, lng: 139.73, zoom: 11 })`);
    await page.locator('.map').getByText('Tokyo', { exact: true }).waitFor();
    const names: unknown =
      await page.evaluate(`[...document.querySelectorAll('.map :is(.map-place, .map-city) span')]
      .map((name) => name.getBoundingClientRect()).map(({ left, right, top, bottom }) => ({ left, right, top, bottom }))`);
    const boxes = array(names).map((box) =>
      ['left', 'right', 'top', 'bottom'].map((edge) => Number(field(box, edge))),
    );
    assert.ok(boxes.length >= 10, String(boxes.length));
    for (const [at, [left = 0, right = 0, top = 0, bottom = 0]] of boxes.entries())
      for (const [otherLeft = 0, otherRight = 0, otherTop = 0, otherBottom = 0] of boxes.slice(at + 1))
        assert.ok(left >= otherRight || otherLeft >= right || top >= otherBottom || otherTop >= bottom);
  });

  test('has names that can be read in both themes', async (t) => {
    const { page } = await openMap(t);
    await page.evaluate('map.view({ lat: 48, lng: 3, zoom: 5 })');
    const name = page.locator('.map').getByText('France', { exact: true });
    await name.waitFor();
    for (const theme of ['light', 'dark'])
      for (const ground of ['--land', '--sea']) {
        const contrast = await page.evaluate(`(() => {
          document.documentElement.dataset.theme = '${theme}';
          const light = (colour) => {
            const probe = document.querySelector('main').appendChild(document.createElement('i'));
            probe.style.color = colour;
            const parts = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
            probe.remove();
            const [r, g, b] = parts.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
          };
          const text = light(getComputedStyle(document.querySelector('.map-country')).color);
          const ground = light('var(${ground})');
          return Math.max(text, ground) / Math.min(text, ground);
        })()`);
        assert.ok(Number(contrast) >= 4.5, `${theme} ${ground}: ${String(contrast)}`);
      }
  });

  test('goes on across the antimeridian, and ends at the South Pole', async (t) => {
    const { page } = await openMap(t);
    await page.evaluate('map.view({ lat: 0, lng: 180, zoom: 2 })');
    // A degree is 1024 / 360 pixels wide. Chukotka lies on both sides of the middle; below it all is Antarctica.
    for (const [x, y] of [
      [470, 155],
      [465, 155],
      [475, 155],
      [470 - 256, 750],
      [470 + 256, 760],
    ] as const)
      await holds(page, landAt(x, y));
    assert.equal(await page.evaluate(landAt(470, 420)), false);
    assert.equal(await page.evaluate(landAt(470 - 60, 420 - 100)), false);
  });

  test('and the app around it take no markup from a text, nor a script from elsewhere', async (t) => {
    const { page } = await openMap(t, {
      refusedTypes: true,
      options: `tiles: { kind: 'none', url: null, attribution: '<b>A & B</b>, OpenStreetMap contributors' },`,
    });
    const attribution = page.locator('.leaflet-control-attribution');
    assert.equal(await attribution.textContent(), '<b>A & B</b>, OpenStreetMap contributors');
    assert.equal(await attribution.getByRole('link').textContent(), 'OpenStreetMap');
    for (const attempt of [
      `document.body.innerHTML = '<b>'`,
      `document.body.insertAdjacentHTML('beforeend', '&lt;')`,
      `document.createElement('iframe').srcdoc = '<svg/> '`,
      `document.createElement('script').src = '/api/swagger.yaml'`,
      `document.createElement('script').src = '//evil.example/app/1/vendor/leaflet/leaflet.js'`,
      `document.createElement('script').text = 'alert(1)'`,
      `navigator.serviceWorker.register('/api/sw.js')`,
    ]) {
      const refusal = await page.evaluate(`(async () => { ${attempt}; })().catch(({ name }) => name)`);
      assert.equal(refusal, 'TypeError', attempt);
    }
  });

  test('stays coarse for a reader who saves data', async (t) => {
    const { page } = await openMap(t, { options: 'saveData: true' });
    const coasts = watchCoasts(page);
    await page.evaluate('map.view({ lat: 42, lng: 12.5, zoom: 6 })');
    await holds(page, landAt(470 + 10, 420));
    assert.deepEqual(coasts, ['land-110m']);
  });

  test('of a server of tiles is asked for with where the page is from, and only what is in view', async (t) => {
    const tiles: string[] = [];
    const referrers = new Set<string | undefined>();
    const { page, service } = await openMap(t, {
      settings: { MAP_TILES: 'https://tiles.example/{z}/{x}/{y}.png', MAP_ATTRIBUTION: '© tiles' },
      ally: 'https://tiles.example',
      options: `tiles: { kind: 'raster', url: 'https://tiles.example/{z}/{x}/{y}.png', attribution: '© tiles' },`,
      prepare: async (context) => {
        await context.route('https://tiles.example/**', async (route) => {
          tiles.push(new URL(route.request().url()).pathname);
          referrers.add((await route.request().allHeaders())['referer']);
          await route.fulfill({ contentType: 'image/png', body: PIXEL });
        });
      },
    });
    await page.evaluate('map.view({ lat: 42, lng: 12.5, zoom: 12 })');
    await holds(page, `document.querySelectorAll('.leaflet-tile-loaded').length >= 12`);
    assert.deepEqual([...referrers], [`${service.url}/`]);
    assert.ok(tiles.every((path) => path.startsWith('/12/')));
    // 940 by 840 pixels touch at most five by five tiles of 256.
    assert.ok(tiles.length <= 25, String(tiles.length));
    assert.match((await page.locator('.leaflet-control-attribution').textContent()) ?? '', /© tiles$/);
  });

  test('of a file of vector tiles is drawn in the theme of the page', async (t) => {
    const file = join(temporaryFolder(t), 'land.pmtiles');
    writeFileSync(file, landTiles());
    const { page } = await openMap(t, {
      settings: { MAP_TILES: file, MAP_ATTRIBUTION: '© land' },
      options: `tiles: { kind: 'pmtiles', url: '/tiles/map.pmtiles', attribution: '© land' },`,
    });
    const colour = colourAt(100, 100);
    await page.evaluate('map.view({ lat: 0, lng: 0, zoom: 2 })');
    await holds(page, landAt(100, 100));
    const light = await page.evaluate(colour);
    await page.evaluate(`document.documentElement.dataset.theme = 'dark'`);
    await holds(page, `!['${NOTHING}', '${String(light)}'].includes(${colour})`);
  });
});
