import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, mainPath, test } from '../../support/chromium.ts';
import { array, field, record, textOf } from '../../support/client.ts';
import { bodyField, goTo, openDocs, sendForm, signIn, tryToSignIn } from '../../support/docs-page.ts';
import { expired } from '../../support/forge.ts';
import { LOCAL, readStored, signUp } from '../../support/people.ts';
import { startService } from '../../support/service.ts';

const QUARTER_OF_AN_HOUR = 15 * 60 * 1000;

describe('the page at /api/docs', { skip: NO_BROWSER }, () => {
  mainPath(
    'is enough for a new user to create an account, a restaurant with a category, a rating, and to find it',
    async (t) => {
      const service = await startService(t, LOCAL);
      const { page } = await openDocs(t, service);
      await page.getByRole('button', { name: 'Sign in' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('No account yet?').click();
      await dialog.getByLabel('Email').last().fill('newcomer@example.com');
      await dialog.getByLabel('User name').fill('newcomer');
      await dialog.getByLabel('Password, at least 8').fill('a long password of mine');
      await dialog.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('button', { name: 'newcomer' }).waitFor();

      await page.getByRole('main').getByRole('link', { name: 'List the categories' }).click();
      const categories = array(JSON.parse((await sendForm(page)).body));
      const french = categories.find((category) => textOf(category, 'name') === 'French');
      await page.goBack();
      await page.getByRole('main').getByRole('link', { name: 'Create a restaurant' }).first().click();
      const category_id = field(french, 'id');
      await bodyField(page).fill(JSON.stringify({ name: 'Chez Moi', category_id }));
      const created = await sendForm(page);
      assert.equal(created.status, '201 Created');
      assert.equal(textOf(field(JSON.parse(created.body), 'category'), 'name'), 'French');

      await page.goBack();
      await page.getByRole('main').getByRole('link', { name: 'Rate it' }).click();
      assert.equal((await sendForm(page)).status, '201 Created');
      await page.goBack();
      await page.getByRole('main').getByRole('link', { name: 'Find it by search' }).click();
      await page.locator('.try').getByLabel('q', { exact: false }).first().fill('moi');
      const [found] = array(JSON.parse((await sendForm(page)).body));
      assert.deepEqual([textOf(found, 'name'), field(field(found, 'avg_rating'), 'count')], ['Chez Moi', 1]);
    },
  );

  test('signs in by email and password, and stores the tokens nowhere', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const { page } = await openDocs(t, service, { hash: 'getCurrentUser', refusals: [401] });
    assert.equal(await page.getByText('This needs a signed-in user.').isVisible(), true);
    assert.equal((await sendForm(page)).status, '401 Unauthorized');
    await signIn(page, alice.email, alice.password);
    assert.equal(await page.getByText('This needs a signed-in user.').isVisible(), false);
    const { status, body } = await sendForm(page);
    assert.deepEqual([status, textOf(JSON.parse(body), 'username')], ['200 OK', 'alice']);
    assert.match((await page.getByLabel('curl').textContent()) ?? '', /Authorization: Bearer ey/);
    // The time of the sign-in is all that a script can read.
    assert.match(String(await page.evaluate('JSON.stringify(localStorage)')), /^\{"signed in at":"\d+"\}$/);
    assert.equal(await page.evaluate('sessionStorage.length + document.cookie.length'), 0);
  });

  test('says why a sign-in was refused', async (t) => {
    const service = await startService(t, LOCAL);
    const { page } = await openDocs(t, service, { refusals: [401] });
    await tryToSignIn(page, 'unknown@example.com', 'wrong');
    await page.getByRole('dialog').getByText('Invalid credentials').waitFor();
  });

  test('signs out, and ends the session at the service', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const { page } = await openDocs(t, service);
    await signIn(page, alice.email, alice.password);
    assert.equal(readStored(service.folder, 'SELECT 1 FROM sessions').length, 2);
    await page.getByRole('button', { name: 'alice' }).click();
    const ended = page.waitForResponse('**/api/auth/logout');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await ended;
    assert.equal(readStored(service.folder, 'SELECT 1 FROM sessions').length, 1);
    assert.deepEqual(await page.context().cookies(), []);
    assert.equal(await page.evaluate('localStorage.length'), 0);
    await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).waitFor();
  });

  for (const REFRESH_TOKEN_ROTATION of ['false', 'true'])
    test(`gets a new access token before the old one expires, with rotation ${REFRESH_TOKEN_ROTATION}`, async (t) => {
      const service = await startService(t, { ...LOCAL, REFRESH_TOKEN_ROTATION });
      const alice = await signUp(service, 'alice');
      const { page, requests } = await openDocs(t, service, { hash: 'createCategory' });
      await page.clock.install();
      await signIn(page, alice.email, alice.password);
      for (const name of ['Bistro', 'Brasserie']) {
        await page.clock.fastForward(QUARTER_OF_AN_HOUR);
        await bodyField(page).fill(JSON.stringify({ name }));
        assert.equal((await sendForm(page)).status, '201 Created');
        assert.deepEqual(requests.slice(-2), ['POST /api/auth/refresh', 'POST /api/categories']);
      }
    });

  test('gets a new access token when the old one has expired, and repeats the request', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const { page, requests } = await openDocs(t, service, { hash: 'createCategory', refusals: [401] });
    // As with a clock that is behind: the token has expired at the service, but not on the page.
    await page.route('**/api/auth/login', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      const token = textOf(JSON.parse(text), 'access_token');
      await route.fulfill({ response, body: text.replace(token, expired(token)) });
    });
    await signIn(page, alice.email, alice.password);
    assert.equal((await sendForm(page)).status, '201 Created');
    const [create, refresh] = ['POST /api/categories', 'POST /api/auth/refresh'];
    assert.deepEqual(requests.slice(-3), [create, refresh, create]);
  });

  test('accepts a pasted API token that the service knows', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const made = await alice.api.post('/auth/tokens', { name: 'docs' });
    const { page } = await openDocs(t, service, { hash: 'getCurrentUser', refusals: [401] });
    await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Or paste a token').click();
    const field = page.getByLabel('Access token, or API token');
    await field.fill('rct_wrong');
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.getByRole('dialog').getByText('Invalid token').waitFor();
    await field.fill(textOf(made.body, 'token'));
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.getByRole('button', { name: 'alice' }).waitFor();
    assert.equal((await sendForm(page)).status, '200 OK');
  });

  test('accepts no tokens, and shows no errors, from an address that another page forged', async (t) => {
    const service = await startService(t, LOCAL);
    const { accessToken, refreshToken } = await signUp(service, 'mallory');
    for (const made of [
      { access_token: accessToken, refresh_token: refreshToken, expires_in: '900' },
      { error: 'access_denied', error_description: 'Call this number' },
    ]) {
      const { page } = await openDocs(t, service, { hash: new URLSearchParams(made).toString() });
      assert.equal(page.url(), `${service.url}/api/docs`);
      assert.equal(await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).isVisible(), true);
      assert.equal(await page.getByRole('dialog').isVisible(), false);
    }
  });

  test('offers no sign-in in mode none, and no registration where it is closed', async (t) => {
    const open = await openDocs(t, await startService(t), { refusals: [403] });
    assert.equal(await open.page.getByRole('button', { name: 'Sign in' }).count(), 0);
    await goTo(open.page, 'register');
    const body = bodyField(open.page);
    const example = record(JSON.parse(await body.inputValue()));
    assert.equal(example['password'], '');
    await body.fill(JSON.stringify({ ...example, password: 'a password of mine' }));
    assert.equal((await sendForm(open.page)).status, '403 Forbidden');
    const closed = await openDocs(t, await startService(t, { ...LOCAL, REGISTRATION: 'closed' }));
    await closed.page.getByRole('button', { name: 'Sign in' }).click();
    assert.equal(await closed.page.getByText('No account yet?').isVisible(), false);
  });

  test('asks only for a token where there are no passwords and no provider redirects to it', async (t) => {
    const { page } = await openDocs(t, await startService(t, { AUTH_MODE: 'oauth' }));
    await page.getByRole('button', { name: 'Sign in' }).click();
    assert.equal(await page.getByLabel('Password').first().isVisible(), false);
    assert.equal(await page.getByLabel('Access token, or API token').isVisible(), true);
  });
});
