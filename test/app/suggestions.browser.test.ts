import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { BrowserContext, Route } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, createClient, field, ids } from '../support/client.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';
import { becomes, until } from '../support/until.ts';
import { type App, type AppOptions, holds, openApp, press, testAccess } from '../support/web-app.ts';

const SOBA = {
  name: 'Soba Ya',
  address: 'Via Merulana 12',
  latitude: 41.8901,
  longitude: 12.4995,
  phone: '06 555 0142',
  website: 'https://soba.example/',
};
const KICHI = {
  name: 'Soba-ya Kichi',
  address: 'Via Labicana 4, Roma',
  latitude: 41.8904,
  longitude: 12.4997,
  phone: '+39 06 555 0142',
  website: 'https://sobayakichi.example',
  notes: 'Hand-cut soba, ten seats.',
};

async function suggest({ api }: Pick<Service, 'api'>, count: number): Promise<void> {
  for (let at = count; at >= 1; at -= 1)
    await api.post('/suggestions', { name: `Place ${at}`, address: `Street ${at}` });
}

async function namesWith({ api }: Service, status: string): Promise<unknown[]> {
  return array((await api.get(`/suggestions?status=${status}`)).body).map((one) => field(one, 'name'));
}

/** The suggestions Place 1 and so on of a new service, where the first one is shown. */
async function openPlaces(t: TestContext, count: number, options: AppOptions = {}): Promise<App> {
  const service = await startService(t);
  await suggest(service, count);
  const app = await openApp(t, service, { path: '/suggestions', ...options });
  await app.page.getByRole('heading', { name: 'Place 1', exact: true }).waitFor();
  return app;
}

describe('Suggestions', { skip: NO_BROWSER }, () => {
  testAccess('Suggestions, with one that looks like a place', async (t, options) => {
    const service = await startService(t);
    await service.api.post('/restaurants', SOBA);
    await suggest(service, 2);
    const { body } = await service.api.post('/suggestions', KICHI);
    const { page } = await openApp(t, service, {
      ...options,
      path: `/suggestions?sel=${Number(field(body, 'id'))}`,
    });
    await page.locator('.twin-box').waitFor();
    return page;
  });

  mainPath('takes twenty keys for twenty suggestions, and puts each where its key says', async (t) => {
    const { page, service } = await openPlaces(t, 20);
    await press(page, ...Array.from('atratratratratratrac'));
    await page.getByText('No suggestions are waiting. You are up to date.').waitFor();
    await until(async () => (await namesWith(service, 'pending')).length === 0);
    await until(async () => (await namesWith(service, 'converted')).length === 1);
    const numbered = (...numbers: number[]): string[] => numbers.map((number) => `Place ${number}`);
    assert.deepEqual(await namesWith(service, 'approved'), numbered(1, 4, 7, 10, 13, 16, 19));
    assert.deepEqual(await namesWith(service, 'tested'), numbered(2, 5, 8, 11, 14, 17));
    assert.deepEqual(await namesWith(service, 'rejected'), numbered(3, 6, 9, 12, 15, 18));
    assert.deepEqual(await namesWith(service, 'converted'), ['Place 20']);
    await page.getByRole('link', { name: 'Tested' }).click();
    await page.getByRole('link', { name: 'Place 17' }).waitFor();
    await page.getByText('20 done today').waitFor();
  });

  test('offers first to add a suggestion to the catalogue', async (t) => {
    const { page, service } = await openPlaces(t, 2);
    const buttons = page.locator('.bar > button');
    assert.deepEqual(
      (await buttons.allTextContents()).map((text) => text.trim().replaceAll(/\s+/g, ' ')),
      ['Add to catalogue c', 'Approve for later a', 'Tested t', 'Reject r'],
    );
    await page.getByRole('button', { name: 'Add to catalogue' }).click();
    await page.getByText('Added Place 1 to the catalogue').waitFor();
    assert.deepEqual(await namesWith(service, 'converted'), ['Place 1']);
  });

  test('returns the last one with u, also when the answers to both are late', async (t) => {
    const { page, service } = await openPlaces(t, 3);
    const held: Route[] = [];
    await page.route('**/api/suggestions/2/status', (route) => void held.push(route));
    await press(page, 'a', 'r');
    await page.getByText('Approved Place 1').waitFor();
    await until(() => held.length > 0);
    await press(page, 'u');
    for (const route of held) await route.continue();
    await page.getByText('Place 2 is back').waitFor();
    assert.deepEqual(await namesWith(service, 'pending'), ['Place 2', 'Place 3']);
    assert.deepEqual(await namesWith(service, 'approved'), ['Place 1']);
    await holds(page, `document.querySelector('.card h2').textContent === 'Place 2'`);
    await page.getByText('1 done today').waitFor();
  });

  test('passes one verdict on all that are selected within the limit of requests, and takes it back at once', async (t) => {
    const service = await startService(t, { RATE_LIMIT_PER_MINUTE: '600', RATE_LIMIT_BURST: '20' });
    // Another client, whose calls do not count for the browser's.
    const api = createClient(service.url, { 'X-Forwarded-For': '203.0.113.9' });
    await suggest({ api }, 20);
    const { page } = await openApp(t, service, { path: '/suggestions' });
    await page.getByRole('heading', { name: 'Place 1', exact: true }).waitFor();
    await press(page, 'x', ...Array<string>(19).fill('j'), 'Shift+X');
    await page.getByText('20 selected').waitFor();
    await page.getByRole('button', { name: 'Approve for later 20' }).waitFor();
    await press(page, 'a');
    await page.getByText('Approved 20 suggestions for later').waitFor();
    assert.equal((await namesWith(service, 'approved')).length, 20);
    await page.locator('.toasts').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('20 suggestions are back').waitFor();
    assert.equal((await namesWith(service, 'pending')).length, 20);
    // A refused request would stand on the console, where this test allows nothing.
  });

  test('says what a suggestion looks like and what tells the two apart, and leads there', async (t) => {
    const service = await startService(t);
    await service.api.post('/restaurants', SOBA);
    await service.api.post('/suggestions', KICHI);
    const { page } = await openApp(t, service, { path: '/suggestions' });
    await page
      .getByText(
        'Same phone · Similar name · Different address: Via Merulana 12 · Different website: https://soba.example/',
      )
      .waitFor();
    assert.match(
      (await page.locator('.twin-box').textContent()) ?? '',
      /Looks like Soba Ya ·\s+40 m away · not rated/,
    );
    await page.getByRole('link', { name: 'Open Soba Ya' }).click();
    await page.waitForURL('**/restaurants/1');
  });

  test('shows verdicts only to those who may pass them, and lets others delete their own', async (t) => {
    const service = await startService(t, { ...LOCAL, WRITE_ACCESS: 'admins' });
    const [alice, bob] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
    await alice.api.post('/suggestions', { name: 'Of Alice' });
    await bob.api.post('/suggestions', { name: 'Of Bob' });
    const { page } = await openApp(t, service, { user: bob, path: '/suggestions' });
    await page.getByRole('heading', { name: 'Of Bob' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0);
    assert.equal(await page.getByRole('checkbox').count(), 0);
    await press(page, 'a', 'j');
    await page.getByRole('heading', { name: 'Of Alice' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);
    assert.deepEqual(await namesWith(service, 'pending'), ['Of Bob', 'Of Alice']);
    await press(page, 'k');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted Of Bob').waitFor();
    assert.deepEqual(await namesWith(service, 'pending'), ['Of Alice']);
    await press(page, 'u');
    await page.getByText('Undone').waitFor();
    assert.equal((await namesWith(service, 'pending')).length, 2);
  });

  test('leaves keys alone in fields, with Ctrl, of an input method, and when they are switched off', async (t) => {
    const { page, service } = await openPlaces(t, 3);
    await page.getByRole('searchbox').focus();
    // Taken out again before the app searches for it.
    await press(page, 'a', 'Backspace');
    await page.locator('h1').click();
    await press(page, 'Control+a', 'Meta+r');
    for (const key of [`key: 'a', isComposing: true`, `key: 'Process', code: 'KeyA'`])
      await page.evaluate(
        `document.body.dispatchEvent(new KeyboardEvent('keydown', { ${key}, bubbles: true }))`,
      );
    await page.evaluate(`localStorage.setItem('keys', 'off')`);
    await press(page, 'a');
    await page.evaluate(`localStorage.removeItem('keys')`);
    await press(page, 'j');
    await page.getByRole('heading', { name: 'Place 2', exact: true }).waitFor();
    assert.equal((await namesWith(service, 'pending')).length, 3);
  });

  test('puts one back whose verdict is refused, with the reason', async (t) => {
    const { page, service } = await openPlaces(t, 2, { refusals: [409] });
    const [id] = ids((await service.api.get('/suggestions')).body);
    await service.api.post(`/suggestions/${id}/convert`, {});
    await press(page, 'a');
    await page.getByText('Place 1: Someone else has decided in the meantime.').waitFor();
    await page.getByRole('link', { name: 'Place 1', exact: true }).waitFor();
  });

  test('says which of several is refused, and takes the others back', async (t) => {
    // The page does not hear of what happens meanwhile.
    const prepare = (context: BrowserContext): Promise<unknown> =>
      context.route('**/api/changes/stream**', (route) =>
        route.fulfill({ status: 503, headers: { 'Retry-After': '600' }, json: {} }),
      );
    const { page, service } = await openPlaces(t, 3, { prepare, refusals: [409, 503] });
    const [, id] = ids((await service.api.get('/suggestions')).body);
    await service.api.post(`/suggestions/${id}/convert`, {});
    await press(page, 'x', 'j', 'j', 'Shift+X', 'r');
    await page.getByText('Place 2: Someone else has decided in the meantime.').waitFor();
    assert.deepEqual(await namesWith(service, 'rejected'), ['Place 1', 'Place 3']);
    await press(page, 'u', 'u');
    await page.getByText('2 suggestions are back').waitFor();
    assert.deepEqual(await namesWith(service, 'rejected'), []);
  });

  test('changes a suggestion while it makes a place of it', async (t) => {
    const service = await startService(t);
    await service.api.post('/suggestions', KICHI);
    await suggest(service, 1);
    const { page } = await openApp(t, service, { path: '/suggestions' });
    await page.getByRole('link', { name: KICHI.name }).click();
    await page.getByRole('heading', { name: KICHI.name }).waitFor();
    await press(page, 'e');
    await page.getByText(KICHI.notes).waitFor();
    await page.getByLabel('Name').fill('Kichi');
    await page.getByLabel('Price').selectOption('2');
    await page.locator('form.place-form').getByRole('button', { name: 'Add' }).click();
    await page.getByText('Added Kichi').waitFor();
    await page.waitForURL('**/suggestions*');
    const [place] = array((await service.api.get('/restaurants?include_suggestions=false')).body);
    assert.equal(field(place, 'name'), 'Kichi');
    assert.equal(field(place, 'price_level'), 2);
    assert.equal(field(place, 'phone'), KICHI.phone);
    await becomes(() => page.locator('.card h2').textContent(), 'Place 1');
  });

  test('is a list on a phone, whose next suggestion comes by itself', async (t) => {
    const service = await startService(t);
    await suggest(service, 3);
    const { page } = await openApp(t, service, {
      path: '/suggestions',
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    await page.getByRole('link', { name: 'Place 2' }).tap();
    await page.getByText('Pending: 2 of 3').waitFor();
    await page.getByRole('button', { name: 'Approve for later' }).tap();
    await page.getByRole('heading', { name: 'Place 3' }).waitFor();
    await page.getByText('Pending: 2 of 2').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Place 1' }).waitFor();
  });
});
