import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** An address whose area has its middle at 41.9, 12.5. */
export const ROME = '/?bbox=12.4,41.8,12.6,42';
/** Two places in Rome and one in Paris. */
export const PLACES = [
  { name: 'Da Enzo', latitude: 41.9, longitude: 12.48 },
  { name: 'Soba Ya', latitude: 41.91, longitude: 12.5 },
  { name: 'Café Lilas', latitude: 48.85, longitude: 2.35 },
];
/** A place in the middle of that area. */
export const MIDDLE = { name: 'Middle', latitude: 41.9, longitude: 12.5 };

/** The area in the address. */
export const areaOf = (page: Page): string => new URL(page.url()).searchParams.get('bbox') ?? '';

/** The names in the list, in its order. */
export const names = (page: Page): Promise<string[]> => page.locator('.rows .name').allTextContents();

/** Waits until the map shows something and rests. */
export async function mapped(page: Page): Promise<void> {
  // Before it shows what the address asks for, a hand would move another area.
  await page.locator('.stage .map[data-ready]').waitFor();
  await page.locator('.stage .leaflet-control-scale-line[style*=width]').waitFor();
}

/** Drags the map by so many pixels, as a hand does. */
export async function pan(page: Page, x: number, y: number): Promise<void> {
  const box = (await page.locator('.stage .map').boundingBox()) ?? assert.fail('no map');
  const [fromX, fromY] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(fromX, fromY);
  await page.mouse.down();
  for (let step = 1; step <= 8; step += 1)
    await page.mouse.move(fromX + (x * step) / 8, fromY + (y * step) / 8);
  await page.mouse.up();
}
