import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, bodyOf, field, textOf } from '../support/client.ts';
import { addItems, addList, addRestaurants, namesOn } from '../support/lists.ts';
import { LOCAL, type Person, signUp } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';
import { becomes } from '../support/until.ts';
import { AWAY, CONTROLLED } from '../support/web-app-offline.ts';
import {
  type App,
  type AppOptions,
  PHONE,
  fillSignIn,
  holds,
  openApp,
  scrollsSideways,
  settled,
  testAccess,
} from '../support/web-app.ts';

const NOTE = 'Ask for the terrace';
const GONE = 'This link does not work any more';
const NO_LONGER_ON_IT = 'This list was deleted, or you are not on it any more.';

interface Friday {
  readonly service: Service;
  readonly anna: Person;
  readonly ben: Person;
  readonly list: number;
}

/** Anna's list Friday with the places Soba Ya, with a note, and Chez Nous, which ben may join. La Esquina is on no list. */
async function startFriday(t: TestContext): Promise<Friday> {
  const service = await startService(t, LOCAL);
  const anna = await signUp(service, 'anna');
  const ben = await signUp(service, 'ben');
  const position = { latitude: 48.86, longitude: 2.34 };
  await anna.api.post('/restaurants', { name: 'Soba Ya', address: 'Rue Une 1', ...position });
  await addRestaurants(anna.api, 'Chez Nous', 'La Esquina');
  const list = await addList(anna.api, 'Friday');
  await addItems(anna.api, list, [1, 2]);
  await anna.api.put(`/lists/${list}/items/1`, { note: NOTE });
  return { service, anna, ben, list };
}

/** The address of a new link. */
async function linkTo({ anna }: Friday, list: number | string, body: object): Promise<string> {
  return textOf(bodyOf(await anna.api.post(`/lists/${list}/links`, body)), 'url');
}

/** Has ben join the list. */
async function join(friday: Friday): Promise<void> {
  const url = await linkTo(friday, friday.list, { access: 'join' });
  bodyOf(await friday.ben.api.post(`/shared/${url.slice('/l/'.length)}/join`, {}));
}

/** The list as one of its people looks at it. */
const openList = (
  t: TestContext,
  { service, list }: Friday,
  user: Person,
  options: AppOptions = {},
): Promise<App> => openApp(t, service, { user, path: `/lists/${list}`, ...options });

/** Shares the list that is open by a button of its dialog, and returns the link. */
async function shareBy(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Share', exact: true }).first().click();
  await page.getByRole('button', { name }).click();
  return page.getByRole('textbox', { name: 'Link to Friday' }).inputValue();
}

const rows = (page: Page, names = '.items .name'): Promise<string[]> => page.locator(names).allTextContents();

/** Whether anything in the storage of the browser contains a text. */
const isStored = (page: Page, text: string): Promise<boolean> =>
  page.evaluate<boolean>(`(async () => {
    const found = [JSON.stringify({ ...localStorage })];
    for (const { name } of await indexedDB.databases()) {
      const opening = indexedDB.open(name);
      const db = await new Promise((resolve) => (opening.onsuccess = () => resolve(opening.result)));
      for (const store of db.objectStoreNames)
        for (const what of ['getAll', 'getAllKeys']) {
          const reading = db.transaction(store).objectStore(store)[what]();
          await new Promise((resolve) => (reading.onsuccess = resolve));
          found.push(JSON.stringify(reading.result));
        }
      db.close();
    }
    for (const name of await caches.keys())
      for (const request of await (await caches.open(name)).keys()) {
        found.push(request.url);
        const answer = await caches.match(request, { ignoreVary: true });
        if (/html|json/.test(answer.headers.get('content-type'))) found.push(await answer.text());
      }
    return found.join().includes(${JSON.stringify(text)});
  })()`);

describe('A link to a list', { skip: NO_BROWSER }, () => {
  testAccess('The dialog that shares a list, with a link,', async (t, options) => {
    const friday = await startFriday(t);
    await join(friday);
    const { page } = await openList(t, friday, friday.anna, options);
    await shareBy(page, 'Show it to anyone with the link');
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    await page.getByText('Lets friends join').waitFor();
    return page;
  });

  testAccess('The page of a link to join a list', async (t, options) => {
    const friday = await startFriday(t);
    const path = await linkTo(friday, friday.list, { access: 'join' });
    const { page } = await openApp(t, friday.service, { ...options, path });
    await page.locator('.list-map canvas').first().waitFor();
    return page;
  });

  mainPath('shows its places to anyone, and no notes unless its owner says so', async (t) => {
    const friday = await startFriday(t);
    const { page } = await openList(t, friday, friday.anna);
    const link = await shareBy(page, 'Show it to anyone with the link');
    assert.match(link, /\/l\/[\w-]{43}$/);
    await page.getByText('Shows the list').waitFor();
    const path = new URL(link).pathname;
    const stranger = await openApp(t, friday.service, { path, viewport: PHONE, hasTouch: true });
    await stranger.page.getByRole('heading', { name: 'Friday' }).waitFor();
    assert.deepEqual(await rows(stranger.page), ['Soba Ya', 'Chez Nous']);
    assert.equal(await stranger.page.title(), 'Friday - Catalogue');
    assert.equal(await stranger.page.getByText(NOTE).count(), 0);
    assert.equal(await stranger.page.getByRole('button', { name: 'join' }).count(), 0);
    await stranger.page.locator('.list-map canvas').first().waitFor();
    await page.getByLabel('With my notes').check();
    await page.getByRole('button', { name: 'Show it to anyone with the link' }).click();
    const field = page.getByRole('textbox', { name: 'Link to Friday' });
    await holds(page, `document.querySelector('.copy input').value !== ${JSON.stringify(link)}`);
    await stranger.page.goto(await field.inputValue());
    await stranger.page.getByText(NOTE).waitFor();
    await stranger.page.getByRole('link', { name: 'Soba Ya' }).click();
    await stranger.page.waitForURL('**/restaurants/1');
  });

  test('carries the list in its document, and is not asked for again', async (t) => {
    const friday = await startFriday(t);
    const path = await linkTo(friday, friday.list, { access: 'read' });
    const { requests } = await openApp(t, friday.service, { path });
    assert.deepEqual(requests, []);
  });

  test('is handed to the system with a message, where it can send one', async (t) => {
    const friday = await startFriday(t);
    const { page } = await openList(t, friday, friday.anna, {
      prepare: (context) =>
        context.addInitScript(`navigator.share = async (given) => (window.given = given)`),
    });
    const url = await shareBy(page, 'Show it to anyone with the link');
    const given = await page.evaluate('window.given');
    assert.deepEqual(given, { title: 'Link to Friday', text: 'Friday: 2 places', url });
  });

  test('is copied with a message elsewhere', async (t) => {
    const friday = await startFriday(t);
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page } = await openList(t, friday, friday.anna, { permissions });
    const link = await shareBy(page, 'Keep it together');
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.equal(copied, `Friday: 2 places. Join in and add yours.\n${link}`);
  });

  test('does not let anyone join a list that everybody has', async (t) => {
    const { service, anna } = await startFriday(t);
    const { page } = await openApp(t, service, { user: anna, path: '/lists/want' });
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('button', { name: 'Show it to anyone with the link' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Keep it together' }).count(), 0);
  });

  test('shows a list where there are no accounts, and offers no way to join it', async (t) => {
    const service = await startService(t);
    await addRestaurants(service.api, 'Soba Ya');
    const list = await addList(service.api, 'Friday');
    await addItems(service.api, list, [1]);
    const { page } = await openApp(t, service, { path: `/lists/${list}` });
    const link = await shareBy(page, 'Show it to anyone with the link');
    assert.equal(await page.getByRole('button', { name: 'Keep it together' }).count(), 0);
    const stranger = await openApp(t, service, { path: new URL(link).pathname });
    assert.deepEqual(await rows(stranger.page), ['Soba Ya']);
  });

  test('ends when its owner says so, at once and everywhere, and is stored nowhere', async (t) => {
    const friday = await startFriday(t);
    const path = await linkTo(friday, friday.list, { access: 'read', notes: true });
    const stranger = await openApp(t, friday.service, { path, worker: true, refusals: [404], ...AWAY });
    await holds(stranger.page, CONTROLLED);
    await stranger.page.reload();
    await stranger.page.getByText(NOTE).waitFor();
    for (const text of [path.slice('/l/'.length), NOTE, 'Soba Ya'])
      assert.equal(await isStored(stranger.page, text), false, text);
    await stranger.context.setOffline(true);
    await stranger.page.reload();
    await stranger.page.getByText('The service cannot be reached.').waitFor();
    await stranger.context.setOffline(false);
    await stranger.page.reload();
    await stranger.page.getByText(NOTE).waitFor();
    const { page } = await openList(t, friday, friday.anna);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('button', { name: 'Stop sharing' }).click();
    await page.getByText('The link does not work any more.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Stop sharing' }).count(), 0);
    await stranger.page.reload();
    await stranger.page.getByRole('heading', { name: GONE }).waitFor();
    assert.equal(await stranger.page.getByText('Soba Ya').count(), 0);
  });

  test('is not sent to other addresses, also where the page came about without loading', async (t) => {
    const friday = await startFriday(t);
    const path = await linkTo(friday, friday.list, { access: 'join' });
    const { page, service } = await openApp(t, friday.service, { path: `/sign-in?to=${path}` });
    const referrers: string[] = [];
    page.on('request', (request) => {
      referrers.push(request.headers()['referer'] ?? '');
    });
    await fillSignIn(page, friday.ben);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.waitForURL('**/lists/*');
    await settled(page);
    assert.deepEqual(
      referrers.filter((one) => one.startsWith(`${service.url}/l/`)),
      [],
    );
  });
});

describe('A list that several people keep', { skip: NO_BROWSER }, () => {
  testAccess('A list that several people keep', async (t, options) => {
    const friday = await startFriday(t);
    await join(friday);
    const { page } = await openList(t, friday, friday.ben, options);
    await page.getByText('added by anna').first().waitFor();
    return page;
  });

  mainPath('is joined by one press, and stands among the own lists', async (t) => {
    const friday = await startFriday(t);
    const path = await linkTo(friday, friday.list, { access: 'join' });
    const { page } = await openApp(t, friday.service, { user: friday.ben, path });
    await page.getByRole('button', { name: 'Join' }).click();
    await page.waitForURL(`**/lists/${friday.list}`);
    await page.getByText('You are on Friday now.').waitFor();
    await page.getByText("anna's list · 2 people").waitFor();
    assert.deepEqual(await rows(page), ['Soba Ya', 'Chez Nous']);
    await page.getByText(NOTE).waitFor();
    await page.getByRole('link', { name: 'Lists' }).first().click();
    await page.getByRole('link', { name: 'Friday' }).waitFor();
    await page.getByText("anna's list · 2 people").waitFor();
  });

  test('is joined by who signs in first, without another press', async (t) => {
    const friday = await startFriday(t);
    const path = await linkTo(friday, friday.list, { access: 'join' });
    const { page } = await openApp(t, friday.service, { path, viewport: PHONE });
    await page.getByRole('button', { name: 'Sign in to join' }).click();
    await fillSignIn(page, friday.ben);
    await page.waitForURL(`**/lists/${friday.list}`);
    await page.getByText('You are on Friday now.').waitFor();
    assert.equal(array((await friday.anna.api.get(`/lists/${friday.list}/members`)).body).length, 2);
  });

  mainPath('grows on the screens of all, and leaves the focus where it is', async (t) => {
    const friday = await startFriday(t);
    await join(friday);
    const owner = await openList(t, friday, friday.anna);
    await owner.page.getByRole('link', { name: 'Chez Nous' }).focus();
    const { page } = await openApp(t, friday.service, { user: friday.ben, path: '/restaurants/3' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('checkbox', { name: "Friday 2 places · anna's list" }).check();
    await page.getByText('Added La Esquina to Friday').waitFor();
    await owner.page.bringToFront();
    await owner.page.getByRole('link', { name: 'La Esquina' }).waitFor();
    await owner.page.locator('.row', { hasText: 'La Esquina' }).getByText('added by ben').waitFor();
    // A row that others move does not lose the focus.
    await friday.ben.api.put(`/lists/${friday.list}/items/2`, { position: 1 });
    await holds(owner.page, `document.querySelector('.items .name').textContent === 'Chez Nous'`);
    await holds(owner.page, `document.activeElement?.textContent === 'Chez Nous'`);
    await friday.ben.api.put(`/lists/${friday.list}`, { name: 'Saturday' });
    await owner.page.getByRole('heading', { name: 'Saturday' }).waitFor();
  });

  test('is changed by its members as by its owner, but for its end', async (t) => {
    const friday = await startFriday(t);
    await join(friday);
    const { page } = await openList(t, friday, friday.ben);
    await page.getByRole('button', { name: 'Edit order' }).click();
    await page.getByRole('button', { name: 'Remove Chez Nous' }).click();
    assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Share', exact: true }).count(), 0);
    await page.getByText('Removed Chez Nous from Friday.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone').waitFor();
    await page.getByRole('button', { name: 'Move Soba Ya down' }).click();
    await page.getByText('Moved Soba Ya to number 2.').waitFor();
    assert.deepEqual(await namesOn(friday.anna.api, friday.list), ['Chez Nous', 'Soba Ya']);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Saturday');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Saturday' }).waitFor();
    assert.equal(field((await friday.anna.api.get(`/lists/${friday.list}`)).body, 'name'), 'Saturday');
  });

  test('is gone from the screen of a member whom its owner removes', async (t) => {
    const friday = await startFriday(t);
    await join(friday);
    const prepare: AppOptions['prepare'] = (context) => context.clock.install();
    const member = await openList(t, friday, friday.ben, { prepare, refusals: [404] });
    await member.page.getByText('added by anna').first().waitFor();
    const { page } = await openList(t, friday, friday.anna);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('button', { name: 'Remove ben' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Removed ben from Friday.').waitFor();
    await member.page.bringToFront();
    // The stream says nothing of who is on a list, so the page asks every minute.
    await member.page.clock.fastForward('01:01');
    await member.page.getByText(NO_LONGER_ON_IT).waitFor();
    await member.page.getByRole('link', { name: 'All lists' }).click();
    await becomes(() => rows(member.page, '.row .name'), ['Want to go', 'Favourites']);
    // Once: what is gone is not asked for over and over.
    const asked = member.requests.filter((one) => one === `GET /api/lists/${friday.list}?include=items`);
    assert.ok(asked.length <= 4, String(asked.length));
  });

  test('is left by a member, after a question', async (t) => {
    const friday = await startFriday(t);
    await join(friday);
    const { page } = await openList(t, friday, friday.ben, { viewport: { width: 320, height: 640 } });
    await page.getByRole('button', { name: 'People' }).click();
    await page.getByText('Owner').waitFor();
    assert.equal(await scrollsSideways(page), false);
    assert.equal(await page.getByRole('button', { name: 'Keep it together' }).count(), 0);
    await page.getByRole('button', { name: 'Leave this list' }).click();
    await page.getByRole('heading', { name: 'Leave Friday?' }).waitFor();
    await page.getByRole('button', { name: 'Leave this list' }).click();
    await page.getByText('You left Friday.').waitFor();
    assert.equal(new URL(page.url()).pathname, '/lists');
    await becomes(() => rows(page, '.row .name'), ['Want to go', 'Favourites']);
    assert.equal((await friday.ben.api.get(`/lists/${friday.list}`)).status, 404);
  });

  test('needs no scrolling sideways at 320 pixels, with what shares it', async (t) => {
    const friday = await startFriday(t);
    await join(friday);
    const { page } = await openList(t, friday, friday.anna, { viewport: { width: 320, height: 640 } });
    assert.equal(await scrollsSideways(page), false);
    await shareBy(page, 'Keep it together');
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    const dialog = await page.evaluate(
      `(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('dialog'))`,
    );
    assert.equal(dialog, true);
    await page.goto(friday.service.url + (await linkTo(friday, friday.list, { access: 'join' })));
    await settled(page);
    assert.equal(await scrollsSideways(page), false);
  });
});
