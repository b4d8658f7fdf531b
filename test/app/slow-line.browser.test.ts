import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { NO_BROWSER, test } from '../support/chromium.ts';
import { PHONE, holds, numbered, openNew } from '../support/web-app.ts';

const PLACES = 300;
/** 400 kbit/s, and what a phone adds to each answer. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const SHIFT = 0.05;

// Notes when things are first seen, and how far what was seen moves. Entries without a node are left out: when rows come into
// view, Chromium sometimes counts the invisible pseudo-elements that stretch a link over its row.
const WATCH = `
  window.seen = {};
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries())
      if (!hadRecentInput && sources.some(({ node }) => node)) shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  const parts = { skeleton: '.skeleton', heading: 'h1', row: '.row .name' };
  const look = () => {
    for (const [name, selector] of Object.entries(parts))
      if (document.querySelector(selector)) seen[name] ??= performance.now();
    requestAnimationFrame(look);
  };
  look();`;

async function slowDown(context: BrowserContext): Promise<void> {
  await context.addInitScript(WATCH);
  context.on('page', (page) => {
    void context.newCDPSession(page).then(async (session) => {
      await session.send('Network.enable');
      await session.send('Network.emulateNetworkConditions', SLOW);
    });
  });
}

describe('the web app on a slow line', { skip: NO_BROWSER }, () => {
  test('shows where rows will be, then the rows, which can be used at once and move nothing', async (t) => {
    const { page } = await openNew(t, {
      places: numbered(PLACES),
      viewport: PHONE,
      hasTouch: true,
      prepare: slowDown,
    });
    await page.locator('.row').first().waitFor();
    const seen: unknown = await page.evaluate('seen');
    assert.ok(typeof seen === 'object' && seen !== null);
    const times = Object.fromEntries(Object.entries(seen).map(([name, time]) => [name, Number(time)]));
    const { skeleton = Infinity, row = 0 } = times;
    assert.ok(skeleton < row, JSON.stringify(times));
    const shift = Number(await page.evaluate('shift'));
    assert.ok(shift < SHIFT, `what is seen moves by ${shift}`);
    await page.locator('.row .name').first().click();
    await page.waitForURL('**/restaurants/*');
    await holds(page, `document.querySelector('#content h1')?.textContent.startsWith('Place')`);
  });
});
