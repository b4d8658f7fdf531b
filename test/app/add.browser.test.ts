import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, field } from '../support/client.ts';
import { sending, startFakeServer } from '../support/fake-server.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { mapWithGoogle } from '../support/places.ts';
import { startService } from '../support/service.ts';
import { becomes } from '../support/until.ts';
import {
  fillSignIn,
  holds,
  openApp,
  openAsAlice,
  openNew,
  press,
  settled,
  testAccess,
} from '../support/web-app.ts';

const ENZO = {
  name: 'Trattoria Da Enzo',
  address: 'Via dei Vascellari 29',
  latitude: 41.8884,
  longitude: 12.4775,
};
const LINK =
  'https://maps.apple.com/?ll=41.8884,12.4775&q=Trattoria%20Da%20Enzo&address=Via%20dei%20Vascellari%2029';

const box = (page: Page): Locator => page.getByLabel('Name, address or maps link');
const button = (page: Page, name: string): Locator =>
  page.locator('form.place-form').getByRole('button', { name });
const detail = (page: Page, label: string): Locator => page.locator('form.place-form').getByLabel(label);
const openDetails = (page: Page): Promise<void> => page.getByText('Add details', { exact: true }).click();

describe('Add', { skip: NO_BROWSER }, () => {
  testAccess('Add, with all of its parts', async (t, options) => {
    const { page } = await openNew(t, { places: [ENZO], ...options, path: '/add', refusals: [400] });
    await button(page, 'Add').click();
    await page.getByText('Fill this in.').waitFor();
    await box(page).fill('Enzo https://www.google.com/maps/@41.8884,12.4775,17z');
    await page.getByRole('heading', { name: 'Already here?' }).waitFor();
    return page;
  });

  mainPath('adds a place by a link that was pasted, and takes it back', async (t) => {
    const { page, requests, service } = await openNew(t, { path: '/add', refusals: [404] });
    await box(page).fill(LINK);
    await button(page, 'Add').dblclick();
    await page.waitForURL('**/restaurants/*');
    const [place] = array((await service.api.get('/restaurants')).body);
    for (const [name, value] of Object.entries(ENZO)) assert.equal(field(place, name), value);
    await page.getByText('Added Trattoria Da Enzo').waitFor();
    assert.equal(requests.filter((request) => request.startsWith('POST /api/restaurants')).length, 1);
    await press(page, 'u');
    await page.waitForURL('**/add');
    await page.getByText('Undone').waitFor();
    assert.deepEqual((await service.api.get('/restaurants')).body, []);
    await becomes(() => box(page).inputValue(), LINK);
  });

  test('names what looks the same and is here already, and says why', async (t) => {
    const { page, requests } = await openNew(t, {
      places: [
        { ...ENZO, phone: '+39 06 581 2260' },
        { name: 'Enzo', address: 'Via Appia 3', latitude: 41.8894, longitude: 12.4775 },
        { name: 'Elsewhere', latitude: 41.9, longitude: 12.4775 },
      ],
      path: '/add',
    });
    await box(page).fill('da enzo');
    await page.getByRole('link', { name: 'Open Trattoria Da Enzo' }).waitFor();
    await openDetails(page);
    await page.locator('#field-address').fill('Via dei Vascellari 29');
    await detail(page, 'Phone').fill('06 5812260');
    await page
      .getByText('Here already · Via dei Vascellari 29 · Same phone · Similar name · Same address')
      .waitFor();
    await detail(page, 'Position').fill('41.8884, 12.4775');
    await page.getByText('Same address · Same spot').waitFor();
    // The one that is certain comes first.
    assert.match((await page.locator('.lines strong').first().textContent()) ?? '', /Trattoria Da Enzo/);
    assert.equal(await page.getByText('Elsewhere').count(), 0);
    assert.equal(requests.filter((request) => request.includes('/api/search')).length, 0);
  });

  test('names what is within 150 m of a position without a name', async (t) => {
    const { page } = await openNew(t, {
      places: [
        { ...ENZO, latitude: 41.8894 },
        { name: 'Elsewhere', latitude: 41.9, longitude: 12.4775 },
      ],
      path: '/add',
    });
    await box(page).fill('geo:41.8884,12.4775');
    await page.getByText('110 m away').waitFor();
    assert.equal(await page.getByText('Elsewhere').count(), 0);
  });

  test('asks the maps provider when Enter is pressed, never while typing', async (t) => {
    const { service, provider } = await mapWithGoogle(t);
    const { page, requests } = await openApp(t, service, { path: '/add' });
    await box(page).pressSequentially('chez nous');
    await holds(
      page,
      `performance.getEntriesByType('resource').some(({ name }) => name.includes('/api/restaurants/similar'))`,
    );
    assert.deepEqual(
      requests.filter((request) => request.includes('/places')),
      [],
    );
    assert.equal(provider.asked.length, 0);
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Choose Chez Nous' }).click();
    await openDetails(page);
    await holds(page, `document.querySelector('#field-phone').value !== ''`);
    assert.equal(await page.locator('#field-name').inputValue(), 'Chez Nous');
    await button(page, 'Add').click();
    await page.waitForURL('**/restaurants/*');
    const [place] = array((await service.api.get('/restaurants')).body);
    assert.equal(field(place, 'google_place_id'), 'ChIJ-chez_nous');
    assert.equal(field(place, 'website'), 'https://chez-nous.example/');
    assert.equal(field(place, 'latitude'), 48.858);
  });

  test('shows faults at their fields, and puts the focus on the first', async (t) => {
    const { page } = await openNew(t, { path: '/add', refusals: [400] });
    await openDetails(page);
    await detail(page, 'Website').fill('ftp://daenzo.example');
    await button(page, 'Add').click();
    await holds(page, `document.activeElement?.id === 'field-name'`);
    const name = page.locator('#field-name');
    assert.equal(await name.getAttribute('aria-invalid'), 'true');
    assert.equal(await detail(page, 'Website').getAttribute('aria-invalid'), 'true');
    assert.match(
      (await page.locator('#field-website-fault').textContent()) ?? '',
      /Write a web address, such as https:/,
    );
    await name.fill('Da Enzo');
    await page.locator('#field-name-fault').waitFor({ state: 'hidden' });
  });

  test('leads to the place that is here already', async (t) => {
    const service = await startService(t);
    const id = Number(field((await service.api.post('/restaurants', ENZO)).body, 'id'));
    const { page } = await openApp(t, service, { path: '/add', refusals: [409] });
    await box(page).fill(LINK);
    await button(page, 'Add').click();
    await page.getByRole('alert').getByText('Trattoria Da Enzo is already here.').waitFor();
    const twin = page.locator('.twin');
    assert.equal(await twin.getByRole('link', { name: 'Open' }).getAttribute('href'), `/restaurants/${id}`);
    await twin.getByRole('button', { name: 'Rate' }).click();
    await page.getByRole('dialog', { name: 'Rate Trattoria Da Enzo' }).waitFor();
  });

  test('has the draft again after a reload, and not once it was sent', async (t) => {
    const { page, service } = await openNew(t, { path: '/add' });
    await box(page).fill('Da Enzo');
    await openDetails(page);
    await detail(page, 'Description').fill('Twelve tables');
    await page.getByRole('button', { name: 'Pizza' }).click();
    await page.reload();
    await settled(page);
    assert.equal(await box(page).inputValue(), 'Da Enzo');
    await openDetails(page);
    assert.equal(await detail(page, 'Description').inputValue(), 'Twelve tables');
    await button(page, 'Add').click();
    await page.waitForURL('**/restaurants/*');
    const [place] = array((await service.api.get('/restaurants')).body);
    assert.deepEqual(
      array(field(place, 'food_types')).map((food) => field(food, 'name')),
      ['Pizza'],
    );
    await page.goto(`${service.url}/add`);
    await settled(page);
    assert.equal(await box(page).inputValue(), '');
  });

  test('makes a suggestion where only administrators may write', async (t) => {
    const { page, service } = await openAsAlice(t, {
      settings: { ...LOCAL, WRITE_ACCESS: 'admins' },
      path: '/add',
    });
    assert.equal(await page.locator('h1').textContent(), 'Suggest a place');
    await box(page).fill(LINK);
    await openDetails(page);
    await detail(page, 'Why this place?').fill('Best amatriciana');
    assert.equal(await detail(page, 'Price').count(), 0);
    await button(page, 'Suggest it').click();
    await page.waitForURL('**/suggestions?sel=*');
    const [suggestion] = array((await service.api.get('/suggestions')).body);
    assert.equal(field(suggestion, 'name'), ENZO.name);
    assert.equal(field(suggestion, 'notes'), 'Best amatriciana');
    assert.equal(field(suggestion, 'latitude'), ENZO.latitude);
  });

  test('adds a place once who was signed out has signed in', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const { page } = await openApp(t, service, { path: '/add' });
    await box(page).fill(LINK);
    await button(page, 'Add').click();
    await page.waitForURL('**/sign-in?to=*');
    await fillSignIn(page, alice);
    await page.waitForURL('**/restaurants/*');
    const [place] = array((await service.api.get('/restaurants')).body);
    assert.equal(field(place, 'name'), ENZO.name);
  });

  test('takes what another app shares', async (t) => {
    const service = await startService(t, { MAP_LINKS: 'false' });
    const shared = `title=Trattoria%20Da%20Enzo&text=${encodeURIComponent('Trattoria Da Enzo\nhttps://maps.app.goo.gl/AbC')}`;
    const { page } = await openApp(t, service, { path: `/add?${shared}`, refusals: [503] });
    await page.getByText('This short link says nothing until it is opened.').waitFor();
    await openDetails(page);
    assert.equal(await page.locator('#field-name').inputValue(), 'Trattoria Da Enzo');
    await page.locator('#field-address').fill('Roma');
    await page.reload();
    await settled(page);
    assert.equal(await page.locator('#field-address').inputValue(), 'Roma');
  });

  test('asks where a short link leads that is shared, or pasted before Enter', async (t) => {
    const target = 'https://www.google.com/maps/place/Trattoria+Da+Enzo/data=!8m2!3d41.8884!4d12.4775';
    const hosts = await startFakeServer(t, sending(302, 'moved', { Location: target }));
    const mapHosts = new Map([['maps.app.goo.gl', hosts.url]]);
    const service = await startService(t, {}, { mapHosts });
    const { page, requests } = await openApp(t, service, { path: '/add?text=https://maps.app.goo.gl/AbC' });
    await page.getByText('Trattoria Da Enzo · 41.88840, 12.47750').waitFor();
    await button(page, 'Start over').click();
    await box(page).fill('https://maps.app.goo.gl/XyZ');
    await page.getByText('This short link says nothing until it is opened.').waitFor();
    assert.equal(requests.filter((request) => request.includes('/places/link')).length, 1);
    await press(page, 'Enter');
    await page.getByText('Trattoria Da Enzo · 41.88840, 12.47750').waitFor();
    await button(page, 'Add').click();
    await page.waitForURL('**/restaurants/*');
    const [place] = array((await service.api.get('/restaurants')).body);
    assert.equal(field(place, 'name'), ENZO.name);
    assert.equal(field(place, 'latitude'), ENZO.latitude);
  });

  test('says that a link leads to many places, at once or once its short link was followed', async (t) => {
    const list = 'https://www.google.com/maps/d/viewer?mid=AbC';
    const hosts = await startFakeServer(t, sending(302, 'moved', { Location: list }));
    const service = await startService(t, {}, { mapHosts: new Map([['maps.app.goo.gl', hosts.url]]) });
    const { page } = await openApp(t, service, {
      path: '/add?text=https://maps.app.goo.gl/AbC',
      refusals: [400],
    });
    const note = page.getByText('This link leads to a list or a map of many places.');
    await note.waitFor();
    assert.equal(await page.getByText('This short link says nothing').count(), 0);
    await box(page).fill('Trattoria Da Enzo');
    await note.waitFor({ state: 'detached' });
    await box(page).fill(list);
    await note.waitFor();
  });

  test('begins with the words of the address, which a search without results leads to', async (t) => {
    const { page } = await openNew(t, { path: '/add?text=zzz' });
    assert.equal(await box(page).inputValue(), 'zzz');
    await openDetails(page);
    assert.equal(await page.locator('#field-name').inputValue(), 'zzz');
    await button(page, 'Start over').click();
    await holds(page, `document.querySelector('#box').value === ''`);
  });

  test('leads who may import to the import', async (t) => {
    const { page } = await openNew(t, { path: '/add' });
    await page.getByRole('link', { name: 'Import a file' }).click();
    await page.waitForURL('**/settings/import');
  });

  test('takes the position of the person', async (t) => {
    const { page } = await openNew(t, {
      path: '/add',
      geolocation: { latitude: 41.5, longitude: 12.5 },
      permissions: ['geolocation'],
    });
    await box(page).fill('Da Enzo');
    await openDetails(page);
    await button(page, 'I am here').click();
    await page.getByText('41.50000, 12.50000').first().waitFor();
    await detail(page, 'Position').fill('');
    await page.getByText('41.50000, 12.50000').first().waitFor({ state: 'detached' });
  });
});
