import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, describe } from 'node:test';
import jsQr from 'jsqr';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, field, textOf } from '../support/client.ts';
import { makeFeed } from '../support/feeds.ts';
import { addLink } from '../support/lists.ts';
import { LOCAL, type Person, makeAdmin, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { becomes } from '../support/until.ts';
import {
  type App,
  type NewOptions,
  PHONE,
  holds,
  openApp,
  openNew,
  press,
  settled,
} from '../support/web-app.ts';

/** What a camera reads in a QR code that is drawn as squares of a path, eight pixels a square. */
function readCode(path: string, size: number): string | undefined {
  const side = size * 8;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [, x = '', y = ''] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let at = 0; at < 64; at += 1) {
      const start = ((Number(y) * 8 + (at >> 3)) * side + Number(x) * 8 + (at & 7)) * 4;
      pixels.fill(0, start, start + 3);
    }
  return jsQr.default(pixels, side, side)?.data;
}

interface Settings extends App {
  readonly bob: Person;
  readonly carol: Person;
}

/** Opens a part of the settings as Bob, or as the administrator Carol. */
async function openSettings(
  t: TestContext,
  part: string,
  { as = 'bob', settings = {}, ...options }: NewOptions & { readonly as?: 'bob' | 'carol' } = {},
): Promise<Settings> {
  const service = await startService(t, { ...LOCAL, ...settings });
  const people = { bob: await signUp(service, 'bob'), carol: await signUp(service, 'carol') };
  makeAdmin(service, people.carol);
  const app = await openApp(t, service, { user: people[as], path: `/settings${part}`, ...options });
  return { ...app, ...people };
}

describe('the settings of the web app', { skip: NO_BROWSER }, () => {
  test('lead to all screens that the bar of a phone has no room for', async (t) => {
    const { page } = await openSettings(t, '', { viewport: PHONE });
    const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
    assert.deepEqual(
      (await links.allTextContents()).map((text) => text.trim()),
      [
        'Suggestions',
        'Activity',
        'Possible duplicates',
        'Account',
        'Where you are signed in',
        'API tokens',
        'Calendar and feeds',
        'Import and export',
        'Appearance and keys',
        'Waiting to be sent',
        'Manual',
        'API documentation',
      ],
    );
    await links.getByText('API tokens').click();
    await page.getByRole('heading', { name: 'API tokens' }).waitFor();
    await page.getByRole('link', { name: 'All settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  });

  for (const [access, days, text] of [
    [
      'users',
      '30',
      /Everyone with an account can add, change and delete.* Deletions can be undone for 30 days\./,
    ],
    ['admins', '0', /Only administrators can add, change and delete places.* Deletions cannot be undone\./],
  ] as const)
    test(`say who may change what where WRITE_ACCESS is ${access}`, async (t) => {
      const { page } = await openSettings(t, '/account', {
        settings: { WRITE_ACCESS: access, TRASH_DAYS: days },
      });
      await page.getByText(text).waitFor();
    });

  test('say that people are for administrators', async (t) => {
    const { page, requests } = await openSettings(t, '/people');
    await page.getByText('For administrators').waitFor();
    assert.deepEqual(
      requests.filter((request) => /users|invitations/.test(request)),
      [],
    );
  });

  mainPath('change the names of the account', async (t) => {
    const { page, bob } = await openSettings(t, '/account', { refusals: [409] });
    await page.getByLabel('Name', { exact: true }).fill('carol');
    await press(page, 'Enter');
    await page.getByText('This is taken already.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('bobby');
    await page.getByLabel('Full name').fill('Robert');
    await press(page, 'Enter');
    await page.getByText('Saved').waitFor();
    await page.getByRole('link', { name: 'Settings of bobby' }).first().waitFor();
    assert.equal(textOf((await bob.api.get('/auth/me')).body, 'full_name'), 'Robert');
  });

  test('change the password, say what is still valid, and end it', async (t) => {
    const { page, bob, service } = await openSettings(t, '/account', { refusals: [403] });
    const feed = await makeFeed(bob.api);
    await addLink(bob.api, 'want');
    await page.getByLabel('Current password').fill('no such password');
    await page.getByLabel('New password').fill('another long password');
    await press(page, 'Enter');
    await page.getByRole('alert').getByText('This is not your password.').waitFor();
    await page.getByLabel('Current password').fill(bob.password);
    await press(page, 'Enter');
    await page.getByText('Password changed. All other devices are signed out.').waitFor();
    await becomes(() => page.getByLabel('New password').inputValue(), '');
    const left = page.getByText('API tokens (0), calendars and feeds (1), links to lists and outings (1).');
    await left.waitFor();
    await page.locator('.toasts').getByRole('button', { name: 'End all access' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all access' }).click();
    await page.getByText('All access has ended').waitFor();
    await left.waitFor({ state: 'detached' });
    assert.equal((await service.api.send(feed, {})).status, 404);
  });

  test('download all that is stored of the user', async (t) => {
    const { page } = await openSettings(t, '/account');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download my data' }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), 'my-data.ndjson');
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n');
    const types = lines.map((line): unknown => field(JSON.parse(line), 'type'));
    assert.ok(types.includes('user') && types.includes('list'), types.join());
  });

  test('delete the account after its password', async (t) => {
    const { page, service, bob } = await openSettings(t, '/account', { refusals: [401, 403] });
    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill('no such password');
    await press(page, 'Enter');
    await dialog.getByRole('alert').getByText('This is not your password.').waitFor();
    await dialog.getByLabel('Current password').fill(bob.password);
    await press(page, 'Enter');
    await page.getByText('Your account has been deleted.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    const login = { email: bob.email, password: bob.password };
    assert.equal((await service.api.post('/auth/login', login)).status, 401);
  });

  test('list where the user is signed in, and end that elsewhere', async (t) => {
    const { page, bob } = await openSettings(t, '/sessions');
    assert.equal(await page.locator('.lines li').count(), 2);
    await page.getByRole('button', { name: 'Sign out there' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out there' }).click();
    await page.getByText('Signed out there').waitFor();
    await holds(page, `document.querySelectorAll('.lines li').length === 1`);
    assert.equal((await bob.api.get('/auth/me')).status, 401);
  });

  mainPath('make a token, show its secret once, and delete it', async (t) => {
    const { page, service, bob } = await openSettings(t, '/tokens');
    await page.getByLabel('What it is for').fill('nightly import');
    await page.getByRole('button', { name: 'Create token' }).click();
    const secret = await page.getByLabel('nightly import').inputValue();
    const answer = await service.api.get('/auth/me', { Authorization: `Bearer ${secret}` });
    assert.equal(answer.status, 200);
    await page.reload();
    await settled(page);
    assert.equal(await page.getByLabel('nightly import').count(), 0);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed the token').waitFor();
    assert.deepEqual((await bob.api.get('/auth/tokens')).body, []);
  });
});

describe('calendar and feeds in the settings of the web app', { skip: NO_BROWSER }, () => {
  mainPath('make an address, show it once, and remove it', async (t) => {
    const { page, service, bob } = await openSettings(t, '/feeds');
    const name = 'Your visits in your calendar';
    await page.getByText('Anyone who has one can read it').waitFor();
    await page.getByRole('button', { name: `Create address: ${name}` }).click();
    const address = await page.getByLabel(name, { exact: true }).and(page.getByRole('textbox')).inputValue();
    assert.match(address, /\/feeds\/[\w-]{43}\.ics$/);
    const path = address.replace(service.url, '');
    assert.equal((await service.api.send(path, {})).status, 200);
    await page.getByText('Copy it now: you will not see it again.').waitFor();
    await page.reload();
    await settled(page);
    assert.equal(await page.getByRole('textbox', { name }).count(), 0);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed the address').waitFor();
    await page.getByRole('button', { name: 'Remove' }).waitFor({ state: 'detached' });
    assert.deepEqual((await bob.api.get('/feeds')).body, []);
    assert.equal((await service.api.send(path, {})).status, 404);
  });

  test('make an address for a feed reader, and say when there are too many', async (t) => {
    const { page, service, bob } = await openSettings(t, '/feeds', { refusals: [409] });
    for (let count = 0; count < 19; count += 1) await bob.api.post('/feeds', { kind: 'visits' });
    const create = page.getByRole('button', { name: 'Create address: What is new, in a feed reader' });
    await create.click();
    const address = await page.getByRole('textbox', { name: 'What is new, in a feed reader' }).inputValue();
    assert.match(address.replace(service.url, ''), /^\/feeds\/[\w-]{43}\.atom$/);
    await create.click();
    await page.getByText('There is no room for more.').waitFor();
  });

  test('are there without accounts', async (t) => {
    const { page } = await openNew(t, { path: '/settings/feeds' });
    await page.getByRole('button', { name: 'Create address: Your visits in your calendar' }).click();
    await page.getByRole('textbox', { name: 'Your visits in your calendar' }).waitFor();
  });
});

describe('the people in the settings of the web app', { skip: NO_BROWSER }, () => {
  test('are found, kept out, and let in again by Undo', async (t) => {
    const { page, service, bob } = await openSettings(t, '/people', { as: 'carol' });
    assert.equal(await page.locator('.lines').first().locator('li').count(), 2);
    await page.getByLabel('Find people').fill('bob');
    await press(page, 'Enter');
    await page.waitForURL('**/settings/people?who=bob');
    await page.getByRole('button', { name: 'Manage bob' }).click();
    await page.getByRole('button', { name: 'Block sign-in' }).click();
    await page.getByText('bob can no longer sign in').waitFor();
    const login = { email: bob.email, password: bob.password };
    assert.equal((await service.api.post('/auth/login', login)).status, 401);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('bob can sign in again').waitFor();
    assert.equal((await service.api.post('/auth/login', login)).status, 200);
  });

  test('get a link for a new password', async (t) => {
    const { page, service } = await openSettings(t, '/people', { as: 'carol' });
    await page.getByRole('button', { name: 'Manage bob' }).click();
    await page.getByRole('button', { name: 'Link for a new password' }).click();
    const link = await page.getByRole('dialog').getByLabel('Link for a new password').inputValue();
    assert.match(link.replace(service.url, ''), /^\/reset#rst_/);
  });

  test('are signed out everywhere, and deleted, after a question', async (t) => {
    const { page, bob, carol } = await openSettings(t, '/people', { as: 'carol' });
    await page.getByRole('button', { name: 'Manage bob' }).click();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog', { name: 'Sign bob out everywhere?' }).waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByText('Signed bob out everywhere').waitFor();
    assert.equal((await bob.api.get('/auth/me')).status, 401);
    await page.getByRole('button', { name: 'Manage bob' }).click();
    await page.getByRole('button', { name: 'End all access' }).click();
    await page.getByRole('dialog', { name: 'End all access to the account of bob?' }).waitFor();
    await page.getByRole('button', { name: 'End all access' }).click();
    await page.getByText('Ended all access to the account of bob').waitFor();
    await page.getByRole('button', { name: 'Manage bob' }).click();
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('dialog', { name: 'Delete the account of bob?' }).waitFor();
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByText('Deleted the account of bob').waitFor();
    assert.equal((await carol.api.get(`/users/${bob.id}`)).status, 404);
  });

  test('are invited by a link that the system shares, where it can', async (t) => {
    const prepare: NewOptions['prepare'] = (context) =>
      context.addInitScript(`navigator.share = async ({ title }) => (window.shared = title)`);
    const { page } = await openSettings(t, '/invitations', { as: 'carol', prepare });
    await page.getByLabel('Who it is for').fill('Ben');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Share' }).click();
    await holds(page, `window.shared === 'Link for Ben'`);
  });

  mainPath('are invited by a link that is shown once', async (t) => {
    const { page, service, carol } = await openSettings(t, '/invitations', { as: 'carol' });
    await page.getByLabel('Who it is for').fill('Dora');
    await page.getByRole('button', { name: 'Create invitation' }).click();
    const link = await page.getByLabel('Link for Dora').inputValue();
    assert.match(link.replace(service.url, ''), /^\/join#inv_/);
    const code = page.getByRole('img', { name: 'QR code of the link' });
    const size = Number((await code.getAttribute('viewBox'))?.split(' ')[2]);
    assert.equal(readCode((await code.locator('path').getAttribute('d')) ?? '', size), link);
    await page.getByText('This link works on this computer only.').waitFor();
    await page.getByText('For Dora', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed the invitation').waitFor();
    assert.deepEqual(array((await carol.api.get('/invitations')).body), []);
  });
});

describe('the map in the settings of the web app', { skip: NO_BROWSER }, () => {
  test('leads an administrator to streets in four steps', async (t) => {
    const { page } = await openSettings(t, '/map', { as: 'carol' });
    assert.equal(await page.locator('.steps li').count(), 4);
    await page.getByText('MAP_TILES=').waitFor();
  });
});

describe('the appearance in the settings of the web app', { skip: NO_BROWSER }, () => {
  mainPath('takes a theme of its own, at once and after a reload', async (t) => {
    const { page } = await openNew(t, { path: '/settings/appearance', colorScheme: 'light' });
    await page.getByLabel('Dark').check();
    await holds(page, `document.documentElement.dataset.theme === 'dark'`);
    await page.reload();
    await settled(page);
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    await page.getByLabel('Same as the system').check();
    await holds(page, `document.documentElement.dataset.theme === 'light'`);
  });

  test('switches single keys off', async (t) => {
    const { page } = await openNew(t, { path: '/settings/appearance' });
    await page.getByLabel('Keyboard shortcuts').uncheck();
    await page.locator('h1').click();
    await press(page, '?');
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.getByLabel('Keyboard shortcuts').check();
    await press(page, '?');
    await page.getByRole('dialog').waitFor();
  });

  test('offers to install the app where the browser can', async (t) => {
    const { page } = await openNew(t, { path: '/settings/appearance' });
    assert.equal(await page.getByRole('button', { name: 'Install' }).count(), 0);
    await page.evaluate(`(() => {
      const event = new Event('beforeinstallprompt', { cancelable: true });
      event.prompt = () => (document.title = 'asked');
      dispatchEvent(event);
    })()`);
    await page.getByRole('button', { name: 'Install' }).click();
    await holds(page, `document.title === 'asked'`);
  });
});
