import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, test } from '../../support/chromium.ts';
import { field, textOf } from '../../support/client.ts';
import { openDocs, sendForm, signIn } from '../../support/docs-page.ts';
import { LOCAL, changeStored, readStored, signUp } from '../../support/people.ts';
import { startService } from '../../support/service.ts';

const REFRESH = 'POST /api/auth/refresh';
const signInButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Sign in' });

describe('a sign-in on the page at /api/docs', { skip: NO_BROWSER }, () => {
  for (const REFRESH_TOKEN_ROTATION of ['false', 'true'])
    test(`survives reloads, with rotation ${REFRESH_TOKEN_ROTATION}`, async (t) => {
      const service = await startService(t, { ...LOCAL, REFRESH_TOKEN_ROTATION });
      const alice = await signUp(service, 'alice');
      const { page, requests } = await openDocs(t, service, { hash: 'getCurrentUser' });
      assert.equal(requests.includes(REFRESH), false);
      await signIn(page, alice.email, alice.password);
      for (let round = 0; round < 3; round += 1) {
        await page.reload();
        await page.getByRole('button', { name: 'alice' }).waitFor();
        const { status, body } = await sendForm(page);
        assert.deepEqual([status, textOf(JSON.parse(body), 'username')], ['200 OK', 'alice']);
      }
      assert.equal(requests.filter((request) => request === REFRESH).length, 3);
      const [cookie, ...more] = await page.context().cookies();
      assert.deepEqual(
        [cookie?.name, cookie?.httpOnly, cookie?.sameSite, cookie?.path, more],
        ['refresh', true, 'Strict', '/api/auth', []],
      );
    });

  test('is that of all tabs, which may load at once while tokens rotate', async (t) => {
    const service = await startService(t, { ...LOCAL, REFRESH_TOKEN_ROTATION: 'true' });
    const alice = await signUp(service, 'alice');
    const { page } = await openDocs(t, service);
    await signIn(page, alice.email, alice.password);
    const tabs = await Promise.all(Array.from({ length: 4 }, () => page.context().newPage()));
    await Promise.all([...tabs, page].map((tab) => tab.goto(`${service.url}/api/docs?x#getCurrentUser`)));
    for (const tab of [...tabs, page]) {
      await tab.getByRole('button', { name: 'alice' }).waitFor();
      assert.equal((await sendForm(tab)).status, '200 OK');
    }
    assert.equal(readStored(service.folder, 'SELECT 1 FROM sessions').length, 2);
  });

  test('ends in all tabs with a sign-out in one, and reaches those that were there before', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const { page } = await openDocs(t, service);
    const other = await page.context().newPage();
    await other.goto(`${service.url}/api/docs`);
    await signInButton(other).waitFor();
    await signIn(page, alice.email, alice.password);
    await other.getByRole('button', { name: 'alice' }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await signInButton(page).waitFor();
    await page.reload();
    await signInButton(page).waitFor();
  });

  test('that has ended meanwhile is forgotten without a word', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const { page, requests } = await openDocs(t, service, { refusals: [401] });
    await signIn(page, alice.email, alice.password);
    changeStored(service.folder, 'DELETE FROM sessions');
    for (let round = 0; round < 2; round += 1) {
      await page.reload();
      await page.waitForSelector('#title');
      assert.equal(await signInButton(page).isVisible(), true);
      assert.equal(await page.getByRole('dialog').isVisible(), false);
    }
    assert.equal(requests.filter((request) => request === REFRESH).length, 1);
    assert.deepEqual(await page.context().cookies(), []);
  });

  test('comes back by itself when a limit forbids to ask for it at once', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const { page } = await openDocs(t, service, { refusals: [429] });
    await signIn(page, alice.email, alice.password);
    const error = 'Rate limit exceeded. Please try again later.';
    const refusal = { status: 429, headers: { 'Retry-After': '1' }, json: { error } };
    await page.route('**/api/auth/refresh', (route) => route.fulfill(refusal), { times: 1 });
    await page.reload();
    await page.waitForSelector('#title');
    assert.equal(await signInButton(page).isVisible(), true);
    await page.getByRole('button', { name: 'alice' }).waitFor();
  });

  test('by a pasted token is gone after a reload', async (t) => {
    const service = await startService(t, LOCAL);
    const { accessToken } = await signUp(service, 'alice');
    const { page, requests } = await openDocs(t, service);
    await signInButton(page).click();
    await page.getByText('Or paste a token').click();
    await page.getByLabel('Access token, or API token').fill(accessToken);
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.getByRole('button', { name: 'alice' }).waitFor();
    await page.reload();
    await page.waitForSelector('#title');
    assert.equal(await signInButton(page).isVisible(), true);
    assert.equal(requests.includes(REFRESH), false);
  });

  for (const [title, typed] of [
    ['its link', 'https://food.example/join#inv_abc '],
    ['the part of its link that counts', ' inv_abc'],
  ] as const)
    test(`asks for an invitation where it is needed, and sends it from ${title}`, async (t) => {
      const service = await startService(t, { ...LOCAL, REGISTRATION: 'invite' });
      const { page } = await openDocs(t, service, { refusals: [400, 403] });
      await signInButton(page).click();
      const dialog = page.getByRole('dialog');
      assert.equal(await dialog.getByText('No account yet?').count(), 0);
      await dialog.getByText('Invited? Create your account').click();
      await dialog.getByLabel('Email').last().fill('newcomer@example.com');
      await dialog.getByLabel('User name').fill('newcomer');
      await dialog.getByLabel('Password, at least 8').fill('a long password of mine');
      await dialog.getByLabel('Invitation').fill(typed);
      const sent = page.waitForRequest('**/api/auth/register');
      await dialog.getByRole('button', { name: 'Create account' }).click();
      const body: unknown = (await sent).postDataJSON();
      assert.deepEqual([field(body, 'invitation'), field(body, 'session')], ['inv_abc', 'cookie']);
    });

  test('asks for no invitation where none is needed', async (t) => {
    const { page } = await openDocs(t, await startService(t, LOCAL));
    await signInButton(page).click();
    await page.getByText('No account yet?').click();
    assert.equal(await page.getByLabel('Invitation').isVisible(), false);
  });
});
