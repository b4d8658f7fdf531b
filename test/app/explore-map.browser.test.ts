import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { randomNumbers } from '../support/catalogue.ts';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { MIDDLE, PLACES, ROME, areaOf, mapped, names, pan } from '../support/explore-map.ts';
import { startCrowded } from '../support/map-reference.ts';
import { becomes, until } from '../support/until.ts';
import {
  PHONE,
  holds,
  numbered,
  openApp,
  openAsAlice,
  openNew,
  press,
  settled,
  testAccess,
} from '../support/web-app.ts';

describe("Explore's map", { skip: NO_BROWSER }, () => {
  testAccess('Explore with a map and a selected place', async (t, options) => {
    const { page } = await openNew(t, { places: PLACES, ...options, path: `${ROME}&view=map&sel=1` });
    await mapped(page);
    await page.locator('.map-drop').waitFor();
    return page;
  });

  mainPath('filters the list by the area that is panned to, which stands in the address', async (t) => {
    const { page, service } = await openNew(t, { places: PLACES, path: ROME });
    await mapped(page);
    await becomes(() => names(page), ['Soba Ya', 'Da Enzo']);
    await pan(page, 400, 0);
    await pan(page, 400, 0);
    await page.getByRole('heading', { name: '0 places here' }).waitFor();
    const moved = areaOf(page);
    assert.match(moved, /^-?\d+(\.\d{1,4})?(,-?\d+(\.\d{1,4})?){3}$/);
    const sent = await openApp(t, service, { path: `/?bbox=${moved}` });
    await mapped(sent.page);
    await sent.page.getByRole('heading', { name: '0 places here' }).waitFor();
    assert.equal(areaOf(sent.page), moved);
  });

  test('asks at most four times a move, and panning makes no entries of the history', async (t) => {
    const { page, requests } = await openNew(t, { places: PLACES, path: ROME });
    await mapped(page);
    const before = await page.evaluate('history.length');
    requests.length = 0;
    await pan(page, 100, 100);
    await holds(page, `!location.search.includes('12.4,41.8')`);
    await holds(page, `performance.getEntriesByType('resource').at(-1).responseEnd > 0`);
    await settled(page);
    assert.equal(await page.evaluate('history.length'), before);
    assert.ok(requests.length <= 4, requests.join('\n'));
  });

  test('filters nothing while it is told not to search as it moves', async (t) => {
    const { page } = await openNew(t, { places: PLACES, path: ROME });
    await mapped(page);
    const follow = page.getByRole('button', { name: 'Search as I move' });
    await follow.click();
    await page.locator('.follow [aria-pressed=false]').waitFor();
    const asked = page.waitForRequest(/restaurants\/map/);
    await pan(page, 300, 0);
    await asked;
    assert.equal(areaOf(page), '12.4,41.8,12.6,42');
    await follow.click();
    await holds(page, `!location.search.includes('12.4,41.8')`);
  });

  test('shows places on both sides of the antimeridian', async (t) => {
    const places = [
      { name: 'West', latitude: -17, longitude: 179 },
      { name: 'East', latitude: -17, longitude: -179 },
      { name: 'Elsewhere', latitude: -17, longitude: 0 },
    ];
    const { page } = await openNew(t, { places, path: '/?bbox=178,-18,-178,-16' });
    await mapped(page);
    assert.deepEqual((await names(page)).sort(), ['East', 'West']);
    const shownAt = async (name: string): Promise<number> => {
      await page.locator('.row', { hasText: name }).hover();
      // In one step, since the name is drawn anew whenever the map comes to rest.
      const find = `[...document.querySelectorAll('.map-name')].find((one) => one.textContent === '${name}')`;
      let x: unknown;
      await until(async () => (x = await page.evaluate(`${find}?.getBoundingClientRect().x`)) !== undefined);
      return Number(x);
    };
    const [west, east] = [await shownAt('West'), await shownAt('East')];
    assert.ok(west < east && east < 1280, `${west} ${east}`);
    await pan(page, 60, 0);
    await holds(page, `!location.search.includes('178,-18')`);
    await settled(page);
    const [w = 0, , e = 0] = areaOf(page).split(',').map(Number);
    assert.ok(w > 0 && e < 0, areaOf(page));
    assert.deepEqual((await names(page)).sort(), ['East', 'West']);
  });

  test('of 5,000 places shows groups and says how many there are', async (t) => {
    const random = randomNumbers(17);
    const places = Array.from({ length: 5_000 }, () => [40 + 4 * random(), 10 + 4 * random()] as const);
    const { service } = await startCrowded(t, places);
    const { page, requests } = await openApp(t, service, { path: '/?bbox=10,40,14,44' });
    await mapped(page);
    await page.getByRole('heading', { name: '5,000 places here' }).waitFor();
    await holds(page, `document.querySelectorAll('.map-country, .map-city').length >= 3`);
    requests.length = 0;
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await holds(page, `!location.search.includes('10,40,14,44')`);
    await settled(page);
    assert.ok(requests.length <= 4, requests.join('\n'));
    assert.ok((await page.locator('.row').count()) <= 100);
  });

  test('keeps the selected pin clear of the peek on a phone', async (t) => {
    const { page } = await openNew(t, {
      places: [MIDDLE, { ...MIDDLE, name: 'South', latitude: 41.802 }],
      path: ROME,
      viewport: PHONE,
      hasTouch: true,
    });
    await page.getByRole('button', { name: 'Map' }).tap();
    await mapped(page);
    const map = (await page.locator('.stage .map').boundingBox()) ?? assert.fail('no map');
    await page.touchscreen.tap(map.x + map.width / 2, map.y + map.height / 2);
    await page.getByRole('article', { name: 'Middle' }).waitFor();
    await press(page, 'k');
    await page.getByRole('article', { name: 'South' }).waitFor();
    await holds(
      page,
      `document.querySelector('.map-drop').getBoundingClientRect().y <
        document.querySelector('.peek').getBoundingClientRect().y`,
    );
  });

  test('keeps the selected pin clear of the peek at the edge of the world, and when a hand moves it there', async (t) => {
    const { page } = await openNew(t, {
      places: [MIDDLE, { name: 'Cape', latitude: -54.9, longitude: -67.6 }],
      path: '/?view=map&sel=2',
      viewport: PHONE,
      // So that the map stops where the hand lets go.
      reducedMotion: 'reduce',
    });
    await mapped(page);
    await page.getByRole('article', { name: 'Cape' }).waitFor();
    const isClear = `document.querySelector('.map-drop').getBoundingClientRect().bottom <=
      document.querySelector('.peek').getBoundingClientRect().top`;
    await holds(page, isClear);
    const drop = (await page.locator('.map-drop').boundingBox()) ?? assert.fail('no drop');
    const peek = (await page.locator('.peek').boundingBox()) ?? assert.fail('no peek');
    await pan(page, 0, peek.y + 20 - (drop.y + drop.height + 9));
    await holds(page, isClear);
  });

  test('goes without an error when the window becomes narrow', async (t) => {
    const { page } = await openNew(t, { places: PLACES, path: ROME });
    await mapped(page);
    await page.setViewportSize(PHONE);
    await holds(page, `document.querySelector('.map') === null`);
    // Leaflet says 200 ms after a window changed its size that the map moved.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 400))');
    await page.setViewportSize({ width: 1280, height: 800 });
    await mapped(page);
  });

  mainPath('joins rows and pins: what is pointed at is lifted, what is pressed is selected', async (t) => {
    const { page } = await openNew(t, { places: [MIDDLE, ...PLACES], path: ROME });
    await mapped(page);
    await page.locator('.row', { hasText: 'Soba Ya' }).hover();
    await page.locator('.map-name', { hasText: 'Soba Ya' }).waitFor();
    const map = (await page.locator('.stage .map').boundingBox()) ?? assert.fail('no map');
    const middle = [map.x + map.width / 2, map.y + map.height / 2] as const;
    await page.mouse.move(...middle);
    await page.locator('.row.over[data-row="1"]').waitFor();
    await page.mouse.click(...middle);
    await page.locator('.row.selected[data-row="1"]').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('sel'), '1');
    const peek = page.getByRole('article', { name: 'Middle' });
    await peek.getByRole('link', { name: 'Middle' }).waitFor();
    await press(page, 'Escape');
    for (const one of [peek, page.locator('.map-drop')]) await one.waitFor({ state: 'detached' });
    await press(page, 'j', 'j');
    await page.locator('.map-drop').waitFor();
  });

  test('names the nearest place where there is none, and leads there', async (t) => {
    const { page } = await openNew(t, { places: PLACES, path: '/?bbox=12.5,42.5,12.6,42.6' });
    await page.getByText('No places match here. The nearest is Soba Ya, 71 km away.').first().waitFor();
    await page.getByRole('button', { name: 'Show it on the map' }).click();
    await page.getByRole('article', { name: 'Soba Ya' }).waitFor();
    await becomes(() => names(page), ['Soba Ya']);
    await page.goBack();
    await page.getByText('The nearest is Soba Ya').first().waitFor();
  });

  test('shows all of a small catalogue at first, then the hits of a search, and the way back', async (t) => {
    const { page } = await openNew(t, { places: PLACES });
    await mapped(page);
    await page.locator('.row', { hasText: 'Da Enzo' }).hover();
    await page.locator('.map-name', { hasText: 'Da Enzo' }).waitFor();
    assert.deepEqual((await names(page)).sort(), PLACES.map(({ name }) => name).sort());
    await page.getByRole('searchbox').first().fill('soba');
    await page.getByRole('heading', { name: '1 place for “soba”' }).waitFor();
    await page.locator('.leaflet-control-scale-line').waitFor();
    await holds(page, `document.querySelector('.leaflet-control-scale').textContent.includes(' m')`);
    await page.goBack();
    await page.getByRole('heading', { name: '3 places' }).waitFor();
    await holds(page, `document.querySelector('.leaflet-control-scale').textContent.includes('km')`);
  });

  mainPath('shows what is near, and says so when it may not know where that is', async (t) => {
    const geolocation = { latitude: 41.9001, longitude: 12.48, accuracy: 40 };
    const { page, context } = await openNew(t, {
      places: PLACES,
      permissions: ['geolocation'],
      geolocation,
    });
    await page.getByRole('button', { name: 'Near me' }).last().click();
    await holds(page, `document.querySelector('.row .name')?.textContent === 'Da Enzo'`);
    await page.getByRole('heading', { name: '2 places here' }).waitFor();
    assert.deepEqual(await names(page), ['Da Enzo', 'Soba Ya']);
    assert.equal(new URL(page.url()).search, '?lat=41.9001&lng=12.4800&radius=5');
    await mapped(page);
    await pan(page, 40, 0);
    await holds(page, `location.search.includes('bbox=')`);
    assert.equal(new URL(page.url()).searchParams.get('radius'), null);
    await page.getByText('10 m').first().waitFor();
    await context.clearPermissions();
    await page.getByRole('button', { name: 'Near me' }).first().click();
    await page.getByRole('heading', { name: /places here/ }).waitFor();
    await page.getByRole('button', { name: 'Near me' }).last().click();
    await page.getByText('Your position cannot be found.').waitFor();
  });

  test('takes the place of the list on a phone, and gives it back where it was', async (t) => {
    const { page } = await openNew(t, { places: numbered(30), viewport: PHONE });
    assert.equal(await page.locator('.map').count(), 0);
    await page.mouse.wheel(0, 700);
    await holds(page, 'scrollY === 700');
    await press(page, 'm');
    await mapped(page);
    assert.equal(new URL(page.url()).searchParams.get('view'), 'map');
    assert.equal(await page.locator('.row').first().isVisible(), false);
    await page.getByRole('button', { name: 'List · 30' }).click();
    await page.locator('.row').first().waitFor();
    await holds(page, 'scrollY === 700');
  });

  test('marks what I want to go to', async (t) => {
    const { page } = await openAsAlice(t, { places: [MIDDLE], path: ROME });
    await mapped(page);
    /** What the middle of the map is painted with: a pin is filled, that of a place to go to is hollow. */
    const middle = `(() => {
      const canvas = document.querySelector('.leaflet-overlay-pane canvas');
      const [view, drawn] = [document.querySelector('.stage .map'), canvas].map((one) => one.getBoundingClientRect());
      const at = [view.x + view.width / 2 - drawn.x, view.y + view.height / 2 - drawn.y];
      const copy = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
      const context = copy.getContext('2d', { willReadFrequently: true });
      context.drawImage(canvas, ...at.map((pixel) => -Math.round(pixel)));
      return context.getImageData(0, 0, 1, 1).data.join();
    })()`;
    await holds(page, `${middle} === '163,54,15,255'`);
    await press(page, 'j', 'w', 'Escape');
    await holds(page, `${middle} === '255,255,255,255'`);
  });
});
