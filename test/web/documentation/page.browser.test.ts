import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe } from 'node:test';
import { NO_BROWSER, mainPath, test } from '../../support/chromium.ts';
import { array, field, textOf } from '../../support/client.ts';
import { bodyField, goTo, openDocs, readAnswer, sendForm, showOptional } from '../../support/docs-page.ts';
import { sample } from '../../support/images.ts';
import { LOCAL } from '../../support/people.ts';
import { startService } from '../../support/service.ts';

/** The arguments that a shell makes of a line that calls curl. */
function argumentsOf(line: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${line}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

describe('the page at /api/docs', { skip: NO_BROWSER }, () => {
  test('lists every operation of the service, in groups', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service);
    assert.equal(await page.title(), 'Restaurant catalogue API');
    const hashes = await page.evaluate<string[]>(
      `[...document.querySelectorAll('#operations a')].map(({ hash }) => hash.slice(1))`,
    );
    assert.deepEqual(hashes.sort(), service.routes.map(({ operationId }) => operationId).sort());
    assert.equal(await page.locator('#operations section h2').first().textContent(), 'Restaurants');
  });

  test('has less than 80 KB with all that it loads, except the description', async (t) => {
    const service = await startService(t);
    const sizes: Promise<number>[] = [];
    const { page, requests } = await openDocs(t, service);
    page.on('response', (response) => {
      if (!response.url().endsWith('swagger.json')) sizes.push(response.body().then(({ length }) => length));
    });
    await page.context().clearCookies();
    await page.reload();
    await page.waitForSelector('#title');
    assert.ok(requests.length >= 10);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    assert.ok(bytes > 40_000 && bytes < 80_000, `${bytes} bytes`);
  });

  test('moves nothing around while it loads', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service, { hash: 'listRestaurants' });
    const shift = await page.evaluate<number>(`new Promise((resolve) => {
      let sum = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((entry) => (sum += entry.value)))
        .observe({ type: 'layout-shift', buffered: true });
      requestAnimationFrame(() => setTimeout(() => resolve(sum), 100));
    })`);
    assert.equal(shift, 0);
  });

  test('sends a GET and shows status, body and headers', async (t) => {
    const service = await startService(t);
    await service.api.post('/restaurants', { name: 'Chez Nous', category_id: 5, food_type_ids: [7, 9] });
    const { page, requests } = await openDocs(t, service, { hash: 'listRestaurants' });
    await showOptional(page);
    await page.getByLabel('category_id').fill('5');
    await page.getByLabel('food_type_ids').fill('7,9');
    const { status, body } = await sendForm(page);
    assert.equal(status, '200 OK');
    assert.equal(textOf(array(JSON.parse(body))[0], 'name'), 'Chez Nous');
    assert.equal(requests.at(-1), 'GET /api/restaurants?category_id=5&food_type_ids=7,9');
    await page.getByRole('tab', { name: 'Headers' }).click();
    assert.match((await page.locator('.headers').textContent()) ?? '', /x-request-id/);
  });

  mainPath('sends a POST with its example, and fills in the new id from then on', async (t) => {
    const service = await startService(t);
    await service.api.post('/restaurants', { name: 'The first one' });
    const { page } = await openDocs(t, service, { hash: 'createRestaurant' });
    const created = await sendForm(page);
    assert.equal(created.status, '201 Created');
    const { body } = await service.api.get('/restaurants/2');
    assert.deepEqual(JSON.parse(created.body), body);
    await goTo(page, 'createRating');
    assert.equal(field(JSON.parse(await bodyField(page).inputValue()), 'restaurant_id'), 2);
    await goTo(page, 'listRatings');
    assert.equal(await page.getByLabel('restaurantId').inputValue(), '2');
  });

  test('fills in no older record where a click would change or delete it', async (t) => {
    const service = await startService(t);
    await service.api.post('/restaurants', { name: 'Chez Nous' });
    const { page } = await openDocs(t, service, { hash: 'deleteRestaurant' });
    await page.getByRole('button', { name: 'Send' }).click();
    assert.equal(await page.evaluate('document.activeElement.validity.valueMissing'), true);
    await goTo(page, 'getRestaurant');
    assert.equal((await sendForm(page)).status, '200 OK');
  });

  test('uploads a photo, and shows it', async (t) => {
    const service = await startService(t);
    await service.api.post('/restaurants', { name: 'Chez Nous' });
    const { page } = await openDocs(t, service, { hash: 'uploadPhoto' });
    await page.getByLabel('restaurantId').fill('1');
    const file = { name: 'it’s a "menu".jpg', mimeType: 'image/jpeg', buffer: sample('baseline') };
    await page.locator('.try').getByLabel('photo').setInputFiles(file);
    await showOptional(page);
    await page.getByLabel('caption').fill('Menu of the day');
    const { status, body } = await sendForm(page);
    assert.equal(status, '201 Created');
    assert.equal(textOf(JSON.parse(body), 'caption'), 'Menu of the day');
    await goTo(page, 'getPhotoFile');
    assert.equal((await sendForm(page)).status, '200 OK');
    const width = await page.evaluate(
      `document.querySelector('.answer img').decode().then(() => document.querySelector('.answer img').naturalWidth)`,
    );
    assert.equal(width, field(JSON.parse(body), 'width'));
  });

  test('shows an error with the message of the service', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service, { hash: 'createRestaurant', refusals: [400] });
    await bodyField(page).fill('{"latitude": 91}');
    const { status, body } = await sendForm(page);
    assert.equal(status, '400 Bad Request');
    const { body: same } = await service.api.post('/restaurants', { latitude: 91 });
    assert.deepEqual(JSON.parse(body), same);
  });

  test('reports invalid JSON before it is sent', async (t) => {
    const { page } = await openDocs(t, await startService(t), { hash: 'createRestaurant', refusals: [400] });
    await bodyField(page).fill('{"name": }');
    assert.match((await page.locator('.fault').textContent()) ?? '', /^Not JSON/);
    assert.match((await sendForm(page)).body, /Malformed JSON/);
  });

  test('shows the request as a curl line that a shell parses correctly', async (t) => {
    const service = await startService(t, LOCAL);
    const { page } = await openDocs(t, service, { hash: 'createRestaurant' });
    const body = '{"name": "L\'Os à \\"Moelle\\" $HOME `id`"}';
    await bodyField(page).fill(body);
    const line = (await page.getByLabel('curl').textContent()) ?? '';
    const address = `${service.url}/api/restaurants`;
    assert.deepEqual(argumentsOf(line), [
      '-X',
      'POST',
      address,
      '-H',
      'Content-Type: application/json',
      '-d',
      body,
    ]);
  });

  for (const [title, prepare] of [
    ['by the clipboard', ''],
    ['where a page has no clipboard, without TLS', `Object.defineProperty(navigator, 'clipboard', {})`],
  ] as const)
    test(`copies the curl line ${title}`, async (t) => {
      const { page } = await openDocs(t, await startService(t), { permissions: ['clipboard-write'] });
      await page.evaluate(prepare);
      await goTo(page, 'createCategory');
      await page.locator('.try').getByRole('button', { name: 'Copy', exact: true }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const line = await page.getByLabel('curl').textContent();
      const body = bodyField(page);
      await body.fill('');
      await page.keyboard.press('Control+V');
      assert.equal(await body.inputValue(), line);
    });

  test('names a file in the curl line as curl reads it', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service, { hash: 'uploadPhoto' });
    await page.getByLabel('restaurantId').fill('1');
    const file = { name: `it's "the" menu.jpg`, mimeType: 'image/jpeg', buffer: Buffer.from('') };
    await page.locator('.try').getByLabel('photo').setInputFiles(file);
    await showOptional(page);
    await page.getByLabel('caption').fill('@home; <menu');
    assert.deepEqual(argumentsOf((await page.getByLabel('curl').textContent()) ?? '').slice(3), [
      '-F',
      `photo=@"it's \\"the\\" menu.jpg"`,
      '--form-string',
      'caption=@home; <menu',
    ]);
  });

  test('lets the browser follow redirects', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service, { hash: 'beginIdpLogin' });
    assert.deepEqual(argumentsOf((await page.getByLabel('curl').textContent()) ?? ''), [
      '-i',
      `${service.url}/api/auth/idp`,
    ]);
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Open in a new tab' }).click();
    assert.equal((await opened).url(), `${service.url}/api/auth/idp`);
  });

  test('opens the operation that the address names, and goes back and forth', async (t) => {
    const { page } = await openDocs(t, await startService(t), { hash: 'createRating' });
    const heading = page.getByRole('heading', { level: 1 });
    assert.equal(await heading.textContent(), 'Rate a restaurant');
    assert.equal(await page.title(), 'Rate a restaurant · Restaurant catalogue API');
    await goTo(page, 'search');
    assert.equal(await heading.textContent(), 'Search restaurants');
    await page.goBack();
    await page.locator('nav a[aria-current][href="#createRating"]').waitFor();
    assert.equal(await heading.textContent(), 'Rate a restaurant');
  });

  test('shows the overview when the address names no operation', async (t) => {
    const service = await startService(t);
    for (const hash of ['none', '%zz']) {
      const { page } = await openDocs(t, service, { hash });
      assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Restaurant catalogue API');
    }
  });

  test('can be used by the keyboard alone: a slash searches, Enter opens, Ctrl and Enter send', async (t) => {
    const { page } = await openDocs(t, await startService(t));
    await page.keyboard.press('/');
    await page.keyboard.type('create categ');
    assert.match((await page.getByRole('status').first().textContent()) ?? '', /^\d+ found$/);
    await page.keyboard.press('Enter');
    await page.locator('nav a[aria-current][href="#createCategory"]').waitFor();
    assert.equal(await page.evaluate('document.activeElement.id'), 'title');
    await page.keyboard.press('Tab');
    await bodyField(page).focus();
    await page.keyboard.press('Control+Enter');
    assert.equal((await readAnswer(page)).status, '201 Created');
  });
});
