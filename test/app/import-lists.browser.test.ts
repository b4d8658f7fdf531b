import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, bodyOf, field } from '../support/client.ts';
import { importText, spooled } from '../support/imports.ts';
import { addRestaurants, namesOn, putItem } from '../support/lists.ts';
import { LOCAL, type Person, makeAdmin, signUp } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';
import {
  type App,
  type AppOptions,
  PHONE,
  holds,
  openApp,
  scrollsSideways,
  testAccess,
} from '../support/web-app.ts';
import { until } from '../support/until.ts';
import { holdWriteLock } from '../support/write-lock.ts';

// A list of Google Takeout, with a place that has neither a name nor an address.
const WANT = `Title,Note,URL
Da Enzo,With Mia in spring,https://www.google.com/maps/place/Da+Enzo/data=!4m2!3m1!1s0x1:0x2
Roscioli,Never without a table,https://www.google.com/maps/place/Roscioli/data=!4m2!3m1!1s0x3:0x4
,,https://www.google.com/maps/search/41.89,12.47
`;
const KML = `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Rome</name>
<Placemark><name>Armando</name><description>Ask for the cellar</description>
<Point><coordinates>12.4768,41.8989,0</coordinates></Point></Placemark>
</Document></kml>`;

interface Friends {
  readonly service: Service;
  /** An administrator, who has written Da Enzo. */
  readonly alice: Person;
  /** No administrators. */
  readonly bob: Person;
  readonly mia: Person;
}

async function startFriends(t: TestContext, settings: object = {}): Promise<Friends> {
  const service = await startService(t, { ...LOCAL, ...settings });
  const [alice, bob, mia] = [
    await signUp(service, 'alice'),
    await signUp(service, 'bob'),
    await signUp(service, 'mia'),
  ];
  makeAdmin(service, alice);
  await addRestaurants(alice.api, 'Da Enzo');
  return { service, alice, bob, mia };
}

/** Opens the import as Bob, who is no administrator. */
async function openAsBob(t: TestContext, options: AppOptions = {}, settings = {}): Promise<App & Friends> {
  const friends = await startFriends(t, settings);
  const { service, bob: user } = friends;
  return { ...friends, ...(await openApp(t, service, { user, path: '/settings/import', ...options })) };
}

const choose = (page: Page, name: string, text: string): Promise<void> =>
  page
    .getByLabel('Choose a file')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });

const names = async ({ api }: Person): Promise<unknown[]> =>
  array((await api.get('/restaurants?sort=name')).body).map((place) => field(place, 'name'));

/** All that a person reads of the places and of what was changed. */
async function read({ api }: Person): Promise<string> {
  const bodies = [];
  for (const path of ['/restaurants?include=mine', '/changes', '/search?q=Roscioli', '/lists?include=items'])
    bodies.push(bodyOf(await api.get(path)));
  return JSON.stringify(bodies);
}

describe('the import of saved lists in the web app', { skip: NO_BROWSER }, () => {
  mainPath(
    'fills the list of a friend, with her notes for her alone, and takes all of it back',
    async (t) => {
      const { page, bob, mia } = await openAsBob(t, { viewport: PHONE, hasTouch: true, path: '/lists' });
      await page.getByRole('link', { name: 'Bring a list from Google Maps' }).click();
      await choose(page, 'Want to go.csv', WANT);
      await page.getByText('1 new, 1 here already, 1 unreadable').waitFor();
      await page.getByText('Your notes stay private').waitFor();
      await page.getByLabel('They go on this list').getByText('Want to go').waitFor({ state: 'attached' });
      assert.deepEqual(await names(bob), ['Da Enzo']);

      await page.getByRole('button', { name: 'Import 2 places' }).click();
      await page.getByText('2 places are now on “Want to go”').first().waitFor();
      await page.getByRole('link', { name: 'See the list' }).click();
      await page.getByText('Never without a table').waitFor();
      await page.getByText('With Mia in spring').waitFor();
      assert.deepEqual(await names(mia), ['Da Enzo', 'Roscioli']);
      assert.doesNotMatch(await read(mia), /without a table|in spring/);
      assert.deepEqual(await namesOn(mia.api, 'want'), []);

      await page.goBack();
      await page.getByRole('main').getByRole('button', { name: 'Undo' }).first().click();
      await page.getByText('Undone').first().waitFor();
      assert.deepEqual(await namesOn(bob.api, 'want'), []);
      assert.deepEqual(await names(mia), ['Da Enzo']);
    },
  );

  test('reads KML into a list of its name', async (t) => {
    const { page, bob } = await openAsBob(t);
    await choose(page, 'Rome.kml', KML);
    await page.getByLabel('They go on this list').getByText('Rome').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Import 1 place' }).click();
    await page.getByRole('link', { name: 'See the list' }).click();
    await page.getByRole('heading', { name: 'Rome' }).waitFor();
    await page.getByText('Ask for the cellar').waitFor();
    assert.deepEqual(await names(bob), ['Armando', 'Da Enzo']);
  });

  test('puts the places on another list that was chosen', async (t) => {
    const { page, bob } = await openAsBob(t);
    await choose(page, 'Rome.kml', KML);
    await page.getByLabel('They go on this list').selectOption({ label: 'Favourites' });
    await holds(page, `document.querySelector('progress') === null`);
    await page.getByRole('button', { name: 'Import 1 place' }).click();
    await page.locator('.found').getByText('1 place is now on “Favourites”').waitFor();
    assert.deepEqual(await namesOn(bob.api, 'favourites'), ['Armando']);
    assert.equal(array((await bob.api.get('/lists')).body).length, 2);
  });

  test('lists what only administrators may add, each to be suggested', async (t) => {
    const { page, bob, alice } = await openAsBob(t, {}, { WRITE_ACCESS: 'admins' });
    await choose(page, 'Want to go.csv', WANT);
    await page.getByText('1 here already, 1 not in the catalogue, 1 unreadable').waitFor();
    await page.getByRole('button', { name: 'Import 1 place' }).click();
    await page.getByText('1 place is now on “Want to go”').first().waitFor();
    assert.deepEqual(await namesOn(bob.api, 'want'), ['Da Enzo']);

    await page.getByRole('link', { name: 'Suggest it Roscioli' }).click();
    await page.getByRole('button', { name: 'Suggest it' }).click();
    await page.getByText('Suggested Roscioli').waitFor();
    const [suggestion] = array((await alice.api.get('/suggestions')).body);
    assert.equal(field(suggestion, 'name'), 'Roscioli');
    assert.deepEqual(await names(bob), ['Da Enzo', 'Roscioli']);
  });

  test('says in words why a file is not taken', async (t) => {
    const { page } = await openAsBob(t, { refusals: [400, 403] });
    const alert = page.getByRole('alert');
    const another = page.getByRole('button', { name: 'Another file' });
    await choose(page, 'Takeout.zip', 'PK\x03\x04 cut short');
    await alert.getByText('This archive is damaged. Download it or pack it again.').waitFor();
    await another.click();
    await choose(page, 'places.csv', 'name,address\nSoba Ya,1 Street\n');
    await alert.getByText('Only administrators may import such a file').waitFor();
    await another.click();
    await choose(page, 'Rome.kml', KML.slice(0, 200));
    await page.getByText(/^1 new, 1 unreadable \(line \d: the file ends in the middle\)/).waitFor();
  });

  test('waits for another import to end', async (t) => {
    const { page, service, alice } = await openAsBob(t);
    const release = holdWriteLock(t, service.folder);
    const other = importText(alice.api, 'name\nSoba Ya\n');
    await choose(page, 'Want to go.csv', WANT);
    await until(() => spooled(service.folder).length === 2);
    release();
    bodyOf(await other);
    await page.getByRole('button', { name: 'Import 2 places' }).waitFor();
  });

  test('says that it needs a connection, and goes on once there is one', async (t) => {
    const { page, context } = await openAsBob(t, { unreachable: true });
    await context.setOffline(true);
    await choose(page, 'Want to go.csv', WANT);
    await page.getByRole('alert').getByText('Importing needs a connection').waitFor();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Import 2 places' }).waitFor();
  });

  test('is undone from Activity by who made it, and by no other user', async (t) => {
    const { service, bob, mia } = await startFriends(t);
    bodyOf(await importText(bob.api, WANT, {}, { filename: 'Want to go.csv' }));
    const others = await openApp(t, service, { user: mia, path: '/activity' });
    await others.page.getByText('bob imported').waitFor();
    assert.equal(await others.page.getByRole('button', { name: 'Undo: bob imported' }).count(), 0);

    const { page } = await openApp(t, service, { user: bob, path: '/activity' });
    await page.getByRole('button', { name: 'Undo: You imported Want to go.csv' }).click();
    await page.getByText('undone').first().waitFor();
    assert.deepEqual(await names(mia), ['Da Enzo']);
    assert.deepEqual(await namesOn(bob.api, 'want'), []);
  });

  test('is not undone once others have rated a place of it, and names that place', async (t) => {
    const { page, mia } = await openAsBob(t, { refusals: [409] });
    await choose(page, 'Rome.kml', KML);
    await page.getByRole('button', { name: 'Import 1 place' }).click();
    await page.getByRole('link', { name: 'See the list' }).click();
    await page.getByText('Ask for the cellar').waitFor();
    const stars = { food_rating: 5, service_rating: 5, ambiance_rating: 5 };
    bodyOf(await mia.api.post('/ratings', { restaurant_id: 2, ...stars }));
    await page.goBack();
    await page.getByRole('main').getByRole('button', { name: 'Undo' }).first().click();
    await page.getByText('This cannot be undone: Armando was changed or rated since.').waitFor();
    assert.deepEqual(await names(mia), ['Armando', 'Da Enzo']);
  });

  testAccess('The import of a list with unknown places', async (t, options) => {
    const { page } = await openAsBob(t, options, { WRITE_ACCESS: 'admins' });
    await choose(page, 'Want to go.csv', WANT);
    await page.getByRole('link', { name: 'Suggest it Roscioli' }).waitFor();
    return page;
  });

  testAccess('The end of an import', async (t, options) => {
    const { page } = await openAsBob(t, options);
    await choose(page, 'Want to go.csv', WANT);
    await page.getByRole('button', { name: 'Import 2 places' }).click();
    await page.getByRole('link', { name: 'See the list' }).waitFor();
    return page;
  });

  test('fits a window of 320 pixels, and so does the way to it', async (t) => {
    const { page } = await openAsBob(t, { viewport: { width: 320, height: 568 }, path: '/lists' });
    await page.getByRole('link', { name: 'Bring a list from Google Maps' }).waitFor();
    assert.equal(await scrollsSideways(page), false);
    await page.getByRole('link', { name: 'Bring a list from Google Maps' }).click();
    await page.getByText('Earlier imports').waitFor();
    assert.equal(await scrollsSideways(page), false);
    await choose(page, 'Want to go.csv', WANT);
    await page.getByRole('button', { name: 'Import 2 places' }).waitFor();
    assert.equal(await scrollsSideways(page), false);
  });
});

describe('the export of the web app', { skip: NO_BROWSER }, () => {
  test('downloads the catalogue in each format, without an account', async (t) => {
    const { service } = await startFriends(t);
    const { page } = await openApp(t, service, { path: '/settings/import' });
    assert.equal(await page.getByLabel('Choose a file').count(), 0);
    const catalogue = page.getByRole('region', { name: 'Download the catalogue' });
    const download = async (format: string): Promise<string> => {
      const waiting = page.waitForEvent('download');
      await catalogue.getByRole('link', { name: format, exact: true }).click();
      return readFileSync(await (await waiting).path(), 'utf8');
    };
    const [head = '', first = ''] = (await download('CSV')).split(/\r?\n/);
    assert.equal(first.split(',')[head.split(',').indexOf('name')], 'Da Enzo');
    assert.equal(field(JSON.parse(await download('GeoJSON')), 'type'), 'FeatureCollection');
    const lines = (await download('JSON lines')).trimEnd().split('\n');
    assert.ok(lines.some((line) => field(JSON.parse(line), 'name') === 'Da Enzo'));
    const kml = await download('KML');
    const read = `(() => {
      const kml = new DOMParser().parseFromString(${JSON.stringify(kml)}, 'application/xml');
      return [...kml.querySelectorAll('parsererror, Placemark > name')].map((one) => one.textContent);
    })()`;
    // The app itself takes no markup from a text.
    const blank = await page.context().newPage();
    assert.deepEqual(await blank.evaluate(read), ['Da Enzo']);
  });

  test('downloads a list, which only its owner can read, for other maps', async (t) => {
    const { page, bob, alice } = await openAsBob(t);
    await addRestaurants(alice.api, 'Roscioli');
    bodyOf(await putItem(bob.api, 'want', 2, { note: 'Never without a table' }));
    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByRole('link', { name: 'Want to go' }).click();
    await page.getByRole('button', { name: 'Edit order' }).click();
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as KML' }).click();
    const file = await waiting;
    assert.equal(file.suggestedFilename(), 'Want to go.kml');
    const kml = readFileSync(await file.path(), 'utf8');
    assert.match(kml, /<name>Roscioli<\/name>/);
    assert.match(kml, /<\/kml>\s*$/);
    assert.doesNotMatch(kml, /Da Enzo|without a table/);
  });
});
