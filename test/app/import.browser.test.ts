import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { field } from '../support/client.ts';
import { importText } from '../support/imports.ts';
import { type Service, startService } from '../support/service.ts';
import { type App, type NewOptions, holds, openApp, openNew, testAccess } from '../support/web-app.ts';

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

async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
  const file = { name, mimeType: 'text/plain', buffer: Buffer.from(content) };
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
    await page.getByText('1 new, 1 already here, 1 unreadable (line 4: it has no name)').waitFor();
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
    await page.getByText('2 new, 1 unreadable (line 4: it has no name)').waitFor();
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

  test('says what to choose in place of a file that cannot be read', async (t) => {
    const { page } = await open(t, { refusals: [400], locale: 'de' });
    const alert = page.getByRole('alert');
    for (const [name, content, words] of [
      [
        'places.csv',
        'PK\x03\x04\x14\0\0\0xl/workbook.xml',
        'Das ist eine Excel-Arbeitsmappe. Speichere sie als CSV',
      ],
      ['places.pdf', '%PDF-1.7', 'Das ist ein PDF.'],
      ['places.csv', '', 'Diese Datei ist leer.'],
      [
        'places.geojson',
        '{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:3857"}},"features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"name":"Soba Ya"}}]}',
        'in EPSG:3857 angegeben',
      ],
    ] as const) {
      await choose(page, name, content);
      await alert.getByText(words).waitFor();
      await page.getByRole('button', { name: 'Andere Datei' }).click();
    }
    await page.getByText('Wähle eine Datei').waitFor();
  });

  test('names what was left out, read otherwise or not used, and why', async (t) => {
    const { page, service } = await open(t);
    const phone = '+49 000 1000;'.repeat(9);
    await choose(
      page,
      'places.csv',
      `Lokalname,Adresse,phone,colour\nSoba Ya,1 Street,${phone},red\nDa Enzo,2 Street,,blue`,
    );
    await page.getByText('places.csv · Table (CSV)').waitFor();
    await page.getByText('Left out or shortened: 1').click();
    await page.getByText(/^line 2: Phone “\+49 000 1000.*”: too long/).waitFor();
    await page.getByText('Not used: colour').click();
    await page.getByText('colour · “red” · 2×').waitFor();
    await page.getByText('Recognised: Lokalname, Adresse').click();
    await page.getByText('Adresse → Address').waitFor();
    await page.getByRole('button', { name: 'Import 2 places' }).click();
    await page.locator('.found').getByText('2 places added').waitFor();
    assert.equal(await total(service), 2);
  });

  test('shows how a file may be read, and stores what was chosen', async (t) => {
    const { page, service } = await open(t);
    // In windows-1251.
    const text = Buffer.from(
      'name,address\n\xd1\xf3\xef\xee\xe2\xe0\xff,\xcd\xe0\xe1\xe5\xf0\xe5\xe6\xed\xe0\xff 1\n',
      'latin1',
    );
    await choose(page, 'places.csv', text);
    const choices = page.getByRole('group', { name: 'Which of these reads right?' });
    const right = choices.getByRole('radio', { name: 'Суповая · Набережная 1' });
    await right.waitFor();
    assert.equal(await right.isChecked(), true);
    const wrong = choices.getByRole('radio', { name: 'koi8-r' });
    await wrong.check();
    await holds(page, `document.querySelector('progress') === null`);
    assert.equal(await wrong.isChecked(), true);
    assert.equal(await total(service), 0);
    await right.check();
    await page.getByRole('button', { name: 'Import 1 place' }).click();
    await page.locator('.found').getByText('1 place added').waitFor();
    assert.equal(field((await service.api.get('/restaurants/1')).body, 'name'), 'Суповая');
  });

  test('stores nothing of swapped coordinates until it is said what they are', async (t) => {
    const { page, service } = await open(t);
    await choose(page, 'places.csv', 'name,latitude,longitude\nSoba Ya,177.41,-39.03\nDa Enzo,10.5,-39.1\n');
    await page
      .getByText('Latitude and longitude seem to be swapped (1×, first on line 2: 177.41, -39.03)')
      .waitFor();
    const button = page.getByRole('button', { name: 'Import 2 places' });
    await button.click({ force: true });
    assert.equal(await button.getAttribute('aria-disabled'), 'true');
    await page.getByLabel('Swap them in the whole file').check();
    await button.click();
    await page.locator('.found').getByText('2 places added').waitFor();
    const { body } = await service.api.get('/restaurants/1');
    assert.deepEqual([field(body, 'latitude'), field(body, 'longitude')], [-39.03, 177.41]);
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
