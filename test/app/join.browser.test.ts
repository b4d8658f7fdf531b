import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { type Client, createClient, textOf } from '../support/client.ts';
import { addLink } from '../support/lists.ts';
import { LOCAL, makeAdmin, signUp } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';
import {
  type App,
  type AppOptions,
  fillSignIn,
  holds,
  openApp,
  openNew,
  press,
  testAccess,
} from '../support/web-app.ts';

/** Starts a service where only those can register who have an invitation, and returns its administrator's client. */
async function startByInvitation(t: TestContext): Promise<{ service: Service; admin: Client }> {
  // No one can register there, so that the administrator is stored while everyone can.
  const open = await startService(t, LOCAL);
  const carol = await signUp(open, 'carol');
  makeAdmin(open, carol);
  await open.stop();
  const service = await startService(t, { ...LOCAL, REGISTRATION: 'invite', DATA_DIR: open.folder });
  return { service, admin: createClient(service.url, { Authorization: `Bearer ${carol.accessToken}` }) };
}

/** The path of a new invitation. */
async function invite(admin: Client, email: string | null = null): Promise<string> {
  return textOf((await admin.post('/invitations', { email })).body, 'url');
}

/** Opens the page of a new invitation. */
async function openInvitation(
  t: TestContext,
  { email, ...options }: AppOptions & { readonly email?: string } = {},
): Promise<App> {
  const { service, admin } = await startByInvitation(t);
  return openApp(t, service, { ...options, path: await invite(admin, email) });
}

describe('an invitation in the web app', { skip: NO_BROWSER }, () => {
  testAccess('The page of an invitation', async (t, options) => {
    const { page } = await openInvitation(t, options);
    await page.getByText('carol invites you.').waitFor();
    return page;
  });

  mainPath('makes an account with one press, and signs in to it at once', async (t) => {
    const { page, service } = await openInvitation(t, { email: 'dora@example.com' });
    assert.equal(await page.getByLabel('Email').inputValue(), 'dora@example.com');
    assert.equal(await page.getByLabel('Name').inputValue(), 'dora');
    // As a password manager does.
    await page.getByLabel('Password').fill('dora and a long password');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('link', { name: 'Settings of dora' }).first().waitFor();
    await page.waitForURL(`${service.url}/`);
  });

  test('does not stay in the address', async (t) => {
    const { page, service } = await openInvitation(t);
    await page.getByLabel('Email').waitFor();
    assert.equal(page.url(), `${service.url}/join`);
    const stored = await page.evaluate<string>(
      'JSON.stringify([localStorage, sessionStorage, history.state])',
    );
    assert.doesNotMatch(stored, /inv_/);
  });

  test('says that it was used, and takes another one in the same tab', async (t) => {
    const { service, admin } = await startByInvitation(t);
    const used = await invite(admin);
    const dora = { email: 'dora@example.com', username: 'dora', password: 'dora and a long password' };
    const invitation = used.split('#')[1];
    assert.equal((await service.api.post('/auth/register', { ...dora, invitation })).status, 201);
    const { page } = await openApp(t, service, { path: used, refusals: [404] });
    await page.getByRole('alert').getByText('This invitation has been used').waitFor();
    await page.goto(service.url + (await invite(admin)));
    await page.getByLabel('Email').waitFor();
  });

  test('shows the faults of what was typed at its fields, and keeps it', async (t) => {
    const { page, requests } = await openInvitation(t, { refusals: [409] });
    await page.getByLabel('Email').fill('dora@example.com');
    await press(page, 'Enter');
    await page.locator('#field-username-fault').waitFor();
    assert.equal(requests.includes('POST /api/auth/register'), false);
    await holds(page, `document.activeElement.name === 'username'`);
    await page.getByLabel('Name').fill('carol');
    await page.getByLabel('Password').fill('dora and a long password');
    await press(page, 'Enter');
    await page.getByText('This is taken already.').waitFor();
    assert.equal(await page.getByLabel('Email').inputValue(), 'dora@example.com');
  });

  test('is not asked for where nobody needs an account', async (t) => {
    const { page } = await openNew(t, { path: '/join' });
    await page.getByText('You do not need an account here.').waitFor();
  });
});

describe('a link for a new password in the web app', { skip: NO_BROWSER }, () => {
  testAccess('The page for a new password', async (t, options) => {
    const { page } = await openNew(t, { settings: LOCAL, ...options, path: `/reset#rst_${'x'.repeat(43)}` });
    await page.getByLabel('New password').waitFor();
    return page;
  });

  test('sets one, once', async (t) => {
    const service = await startService(t, LOCAL);
    const carol = await signUp(service, 'carol');
    const bob = await signUp(service, 'bob');
    makeAdmin(service, carol);
    const path = textOf((await carol.api.post(`/users/${bob.id}/password-reset`, {})).body, 'url');
    const { page } = await openApp(t, service, { path, refusals: [400] });
    await page.getByLabel('New password').fill('short');
    assert.equal(page.url(), `${service.url}/reset`);
    await press(page, 'Enter');
    await page.locator('#field-new_password-fault').waitFor();
    await page.getByLabel('New password').fill('another long password');
    await press(page, 'Enter');
    await page.getByText('Password changed. Sign in with it.').waitFor();
    await page.waitForURL('**/sign-in');
    const login = { email: bob.email, password: 'another long password' };
    assert.equal((await service.api.post('/auth/login', login)).status, 200);
    await page.goto(service.url + path);
    await page.getByLabel('New password').fill('a third long password');
    await press(page, 'Enter');
    await page.getByRole('alert').getByText('This link has been used').waitFor();
  });

  test('says what is still valid, and leads to where it ends', async (t) => {
    const service = await startService(t, LOCAL);
    const [carol, bob] = [await signUp(service, 'carol'), await signUp(service, 'bob')];
    makeAdmin(service, carol);
    await addLink(bob.api, 'want');
    const path = textOf((await carol.api.post(`/users/${bob.id}/password-reset`, {})).body, 'url');
    const { page } = await openApp(t, service, { path });
    const password = 'another long password';
    await page.getByLabel('New password').fill(password);
    await press(page, 'Enter');
    await page.getByText('Links to your lists and outings still work: 1.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).last().click();
    await fillSignIn(page, { email: bob.email, password });
    await page.getByText('links to lists and outings (1)').waitFor();
    await page.getByRole('button', { name: 'End all access' }).waitFor();
  });
});
