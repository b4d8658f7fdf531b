import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { Locator, Page, Route } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { type Client, field } from '../support/client.ts';
import { importText } from '../support/imports.ts';
import { LOCAL, makeAdmin, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { becomes, until } from '../support/until.ts';
import {
  type App,
  type NewOptions,
  openApp,
  openAsAlice,
  openNew,
  press,
  testAccess,
} from '../support/web-app.ts';

const ENZO = {
  name: 'Trattoria Da Enzo',
  address: 'Via dei Vascellari 29',
  phone: '+39 06 581 2260',
  latitude: 41.8884,
  longitude: 12.4775,
};
/** Restaurants 1 and 2, 3 and 4, 5 and 6 are one place each. */
const TWINS = [
  ENZO,
  {
    ...ENZO,
    name: 'Da Enzo al 29',
    address: 'Via dei Vascellari 29, Roma',
    phone: '06 581 2260',
    latitude: 41.8886,
  },
  { name: 'Soba Ya', address: 'Kanda 3', phone: '+81 3 1234 5678' },
  { name: 'Soba-ya', address: 'Kanda 3, Tokyo', website: 'https://sobaya.example/' },
  { name: 'Le Petit Coin', address: '2 Rue du Bac', phone: '+33 1 42 00 00 00' },
  { name: 'Petit Coin', address: '2 rue du Bac, Paris', phone: '01 42 00 00 00' },
];

const openTwins = (t: TestContext, options: NewOptions = {}): Promise<App> =>
  openNew(t, { places: TWINS, path: '/duplicates', ...options });

const choice = (page: Page, label: string, value: string): Locator =>
  page.getByRole('radiogroup', { name: label }).getByRole('radio', { name: value, exact: true });

async function statuses(api: Client, ...ids: readonly number[]): Promise<number[]> {
  return Promise.all(ids.map(async (id) => (await api.get(`/restaurants/${id}`)).status));
}

async function pairsLeft({ api }: { readonly api: Client }): Promise<unknown> {
  return field((await api.get('/duplicates')).body, 'total');
}

describe('Possible duplicates', { skip: NO_BROWSER }, () => {
  testAccess('A pair of places that look the same', async (t, options) => {
    const { page } = await openTwins(t, options);
    await page.getByText('1 of 3').waitFor();
    return page;
  });

  mainPath('merges pair after pair by keys, and takes back the last one', async (t) => {
    const { page, service } = await openTwins(t);
    await page.getByText('1 of 3').waitFor();
    await press(page, 'm');
    await page.getByText('1 of 2').waitFor();
    await press(page, 'm');
    await page.getByText('1 of 1').waitFor();
    await page.getByText(/^Merged into/).waitFor();
    await becomes(() => pairsLeft(service), 1);
    await press(page, 'u');
    await page.getByText('Undone: both places are back').waitFor();
    await page.getByText(/^\d of 2/).waitFor();
    assert.equal(await pairsLeft(service), 2);
  });

  test('shows what two places share and what differs, and how sure that is', async (t) => {
    const { page, service } = await openTwins(t, { path: '/duplicates?sel=1-2' });
    await page.getByText(/Same phone · Similar name · Same address · 20 m apart/).waitFor();
    await page.getByText('Almost certainly the same').waitFor();
    assert.equal(await choice(page, 'Name', 'Trattoria Da Enzo').isChecked(), true);
    assert.equal(await choice(page, 'Address', 'Via dei Vascellari 29, Roma').isChecked(), false);
    await page.getByRole('link', { name: 'Open Da Enzo al 29' }).click();
    await page.waitForURL('**/restaurants/2');
    await page.goBack();
    await page.getByText('Almost certainly the same').waitFor();
    // What one of them says alone, and what is the same, is no question.
    await page.goto(`${service.url}/duplicates?sel=3-4`);
    const website = page.getByRole('group', { name: 'Website' });
    await website.getByText('https://sobaya.example/').waitFor();
    assert.equal(await page.getByRole('radiogroup', { name: 'Phone' }).count(), 0);
  });

  mainPath('keeps the place whose name and address are chosen, in one write', async (t) => {
    const { page, service, requests } = await openTwins(t, { path: '/duplicates?sel=1-2' });
    await choice(page, 'Name', 'Da Enzo al 29').check();
    await choice(page, 'Address', 'Via dei Vascellari 29, Roma').check();
    await page.getByRole('button', { name: 'Merge' }).click();
    await page.getByText('Merged into Da Enzo al 29').waitFor();
    assert.deepEqual(await statuses(service.api, 1, 2), [404, 200]);
    const writes = requests.filter((request) => /^(?:POST|PUT)/.test(request));
    assert.deepEqual(writes, ['POST /api/restaurants/2/merge']);
  });

  test('keeps the name of one place and the rest of the other, and takes both back at once', async (t) => {
    const { page, service } = await openTwins(t, { path: '/duplicates?sel=1-2' });
    const { body: before } = await service.api.get('/restaurants/1');
    await choice(page, 'Name', 'Da Enzo al 29').check();
    await page.getByRole('button', { name: 'Merge' }).click();
    await page.getByText('Merged into Da Enzo al 29').waitFor();
    const { body: merged } = await service.api.get('/restaurants/1');
    assert.deepEqual(
      [field(merged, 'name'), field(merged, 'address'), field(merged, 'phone')],
      ['Da Enzo al 29', ENZO.address, ENZO.phone],
    );
    await page.locator('.toasts').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone: both places are back').waitFor();
    assert.deepEqual(await statuses(service.api, 1, 2), [200, 200]);
    assert.equal(field((await service.api.get('/restaurants/1')).body, 'name'), field(before, 'name'));
    await page.getByRole('radiogroup', { name: 'Name' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('sel'), '1-2');
  });

  test('takes the position along with the address', async (t) => {
    const { page, service } = await openTwins(t, { path: '/duplicates?sel=1-2' });
    await choice(page, 'Address', 'Via dei Vascellari 29, Roma').check();
    await press(page, 'm');
    await page.getByText('Merged into Trattoria Da Enzo').waitFor();
    const { body: merged } = await service.api.get('/restaurants/1');
    assert.deepEqual(
      [field(merged, 'name'), field(merged, 'address'), field(merged, 'latitude')],
      [ENZO.name, 'Via dei Vascellari 29, Roma', 41.8886],
    );
  });

  mainPath('notes that two places are different, and takes that back', async (t) => {
    const { page, service } = await openTwins(t);
    await page.getByText('1 of 3').waitFor();
    await press(page, 'n', 'u');
    await page.getByText('Undone: both places are back').waitFor();
    await page.getByText('1 of 3').waitFor();
    assert.equal(await pairsLeft(service), 3);
    await press(page, 'n');
    await page.getByText('Noted as two different places').waitFor();
    await press(page, 'n', 'n');
    await page.getByText('No possible duplicates.').waitFor();
    await becomes(() => pairsLeft(service), 0);
    assert.deepEqual(await statuses(service.api, 1, 2, 3, 4, 5, 6), [200, 200, 200, 200, 200, 200]);
  });

  test('says why a merge is refused, and shows the pair again', async (t) => {
    const { page, service } = await openTwins(t, {
      path: '/duplicates?sel=1-2',
      refusals: [404, 503],
      // The page does not hear of what happens meanwhile.
      prepare: (context) =>
        context.route('**/api/changes/stream**', (route) =>
          route.fulfill({ status: 503, headers: { 'Retry-After': '600' }, json: {} }),
        ),
    });
    await page.getByText('Almost certainly the same').waitFor();
    await service.api.delete('/restaurants/2');
    await press(page, 'm');
    await page.getByText(/^Not saved: /).waitFor();
    assert.deepEqual(await statuses(service.api, 1), [200]);
  });

  test('is one pair after the other on a phone', async (t) => {
    const { page, service } = await openTwins(t, { viewport: { width: 390, height: 844 }, hasTouch: true });
    await page.getByText('1 of 3').waitFor();
    await page.getByRole('button', { name: 'Next' }).tap();
    await page.getByText('2 of 3').waitFor();
    await page.getByRole('button', { name: 'Previous' }).tap();
    await page.getByText('1 of 3').waitFor();
    await page.getByRole('button', { name: 'Merge' }).tap();
    await page.getByText('1 of 2').waitFor();
    await becomes(() => pairsLeft(service), 2);
  });

  test('has more pairs than one page of them, and waits for the next one at the end of a page', async (t) => {
    const service = await startService(t);
    const names = Array.from({ length: 60 }, (_, at) => String.fromCodePoint(0x4e00 + at * 37).repeat(4));
    const lines = names.flatMap((name, at) => [`${name},${at}1 Road`, `${name},"${at}1 Road, Town"`]);
    await importText(service.api, `name,address\n${lines.join('\n')}\n`);
    const { page } = await openApp(t, service, { path: '/duplicates' });
    const held: Route[] = [];
    let isHolding = true;
    await page.route('**/api/duplicates?*cursor=*', (route) =>
      isHolding ? void held.push(route) : route.continue(),
    );
    await page.getByText('1 of 60').waitFor();
    await press(page, ...Array<string>(49).fill('j'));
    await page.getByText('50 of 60').waitFor();
    await until(() => held.length > 0);
    await press(page, 'n');
    await page.getByText('50 of 60').waitFor({ state: 'detached' });
    isHolding = false;
    for (const route of held) await route.continue();
    await page.getByText('50 of 59').waitFor();
    await press(page, ...Array<string>(9).fill('j'));
    await page.getByText('59 of 59').waitFor();
  });

  test('shows pairs to all, and lets only those decide who may write', async (t) => {
    const { page, service } = await openAsAlice(t, { settings: LOCAL, places: TWINS, path: '/settings' });
    await page.getByRole('link', { name: 'Possible duplicates 3' }).click();
    await page.getByRole('button', { name: 'Merge' }).waitFor();
    await page.goto(`${service.url}/activity`);
    await page.getByRole('link', { name: 'Possible duplicates 3' }).click();
    await page.getByText('1 of 3').waitFor();
  });

  test('leaves decisions to administrators where only they write', async (t) => {
    const service = await startService(t, { ...LOCAL, WRITE_ACCESS: 'admins' });
    const [admin, bob] = [await signUp(service, 'anna'), await signUp(service, 'bob')];
    makeAdmin(service, admin);
    for (const place of TWINS) await admin.api.post('/restaurants', place);
    const { page } = await openApp(t, service, { user: bob, path: '/duplicates' });
    await page.getByText('1 of 3').waitFor();
    assert.equal(await page.getByRole('button', { name: /Merge|Not the same/ }).count(), 0);
    assert.equal(await page.getByRole('radio').count(), 0);
    await press(page, 'm', 'n', 'j');
    await page.getByText('2 of 3').waitFor();
    assert.equal(await pairsLeft(bob), 3);
    await page.goto(`${service.url}/settings`);
    await page.getByRole('link', { name: 'API documentation' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Possible duplicates' }).count(), 0);
  });
});
