import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { field } from '../support/client.ts';
import { LOCAL, makeAdmin, signUp } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';
import { holds, openApp, openNew, testAccess } from '../support/web-app.ts';

async function total({ api }: Service): Promise<number> {
  return Number(field((await api.get('/restaurants/paginated?limit=1')).body, 'total'));
}

describe('an empty catalogue in the web app', { skip: NO_BROWSER }, () => {
  testAccess('An empty catalogue', async (t, options) => {
    const { page } = await openNew(t, options);
    await page.getByText('An empty menu.').waitFor();
    return page;
  });

  mainPath('begins with sample places, and is without them again at one press', async (t) => {
    const { page, service } = await openNew(t);
    await page.getByRole('button', { name: 'Try with sample places' }).click();
    const score = page.locator('.row:first-child').getByText(/ of 5 from 1 rating/);
    await score.first().waitFor({ state: 'attached' });
    assert.ok((await total(service)) >= 20);
    await page.reload();
    await page.getByRole('button', { name: 'Remove the samples' }).click();
    await page.getByText('An empty menu.').waitFor();
    assert.equal(await total(service), 0);
    assert.equal(await page.getByRole('button', { name: 'Remove the samples' }).count(), 0);
  });

  test('begins with an import or a first place', async (t) => {
    const { page } = await openNew(t);
    await page.getByRole('link', { name: 'Add the first place' }).click();
    await page.waitForURL('**/add');
    await page.goBack();
    await page.getByRole('link', { name: 'Import places' }).click();
    await page.getByRole('heading', { name: 'Import and export' }).waitFor();
  });

  test('keeps the samples apart from what was changed since', async (t) => {
    const { page, service } = await openNew(t, { refusals: [409] });
    await page.getByRole('button', { name: 'Try with sample places' }).click();
    await page.locator('.row').first().waitFor();
    const stars = { food_rating: 5, service_rating: 5, ambiance_rating: 5 };
    await service.api.post('/ratings', { restaurant_id: 1, ...stars });
    await page.getByRole('button', { name: 'Remove the samples' }).click();
    await page.getByText(/cannot be undone: .* was changed or rated since/).waitFor();
    assert.ok((await total(service)) >= 20);
  });

  test('offers to users what they may do', async (t) => {
    const service = await startService(t, LOCAL);
    const bob = await signUp(service, 'bob');
    const { page, requests } = await openApp(t, service, { user: bob });
    await page.getByText('An empty menu.').waitFor();
    assert.deepEqual(await page.locator('.empty a').allTextContents(), ['Add the first place']);
    assert.equal(
      requests.some((request) => request.includes('/batches')),
      false,
    );
    makeAdmin(service, bob);
    await page.reload();
    await page.getByRole('button', { name: 'Try with sample places' }).waitFor();
  });

  test('offers a suggestion to those who may not write, and nothing to visitors', async (t) => {
    const service = await startService(t, { ...LOCAL, WRITE_ACCESS: 'admins' });
    const bob = await signUp(service, 'bob');
    const visitor = await openApp(t, service);
    await visitor.page.getByText('There is no place in it yet.').waitFor();
    const { page } = await openApp(t, service, { user: bob });
    await page.getByRole('link', { name: 'Suggest the first place' }).waitFor();
    await holds(page, `document.querySelectorAll('.empty a').length === 1`);
  });
});
