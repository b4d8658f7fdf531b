import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LOCAL, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { NO_BROWSER, holds, openApp, press, settled, testAccess } from '../support/web-app.ts';

const SCROLLER = `document.querySelector('[data-scroll]')`;
const PLACES = ['Osteria Uno', 'Café Lilas', 'Soba Ya'];

describe('Explore', { skip: NO_BROWSER }, () => {
  testAccess('Explore', async (t, options) => {
    const service = await startService(t);
    for (const name of PLACES) await service.api.post('/restaurants', { name });
    return (await openApp(t, service, options)).page;
  });

  test('shows the rows of the API in its order, with their number', async (t) => {
    const service = await startService(t);
    for (const name of PLACES) await service.api.post('/restaurants', { name });
    const { page } = await openApp(t, service, { path: '/?sort=name' });
    assert.deepEqual(await page.locator('.row .name').allTextContents(), [
      'Café Lilas',
      'Osteria Uno',
      'Soba Ya',
    ]);
    assert.equal(await page.locator('h1').textContent(), '3 places');
  });

  test('rates from the list with two presses, and takes it back with one', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    await alice.api.post('/restaurants', { name: 'Soba Ya' });
    const { page } = await openApp(t, service, { user: alice });
    await page.getByRole('button', { name: 'Rate Soba Ya' }).click();
    await page.getByRole('dialog').getByText('4 stars').first().click({ force: true });
    await page.getByText('Rated Soba Ya 4 · 4 · 4').waitFor();
    const stored = await service.api.get('/restaurants/1/ratings');
    assert.equal(Array.isArray(stored.body) && stored.body.length, 1);
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await press(page, 'u');
    await page.getByText('Undone').waitFor();
    assert.deepEqual((await service.api.get('/restaurants/1/ratings')).body, []);
  });

  test('goes back to where it was left', async (t) => {
    const service = await startService(t);
    for (let at = 1; at <= 40; at += 1) await service.api.post('/restaurants', { name: `Place ${at}` });
    const { page } = await openApp(t, service);
    await page.evaluate(`${SCROLLER}.scrollTo(0, 900)`);
    await holds(page, 'history.state?.scroll === 900');
    const name = page.locator('.row .name').nth(12);
    await name.focus();
    await holds(page, 'history.state?.focus != null');
    const before = await page.evaluate<number>(`${SCROLLER}.scrollTop`);
    await press(page, 'Enter');
    await page.waitForURL('**/restaurants/*');
    await page.goBack();
    await settled(page);
    await holds(page, `${SCROLLER}.scrollTop > 100`);
    const after = await page.evaluate<number>(`${SCROLLER}.scrollTop`);
    assert.ok(Math.abs(after - before) <= 2, `${before} and ${after}`);
    assert.equal(await page.locator('.row .name:focus').count(), 1);
  });
});
