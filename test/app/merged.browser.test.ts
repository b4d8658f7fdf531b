import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, test } from '../support/chromium.ts';
import { openNew } from '../support/web-app.ts';

const PLACES = [{ name: 'Trattoria Da Enzo' }, { name: 'Da Enzo al 29' }];

describe('A place that was merged into another', { skip: NO_BROWSER }, () => {
  test('has an address that leads to the other one, in the app and on a new page', async (t) => {
    const { page, service } = await openNew(t, { places: PLACES, path: '/restaurants/2', refusals: [404] });
    await page.getByRole('heading', { name: 'Da Enzo al 29' }).waitFor();
    assert.equal((await service.api.post('/restaurants/1/merge', { from: [2] })).status, 200);
    await page.waitForURL('**/restaurants/1');
    await page.getByRole('heading', { name: 'Trattoria Da Enzo' }).waitFor();
    await page.goto(`${service.url}/restaurants/2`);
    await page.waitForURL('**/restaurants/1');
    await page.getByRole('heading', { name: 'Trattoria Da Enzo' }).waitFor();
  });

  test('is merged in the sentences of the log, with a way to the other one and back', async (t) => {
    const { page, service } = await openNew(t, { places: PLACES });
    await service.api.post('/restaurants/1/merge', { from: [2] });
    await page.goto(`${service.url}/activity?action=delete`);
    await page.getByText('You merged Da Enzo al 29 into another place').waitFor();
    const link = page.getByRole('link', { name: 'Da Enzo al 29' });
    assert.equal(await link.getAttribute('href'), '/restaurants/1');
    await page.getByRole('button', { name: 'Undo: You merged Da Enzo al 29 into another place' }).click();
    await page.getByText('Undone', { exact: true }).waitFor();
    assert.equal((await service.api.get('/restaurants/2')).status, 200);
  });
});
