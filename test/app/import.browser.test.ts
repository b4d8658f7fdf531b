import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { field } from '../support/client.ts';
import { importText } from '../support/imports.ts';
import { type Service, startService } from '../support/service.ts';
import { type App, type NewOptions, openApp, openNew, testAccess } from '../support/web-app.ts';

const CSV = 'name,address,colour\nSoba Ya,1 Street,red\nDa Enzo,2 Street,blue\n,3 Street,green';
const ENZO = { name: 'Da Enzo', address: '2 Street' };
// A file of Google Takeout.
const TAKEOUT = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [12.47, 41.89] },
      properties: {
        google_maps_url: 'https://maps.google.com/?cid=1',
        location: { name: 'Roscioli', address: 'Via dei Giubbonari 21, Roma' },
      },
    },
  ],
});

const open = (t: TestContext, options: NewOptions = {}): Promise<App> =>
  openNew(t, { path: '/settings/import', ...options });

async function choose(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'text/plain', buffer: Buffer.from(text) };
  await page.locator('input[type=file]').setInputFiles(file);
}

async function total({ api }: Service): Promise<unknown> {
  return field((await api.get('/restaurants/paginated?limit=1')).body, 'total');
}

describe('the import of the web app', { skip: NO_BROWSER }, () => {
  testAccess('The import of a file that was read', async (t, options) => {
    const { page } = await open(t, options);
    await choose(page, 'places.csv', `${CSV}\n,4 Street,red`);
    await page.getByText('2 new, 2 unreadable').waitFor();
    return page;
  });

  mainPath('says what it would do, writes it at the second press, and takes it back by Undo', async (t) => {
    const { page, service } = await open(t, { places: [ENZO] });
    await choose(page, 'places.csv', CSV);
    await page.getByText('1 new, 1 already here, 1 unreadable (line 4: Name)').waitFor();
    await page.getByText('Not used: colour').waitFor();
    assert.equal(await total(service), 1);
    await page.getByRole('button', { name: 'Import 1 place' }).click();
    await page.locator('.found').getByText('1 place added').waitFor();
    assert.equal(await total(service), 2);
    await page.locator('.lines').getByText('places.csv').waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
    await page.locator('.toast').getByText('Undone').waitFor();
    assert.equal(await total(service), 1);
    await page.locator('.lines').getByText('Undone').waitFor();
  });

  test('says how many new places look like ones that were here, and leads to them', async (t) => {
    const { page } = await open(t, {
      places: [{ name: 'Ristorante Roscioli', address: 'Via dei Giubbonari 21' }],
    });
    await choose(
      page,
      'places.csv',
      'name,address\nRoscioli,"Via dei Giubbonari 21, Roma"\nSoba Ya,1 Street',
    );
    await page.getByText('1 new place looks like one that was here before.').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Compare them' }).count(), 0);
    await page.getByRole('button', { name: 'Import 2 places' }).click();
    await page.getByRole('link', { name: 'Compare them' }).click();
    await page
      .getByRole('radiogroup', { name: 'Name' })
      .getByRole('radio', { name: 'Roscioli', exact: true })
      .waitFor();
  });

  test('takes a file of Google Takeout', async (t) => {
    const { page, service } = await open(t);
    await choose(page, 'Saved Places.json', TAKEOUT);
    await page.getByRole('button', { name: 'Import 1 place' }).click();
    await page.locator('.found').getByText('1 place is now on “Saved Places”').waitFor();
    assert.equal(await total(service), 1);
  });

  test('takes a file that is dropped on it', async (t) => {
    const { page } = await open(t);
    await page.evaluate(`(() => {
      const files = new DataTransfer();
      files.items.add(new File([${JSON.stringify(CSV)}], 'places.csv'));
      const event = new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true });
      document.querySelector('.drop').dispatchEvent(event);
    })()`);
    await page.getByText('2 new, 1 unreadable (line 4: Name)').waitFor();
  });

  test('takes an earlier import back, and brings it again', async (t) => {
    const service = await startService(t);
    await importText(service.api, CSV, {}, { filename: 'earlier.csv' });
    const { page } = await openApp(t, service, { path: '/settings/import' });
    await page.locator('.lines').getByRole('button', { name: 'Undo' }).click();
    await page.locator('.lines').getByText('Undone').waitFor();
    assert.equal(await total(service), 0);
    await page.locator('.toast').getByRole('button', { name: 'Redo' }).click();
    await page.locator('.lines').getByRole('button', { name: 'Undo' }).waitFor();
    assert.equal(await total(service), 2);
  });

  test('says that there is nothing new', async (t) => {
    const { page } = await open(t, { places: [ENZO] });
    await choose(page, 'places.csv', 'name,address\nDa Enzo,2 Street');
    await page.getByText('There is nothing to import.').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Import/ }).count(), 0);
  });

  test('says why a file cannot be read', async (t) => {
    const { page } = await open(t, { refusals: [400] });
    await choose(page, 'places.pdf', '%PDF-1.7');
    await page.getByRole('alert').getByText('This file cannot be read here.').waitFor();
    await page.getByRole('button', { name: 'Another file' }).click();
    await page.getByText('Choose a file').waitFor();
  });

  test('sends no file that is too large, but says how it goes in', async (t) => {
    const { page, requests } = await open(t);
    await page.evaluate(`(() => {
      const files = new DataTransfer();
      files.items.add(new File([new Uint8Array(11_000_000)], "all of Rome's places.csv"));
      const input = document.querySelector('input[type=file]');
      input.files = files.files;
      input.dispatchEvent(new Event('change'));
    })()`);
    await page.getByText('Files over 10 MB cannot be imported here').waitFor();
    const command = await page.getByLabel('Command').inputValue();
    assert.equal(command, String.raw`catalogue import 'all of Rome'\''s places.csv'`);
    assert.equal(requests.includes('POST /api/imports'), false);
  });
});
