/**
 * Measures how smoothly the map pans: frames a second while a pointer drags it, for several numbers of pins and grounds.
 * `node --import tsx test/app/map-frames.ts`; a benchmark, since a busy machine has fewer frames for reasons of its own.
 */
import type { Page } from 'playwright-core';
import { launch } from '../support/docs-page.ts';
import { openMapOn, scattered } from '../support/map-page.ts';
import { startService } from '../support/service.ts';

const MIDDLE = { x: 470, y: 420 };
const SECONDS = 3;

const CASES = [
  { pins: 0, zoom: 14, degrees: 0.1, ground: 'paper' },
  { pins: 1_000, zoom: 14, degrees: 0.1, ground: 'paper' },
  { pins: 5_000, zoom: 14, degrees: 0.1, ground: 'paper' },
  { pins: 1_000, zoom: 6, degrees: 12, ground: 'fine coast' },
  { pins: 5_000, zoom: 6, degrees: 12, ground: 'fine coast' },
  { pins: 1_000, zoom: 2, degrees: 80, ground: 'crude coast' },
] as const;

/** Counts frames from now on until `frames()` is called, which says how many there were a second. */
const COUNT = `(() => {
  const start = performance.now();
  const gaps = [];
  let last;
  let isOn = true;
  const frame = (now) => {
    if (last !== undefined) gaps.push(now - last);
    last = now;
    if (isOn) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  window.frames_ = () => {
    isOn = false;
    gaps.sort((a, b) => a - b);
    const second = (1000 * gaps.length) / (performance.now() - start);
    return second.toFixed(1) + ' frames/s, worst 5 % over ' + gaps[Math.floor(gaps.length * 0.95)].toFixed(1) + ' ms';
  };
})()`;

async function measure(page: Page, { pins, zoom, degrees, ground }: (typeof CASES)[number]): Promise<string> {
  const rested = page.evaluate(`new Promise((resolve) => (window.onrest = resolve))`);
  await page.evaluate(`map.setPins({ points: ${scattered(pins, 41.9, 12.5, degrees)}, groups: [] });
    map.view({ lat: 41.9, lng: 12.5, zoom: ${zoom} })`);
  await rested;
  await page.mouse.move(MIDDLE.x, MIDDLE.y);
  await page.mouse.down();
  await page.evaluate(COUNT);
  const until = performance.now() + SECONDS * 1_000;
  for (let step = 0; performance.now() < until; step += 1)
    await page.mouse.move(MIDDLE.x + 380 * Math.sin(step / 25), MIDDLE.y + 320 * Math.cos(step / 36));
  const frames = String(await page.evaluate('frames_()'));
  await page.mouse.up();
  return `${String(pins).padStart(5)} pins, ${ground.padEnd(11)} ${frames}`;
}

const closers: (() => unknown)[] = [];
const service = await startService({ after: (close) => void closers.push(close) });
const browser = await launch('--disable-quic');
const page = await browser.newPage({ viewport: { width: 940, height: 840 } });
await page.goto(`${service.url}/join`);
await openMapOn(page, 'onRest: () => window.onrest?.(),');
for (const one of CASES) console.log(await measure(page, one));
await browser.close();
for (const close of closers.reverse()) await close();
