import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { type Cleanup, atEnd } from '../support/cleanup.ts';
import { runCommand } from '../support/cli.ts';
import { array, field, textOf } from '../support/client.ts';
import { launch } from '../support/chromium.ts';
import { LOCAL, type Person, makeAdmin, signUp } from '../support/people.ts';
import { FORM_TYPE, form, photoPart } from '../support/photos.ts';
import { type Service, startService } from '../support/service.ts';

// Makes the picture at the head of README: node test/app/picture.ts --places FILE.csv --out static/app.png
// The file has columns of `catalogue import`; ratings, hours and pictures of dishes are made up.
const PARIS = '2.26,48.83,2.42,48.9';
const RATED = 60;
const PICTURED = 14;
const HOURS = [
  'Mo-Su 12:00-14:30, 19:00-23:00',
  'Tu-Sa 19:00-24:00',
  'Mo-Su 10:00-02:00',
  'We-Su 12:00-22:00',
];
const COMMENTS = [
  'Ask for the table in the yard.',
  'Crowded after eight, and worth it.',
  'The soup alone is worth the way.',
];

// Draws a dish on a plate, another one for each seed.
const PLATE = `(seed) => {
  const next = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const canvas = new OffscreenCanvas(1200, 900);
  const context = canvas.getContext('2d');
  const disc = (x, y, r, colour) => {
    context.fillStyle = colour;
    context.beginPath();
    context.arc(x, y, r, 0, 7);
    context.fill();
  };
  context.fillStyle = ['#7d4f34', '#37443a', '#8fa7a9', '#5b4a63', '#a94f30'][Math.floor(next() * 5)];
  context.fillRect(0, 0, 1200, 900);
  disc(625, 480, 400, '#0003');
  disc(600, 450, 390, '#fbf8f2');
  disc(600, 450, 330, '#ece6da');
  disc(600, 450, 310, ['#e3a24f', '#86a862', '#d98a2b', '#efe9da', '#c9552f'][Math.floor(next() * 5)]);
  const colours = ['#c9452a', '#f5e3c0', '#4f7a3a', '#b3331f', '#f1d77a', '#5e2a30'];
  for (let at = 0; at < 46; at += 1) {
    const [turn, far, size] = [next() * 7, Math.sqrt(next()) * 260, 18 + next() * 34];
    const [x, y] = [600 + Math.cos(turn) * far, 450 + Math.sin(turn) * far];
    disc(x + 5, y + 7, size, '#0002');
    disc(x, y, size, colours[Math.floor(next() * colours.length)]);
  }
  const draw = async (width, quality) => {
    const small = new OffscreenCanvas(width, width * 0.75);
    small.getContext('2d').drawImage(canvas, 0, 0, width, width * 0.75);
    const bytes = new Uint8Array(await (await small.convertToBlob({ type: 'image/jpeg', quality })).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  };
  return Promise.all([draw(1200, 0.85), draw(320, 0.8)]);
}`;

async function main(t: Cleanup): Promise<void> {
  const { values } = parseArgs({ options: { places: { type: 'string' }, out: { type: 'string' } } });
  const { places, out } = values;
  if (places === undefined || out === undefined) throw new Error('--places FILE.csv --out FILE.png');
  const folder = mkdtempSync(join(tmpdir(), 'picture-'));
  atEnd(t, () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const variables = { DATA_DIR: join(folder, 'data') };
  const proposal = await runCommand(['import', places, '--propose-map'], { variables });
  const map = join(folder, 'map.csv');
  writeFileSync(map, proposal.out);
  await runCommand(['import', places, '--map', map], { variables });
  const service = await startService(t, { ...LOCAL, ...variables, CATALOGUE_NAME: 'Our Table' });
  const people = await Promise.all(['mia', 'ben', 'lucia', 'jo'].map((name) => signUp(service, name)));
  const [mia] = people;
  if (!mia) throw new Error('no one signed up');
  makeAdmin(service, mia);
  const browser = await launch('--disable-quic', '--disable-background-networking');
  atEnd(t, () => browser.close());
  const ids = array((await mia.api.get(`/restaurants?bbox=${PARIS}&limit=${RATED}&sort=name`)).body).map(
    (place) => Number(field(place, 'id')),
  );
  await bringToLife(service, people, ids, await browser.newPage());
  await takePicture(browser, service, mia, out);
}

/** Ratings, hours, dishes and notes for places. */
async function bringToLife(
  service: Service,
  people: readonly Person[],
  ids: readonly number[],
  studio: Page,
): Promise<void> {
  const [mia] = people;
  if (!mia) return;
  for (const [at, id] of ids.entries()) {
    const name = textOf((await mia.api.get(`/restaurants/${id}`)).body, 'name');
    await mia.api.put(`/restaurants/${id}`, { name, opening_hours: HOURS[at % HOURS.length] });
    for (const [who, { api }] of people.entries()) {
      if ((at + who) % 4 === 3) continue;
      const star = (shift: number): number => Math.max(2, 5 - ((at * 7 + who * 3 + shift) % 4));
      await api.post('/ratings', {
        restaurant_id: id,
        food_rating: star(0),
        service_rating: star(1),
        ambiance_rating: star(2),
        comment: COMMENTS[(at + who) % COMMENTS.length],
      });
    }
    if (at % 5 === 1) await mia.api.put(`/lists/want/items/${id}`, {});
    if (at % 6 === 0) await mia.api.post('/visits', { restaurant_id: id });
  }
  const best = array((await mia.api.get(`/restaurants?bbox=${PARIS}&limit=${PICTURED}&sort=rating`)).body);
  for (const [at, place] of best.entries())
    for (const extra of at === 0 ? [0, 1, 2, 3, 4] : [0])
      await upload(service, mia, Number(field(place, 'id')), studio, at * 10 + extra + 7);
}

async function upload(
  { url }: Service,
  { accessToken }: Person,
  id: number,
  studio: Page,
  seed: number,
): Promise<void> {
  const [photo = '', thumbnail = ''] = await studio.evaluate<string[]>(`(${PLATE})(${seed * 7919})`);
  const parts = [
    photoPart(Buffer.from(photo, 'base64')),
    { ...photoPart(Buffer.from(thumbnail, 'base64')), name: 'thumbnail' },
  ];
  const answer = await fetch(`${url}/api/restaurants/${id}/photos`, {
    method: 'POST',
    headers: { 'Content-Type': FORM_TYPE, Authorization: `Bearer ${accessToken}` },
    body: new Uint8Array(form(...parts)),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** The map on a desktop, and a place on a phone over its corner. */
async function takePicture(
  browser: Browser,
  { url }: Service,
  { email, password, api: own }: Person,
  out: string,
): Promise<void> {
  const [best] = array((await own.get(`/restaurants?bbox=${PARIS}&limit=1&sort=rating`)).body);
  const id = Number(field(best, 'id'));
  const shots: string[] = [];
  for (const [width, height, path] of [
    [1360, 850, `/?bbox=${PARIS}&sort=rating&sel=${id}`],
    [390, 844, `/restaurants/${id}`],
  ] as const) {
    const context = await browser.newContext({
      viewport: { width, height },
      locale: 'en-GB',
      deviceScaleFactor: 1,
    });
    await context.request.post(`${url}/api/auth/login`, {
      data: { email, password, session: 'cookie' },
      headers: { Origin: url },
    });
    await context.addInitScript(`localStorage.setItem('signed', '1')`);
    const page = await context.newPage();
    await page.goto(url + path);
    await page.waitForTimeout(4_000);
    shots.push((await page.screenshot()).toString('base64'));
    await context.close();
  }
  const page = await browser.newPage({ viewport: { width: 1480, height: 960 } });
  const [desktop = '', phone = ''] = shots;
  const look = 'position:absolute;border-radius:14px;box-shadow:0 2px 4px #0002,0 16px 48px #0003';
  await page.setContent(
    `<body style="margin:0;background:#efe9e2">
      <img style="${look};left:40px;top:50px;width:1200px" src="data:image/png;base64,${desktop}">
      <img style="${look};right:40px;bottom:40px;width:340px;border:6px solid #1d1b19;border-radius:30px" src="data:image/png;base64,${phone}">
    </body>`,
  );
  await page.screenshot({ path: out });
}

const endings: (() => void | Promise<void>)[] = [];
try {
  await main({ after: (run) => void endings.unshift(run) });
} finally {
  for (const end of endings) await end();
}
