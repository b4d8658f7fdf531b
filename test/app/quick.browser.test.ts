import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, test } from '../support/chromium.ts';
import { array, field, textOf } from '../support/client.ts';
import { LOCAL } from '../support/people.ts';
import { becomes } from '../support/until.ts';
import { type App, holds, numbered, openAsAlice, openNew, settled } from '../support/web-app.ts';

// The session is renewed, and the stream of changes opened, in classes of their own.
const APART = /\/api\/(?:auth|changes\/stream)/;
/** The calls that count toward the limit of requests. */
const counted = ({ requests }: App): string[] => requests.filter((request) => !APART.test(request));

/** The names of the rows on the screen. */
const names = (page: Page): Promise<string[]> => page.locator('.row .name').allTextContents();

describe('The web app and the limit of requests', { skip: NO_BROWSER }, () => {
  test('asks at most twice for a full load of Explore or a place, and once for a list', async (t) => {
    const app = await openAsAlice(t, { places: numbered(3) });
    const { page, service, alice } = app;
    await alice.api.put('/lists/want/items/2', {});
    const [list] = array((await alice.api.get('/lists')).body);
    for (const [path, most] of [
      ['/', 2],
      ['/restaurants/2', 2],
      [`/lists/${String(field(list, 'id'))}`, 1],
    ] as const) {
      await page.goto(service.url + path);
      await settled(page);
      app.requests.length = 0;
      await page.reload();
      await settled(page);
      // The stream never ends, so that the network is never idle.
      await page.waitForTimeout(1_000);
      assert.ok(counted(app).length <= most, `${path}: ${counted(app).join(', ')}`);
    }
  });

  test('keeps what is shown while the service is busy, says since when, and goes on by itself', async (t) => {
    const app = await openNew(t, { places: numbered(3), refusals: [429] });
    const { page } = app;
    await holds(page, `document.querySelectorAll('.row').length === 3`);
    // Others behind the same address use up what is allowed.
    let isBusy = true;
    await page.route('**/api/restaurants/**', (route) =>
      isBusy
        ? route.fulfill({
            status: 429,
            headers: { 'Retry-After': '1' },
            json: { error: 'Too many requests' },
          })
        : route.continue(),
    );
    await page.evaluate(
      `import(document.documentElement.dataset.base + '/state/data.js').then((data) => data.invalidate())`,
    );
    await page.getByText(/Busy, showing \d/).waitFor();
    assert.equal((await names(page)).length, 3);
    isBusy = false;
    await page.getByText(/Busy, showing/).waitFor({ state: 'detached' });
    assert.equal((await names(page)).length, 3);
  });

  test('shows no refusal to a person who loads it thirty times in a minute', async (t) => {
    const app = await openAsAlice(t, {
      places: numbered(3),
      settings: { ...LOCAL, RATE_LIMIT_PER_MINUTE: '100', RATE_LIMIT_BURST: '20' },
      refusals: [429],
    });
    const { page, requests } = app;
    const responses: number[] = [];
    page.on('response', (response) => responses.push(response.status()));
    for (let load = 0; load < 30; load += 1) {
      const next = Date.now() + 2_000;
      await page.reload();
      await settled(page);
      assert.equal((await names(page)).length, 3);
      await page.waitForTimeout(Math.max(0, next - Date.now()));
    }
    assert.ok(requests.length > 0);
    assert.deepEqual(
      responses.filter((status) => status === 429),
      [],
    );
  });
});

describe('What Explore shows of places', { skip: NO_BROWSER }, () => {
  test('never says that a place is open until a time that has passed', async (t) => {
    const { page } = await openNew(t, {
      places: [
        { name: 'Bar', opening_hours: 'Mo-Su 00:00-23:59', time_zone: 'UTC', latitude: 51.5, longitude: 0 },
      ],
      prepare: (context) => context.clock.install({ time: new Date('2026-11-24T22:00:00Z') }),
    });
    await page.evaluate(`import(document.documentElement.dataset.base + '/state/store.js').then(({ state, update }) =>
      update(() => [...state.places.values()].forEach((place) => Object.assign(place, {
        opening: { state: 'open', until: '2026-11-24T23:59:00Z', reason: null } }))))`);
    await page.getByText(/^Open until/).waitFor();
    await page.clock.setFixedTime(new Date('2026-11-25T00:01:00Z'));
    await page.evaluate(
      `import(document.documentElement.dataset.base + '/state/store.js').then(({ setUi }) => setUi({}))`,
    );
    await page.getByText(/^Open until/).waitFor({ state: 'detached' });
  });

  test('sorts the hits of a search as the API does', async (t) => {
    const places = ['Bistro Zwei', 'Bistro Eins', 'Bistro Drei'].map((name) => ({ name }));
    const { page, service } = await openNew(t, { places, path: '/?q=bistro' });
    assert.equal(await page.getByLabel('Sort').inputValue(), 'best');
    for (const sort of ['name', 'newest']) {
      await page.getByLabel('Sort').selectOption(sort);
      await page.waitForURL(`**/?q=bistro&sort=${sort}`);
      await settled(page);
      const { body } = await service.api.get(`/restaurants/paginated?q=bistro&sort=${sort}`);
      const expected = array(field(body, 'data')).map((row) => textOf(row, 'name'));
      await becomes(() => names(page), expected);
    }
  });

  test('tells places of one name apart by where they are', async (t) => {
    const { page } = await openNew(t, {
      places: [
        { name: 'Da Enzo', address: 'Via Uno 1, Rome, 00153, Italy' },
        { name: 'Da Enzo', address: 'Via Due 2, Rome, 00153, Italy' },
        { name: 'Da Enzo', address: 'Corso 3, Milan, 20121, Italy' },
      ],
    });
    const rows = await page.locator('.row .about').allInnerTexts();
    assert.equal(new Set(rows).size, 3, rows.join(' / '));
    assert.ok(rows.some((text) => text.includes('Milan')));
  });
});
