import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, field } from '../support/client.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { holds, openApp, openNew, press, settled } from '../support/web-app.ts';

const ENZO = {
  name: 'Trattoria Da Enzo',
  address: 'Via dei Vascellari 29',
  phone: '06 581 2260',
  category_id: 1,
  price_level: 2,
  diets: { vegan: 'only', halal: 'no' },
  latitude: 41.8884,
  longitude: 12.4775,
};

describe('The form of a place', { skip: NO_BROWSER }, () => {
  mainPath('sends the fields that differ and no others, and takes them back', async (t) => {
    const { page, service } = await openNew(t, { places: [ENZO], path: '/restaurants/1/edit' });
    await page.getByLabel('Phone').fill('');
    await page.getByLabel('Price').selectOption('3');
    await page.getByRole('button', { name: 'Halal' }).click();
    // Meanwhile someone else changes another field.
    await service.api.put('/restaurants/1', { address: 'Via Nuova 1' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Changed Trattoria Da Enzo').waitFor();
    const { body } = await service.api.get('/restaurants/1');
    assert.equal(field(body, 'phone'), null);
    assert.equal(field(body, 'price_level'), 3);
    assert.equal(field(body, 'address'), 'Via Nuova 1');
    assert.equal(field(field(body, 'diets'), 'halal'), 'yes');
    assert.equal(field(field(body, 'diets'), 'vegan'), 'only');
    const [change] = array(field((await service.api.get('/changes?order=newest')).body, 'data'));
    assert.deepEqual(field(change, 'fields'), ['phone', 'price_level', 'diets']);
    await press(page, 'u');
    await page.getByText('Undone').waitFor();
    const after = (await service.api.get('/restaurants/1')).body;
    assert.equal(field(after, 'phone'), ENZO.phone);
    assert.equal(field(after, 'address'), 'Via Nuova 1');
  });

  test('takes a position from the map, from numbers and from a link, and says what is none', async (t) => {
    const { page, service } = await openNew(t, { places: [ENZO], path: '/restaurants/1/edit' });
    const position = page.locator('#field-position');
    assert.equal(await position.inputValue(), '41.8884, 12.4775');
    await page.getByRole('button', { name: 'Pick on the map' }).click();
    const map = page.locator('.place-map');
    await map.locator('.map-drop').waitFor();
    await map.click({ position: { x: 60, y: 110 } });
    await holds(page, `document.querySelector('#field-position').value !== '41.8884, 12.4775'`);
    const [lat = 0, lng = 0] = (await position.inputValue()).split(', ').map(Number);
    assert.ok(lat > 41.8884 && lat < 41.9 && lng < 12.4775 && lng > 12.46, `${lat}, ${lng}`);
    await position.fill('somewhere');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This is no position').waitFor();
    await position.fill('https://www.openstreetmap.org/?mlat=41.5&mlon=12.5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Changed Trattoria Da Enzo').waitFor();
    const { body } = await service.api.get('/restaurants/1');
    assert.deepEqual([field(body, 'latitude'), field(body, 'longitude')], [41.5, 12.5]);
  });

  test('sends nothing where nothing was changed', async (t) => {
    const { page, requests } = await openNew(t, { places: [ENZO], path: '/restaurants/1/edit' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL('**/restaurants/1');
    assert.deepEqual(
      requests.filter((request) => request.startsWith('PUT')),
      [],
    );
  });

  test('has its draft again after a reload, and forgets it when it is left', async (t) => {
    const { page, service } = await openNew(t, { places: [ENZO], path: '/restaurants/1/edit' });
    await page.getByLabel('Description').fill('Twelve tables');
    await page.reload();
    await settled(page);
    await holds(page, `document.querySelector('#field-description')?.value === 'Twelve tables'`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL('**/restaurants/1');
    await page.goto(`${service.url}/restaurants/1/edit`);
    await holds(page, `document.querySelector('#field-description')?.value === ''`);
  });

  test('is for administrators where only they may write', async (t) => {
    const service = await startService(t, {
      ...LOCAL,
      WRITE_ACCESS: 'admins',
      ADMIN_EMAIL: 'root@example.com',
      ADMIN_PASSWORD: 'a root and its password',
    });
    const alice = await signUp(service, 'alice');
    const login = await service.api.post('/auth/login', {
      email: 'root@example.com',
      password: 'a root and its password',
    });
    const token = String(field(login.body, 'access_token'));
    await service.api.post('/restaurants', ENZO, { Authorization: `Bearer ${token}` });
    const { page } = await openApp(t, service, { user: alice, path: '/restaurants/1/edit' });
    await page.getByRole('heading', { name: 'For administrators' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  });
});
