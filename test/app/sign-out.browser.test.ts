import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, field } from '../support/client.ts';
import { addList } from '../support/lists.ts';
import { readStored, signUp } from '../support/people.ts';
import type { Service } from '../support/service.ts';
import { until } from '../support/until.ts';
import { filesAddress } from '../support/web-app-files.ts';
import { type App, endCookieSessions, fillSignIn, holds, openAsAlice, openTab } from '../support/web-app.ts';

const SECRET = 'Met Dora in secret';
const EIGHT_DAYS = 8 * 86_400_000;

/** Everything that a script of this origin can read in the browser, as one text. */
const READABLE = `(async () => {
  const found = [{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href];
  for (const { name } of await indexedDB.databases()) {
    const db = await new Promise((resolve) => (indexedDB.open(name).onsuccess = (event) => resolve(event.target.result)));
    for (const store of db.objectStoreNames)
      for (const method of ['getAllKeys', 'getAll'])
        found.push(await new Promise((resolve) => {
          const request = db.transaction(store).objectStore(store)[method]();
          request.onsuccess = () => resolve(request.result);
        }));
    db.close();
  }
  for (const name of await caches.keys())
    if (!name.startsWith('shell ')) found.push(...(await (await caches.open(name)).keys()).map(({ url }) => url));
  return JSON.stringify(found, (_, value) => (value instanceof Blob ? 'picture ' + value.name : value));
})()`;

const PERSONAL = /alice|secret|picture|uploads|draft|"user"/i;

/** Waits until nothing that a script can read there is personal. */
const forgets = (page: Page): Promise<void> =>
  holds(page, `${READABLE}.then((text) => !${String(PERSONAL)}.test(text))`);
const readable = (page: Page): Promise<string> => page.evaluate<string>(READABLE);
const signIn = (page: Page) => page.getByRole('link', { name: 'Sign in' }).first();

/** Writes down a visit, as the page of a place does. */
async function visit({ service, page }: App): Promise<void> {
  const base = await filesAddress(service);
  await page.evaluate(`import('${base}/state/actions.js').then(({ act }) =>
    act({ method: 'POST', path: '/visits', body: { restaurant_id: 1, note: '${SECRET}' }, label: 'Visit' }))`);
}

/** Adds a photo, as the page of a place does. */
async function upload({ service, page }: App): Promise<void> {
  const base = await filesAddress(service);
  await page.evaluate(`import('${base}/state/actions.js').then(({ act }) => {
    const body = new FormData();
    body.set('photo', new File(['JPEG'], 'secret.jpg'));
    return act({ method: 'POST', path: '/restaurants/1/photos', body, label: 'Photo', place: 'restaurant 1' });
  })`);
}

/** Lets no write through, as a line that breaks does. */
const cutWrites = (context: BrowserContext): Promise<unknown> =>
  context.route(/\/api\/(visits|ratings|restaurants\/1\/photos)/, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );

const visits = ({ folder }: Service): unknown[] => readStored(folder, 'SELECT note FROM visits');

/** Alice at her settings, who has a visit and a photo that were never sent. */
async function unsent(t: TestContext): ReturnType<typeof openAsAlice> {
  const app = await openAsAlice(t, {
    places: [{ name: 'Soba Ya' }],
    path: '/settings/account',
    unreachable: true,
    refusals: [400, 401],
    prepare: cutWrites,
  });
  await visit(app);
  await upload(app);
  await app.page.getByText('2 waiting').waitFor();
  return app;
}

describe('the sign-out of the web app', { skip: NO_BROWSER }, () => {
  test('asks about what was never sent, and can send it first', async (t) => {
    const { page, context, service } = await unsent(t);
    await page.getByRole('button', { name: 'Sign out' }).click();
    const dialog = page.getByRole('dialog', { name: '2 changes have not been sent' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('2 waiting').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await context.unrouteAll();
    await dialog.getByRole('button', { name: 'Send first' }).click();
    // The service refuses the photo, which is none: that is left to decide about.
    await page.getByRole('dialog', { name: '1 change has not been sent' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Send first' }).count(), 0);
    assert.deepEqual(visits(service), [{ note: SECRET }]);
    await page.getByRole('button', { name: 'Delete and sign out' }).click();
    await signIn(page).waitFor();
    assert.doesNotMatch(await readable(page), PERSONAL);
  });

  mainPath('leaves nothing personal, not even of a tab that goes on writing', async (t) => {
    const app = await unsent(t);
    const { page, context, service, alice } = app;
    await addList(alice.api, 'A secret list');
    const other = await openTab(t, app, '/lists', { unreachable: true, refusals: [401] });
    await other.page.getByRole('link', { name: 'A secret list' }).waitFor();
    const base = await filesAddress(service);
    await page.evaluate(`localStorage.setItem('draft add', '{"text":"A secret place"}');
      caches.open('thumbnails').then((cache) => cache.put('/api/uploads/thumbnails/1.jpg', new Response('')))`);
    for (const part of ['alice@', 'Met Dora', 'picture secret.jpg', 'A secret list'])
      await holds(page, `${READABLE}.then((text) => text.includes('${part}'))`);
    await other.page.evaluate(`import('${base}/state/actions.js').then(({ act }) => {
      const body = { restaurant_id: 1, note: '${SECRET}' };
      setInterval(() => act({ method: 'POST', path: '/visits', body, label: 'Visit' }), 100);
    })`);
    await other.page.evaluate(`import('${base}/state/store.js').then(({ setDraft }) => {
      setInterval(() => setDraft('edit 1', { own: { name: 'secret' } }), 50);
    })`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Delete and sign out' }).click();
    await signIn(other.page).waitFor();
    await page.waitForURL(`${service.url}/`);
    await signIn(page).waitFor();
    await page.reload();
    await signIn(page).waitFor();
    assert.doesNotMatch(await readable(page), PERSONAL);
    assert.doesNotMatch(await other.page.locator('body').innerText(), /secret/i);
    assert.deepEqual(await context.cookies(), []);
    const sessions = array((await alice.api.get('/auth/sessions')).body);
    assert.equal(
      sessions.some((session) => field(session, 'cookie') === true),
      false,
    );
  });

  test('of a deleted account leaves nothing either, and says that it is deleted', async (t) => {
    const { page, service, alice } = await unsent(t);
    // The account is gone, whether or not the sign-out after it comes through.
    await page.route('**/api/auth/logout', (route) => route.abort());
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('dialog').getByLabel('Current password').fill(alice.password);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
    await page.getByText('Your account has been deleted.').waitFor();
    await signIn(page).waitFor();
    assert.equal(page.url(), `${service.url}/`);
    assert.doesNotMatch(await readable(page), PERSONAL);
  });
});

describe('a session of the web app that ended elsewhere', { skip: NO_BROWSER }, () => {
  test('leaves neither the email nor an answer, and drafts and what was not sent for the same account alone', async (t) => {
    const app = await unsent(t);
    const { page, context, service, alice } = app;
    // Either tab may send the photo, which is none.
    const other = await openTab(t, app, '/lists', { unreachable: true, refusals: [400, 401] });
    await other.page.getByRole('link', { name: /Want to go/ }).waitFor();
    await page.evaluate(`localStorage.setItem('draft add', '{"text":"A secret place"}')`);
    await endCookieSessions(alice);
    await page.reload();
    await signIn(page).waitFor();
    await signIn(other.page).waitFor();
    await other.page.getByRole('link', { name: /Want to go/ }).waitFor({ state: 'detached' });
    await holds(page, `${READABLE}.then((text) => !/alice|Want to go/i.test(text))`);
    assert.match(await readable(page), /Met Dora/);
    await page.getByText('2 waiting').waitFor({ state: 'detached' });
    await page.goto(`${service.url}/settings/outbox`);
    await page.getByText('The last account used in this browser has 2 changes left to send.').waitFor();
    assert.equal(await page.locator('.outbox').count(), 0);
    await page.goto(`${service.url}/sign-in`);
    await context.unrouteAll();
    await fillSignIn(page, alice);
    await until(() => visits(service).length === 1);
    assert.match(String(await page.evaluate(`localStorage.getItem('draft ${alice.id} add')`)), /secret/);
  });

  test('leaves no email where it ended on the page of the documentation, with no tab of the app', async (t) => {
    const { page: app, context, service } = await openAsAlice(t);
    await holds(app, `${READABLE}.then((text) => text.includes('alice@'))`);
    await app.evaluate(`localStorage.setItem('signed in at', '1')`);
    const page = await context.newPage();
    await app.close();
    await page.goto(`${service.url}/api/docs`);
    await page.getByRole('button', { name: 'alice' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await holds(page, `!JSON.stringify({ ...localStorage }).includes('alice')`);
  });

  test('has what was not sent deleted by whoever uses the browser then, after a question', async (t) => {
    const { page, service, alice } = await unsent(t);
    await endCookieSessions(alice);
    await page.reload();
    await signIn(page).waitFor();
    await page.goto(`${service.url}/settings/outbox`);
    await page.getByRole('button', { name: 'Delete now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('Nothing is waiting to be sent.').waitFor();
    await forgets(page);
  });

  test('has what was not sent deleted when another account signs in', async (t) => {
    const { page, service, alice } = await unsent(t);
    const bob = await signUp(service, 'bob');
    await page.evaluate(`localStorage.setItem('draft ${alice.id} add', '{"text":"A secret place"}')`);
    await endCookieSessions(alice);
    await page.reload();
    await signIn(page).waitFor();
    await page.goto(`${service.url}/sign-in?to=/lists`);
    await fillSignIn(page, bob);
    await page.waitForURL(`${service.url}/lists`);
    await page.getByLabel('Settings of bob').first().waitFor();
    await holds(page, `${READABLE}.then((text) => !/alice|secret|picture/i.test(text))`);
  });

  test('has what was not sent deleted after some days', async (t) => {
    const { page, alice } = await unsent(t);
    await endCookieSessions(alice);
    await page.reload();
    await signIn(page).waitFor();
    await page.evaluate(`localStorage.setItem('ended', String(Date.now() - ${EIGHT_DAYS}))`);
    await page.reload();
    await signIn(page).waitFor();
    await forgets(page);
  });

  test('keeps a visit that was being sent until the same account signs in again', async (t) => {
    const app = await openAsAlice(t, { places: [{ name: 'Soba Ya' }], refusals: [401] });
    const { page, service, alice } = app;
    await endCookieSessions(alice);
    await visit(app);
    await page.getByText('Will be sent when you sign in again').waitFor();
    await signIn(page).click();
    await fillSignIn(page, alice);
    await until(() => visits(service).length === 1);
  });

  test('shows another account nothing of what the page still knew', async (t) => {
    const { page, service, alice } = await openAsAlice(t, { path: '/settings/tokens', refusals: [401] });
    const bob = await signUp(service, 'bob');
    await page.getByLabel('What it is for').fill('nightly import');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('nightly import').waitFor();
    await endCookieSessions(alice);
    await page.getByRole('link', { name: 'Where you are signed in' }).click();
    await page.getByText('Your session has ended.').waitFor();
    await signIn(page).click();
    await fillSignIn(page, bob);
    await page.getByLabel('Settings of bob').first().click();
    await page.getByRole('link', { name: 'API tokens' }).click();
    await page.getByText('You have no tokens.').waitFor();
    assert.equal(await page.getByLabel('nightly import').count(), 0);
  });
});
