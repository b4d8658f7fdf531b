import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, mainPath } from '../support/chromium.ts';
import { holds, numbered, openAsAlice, openNew, press } from '../support/web-app.ts';

const SCROLLER = `document.querySelector('[data-scroll]')`;

describe('Explore', { skip: NO_BROWSER }, () => {
  mainPath('rates from the list with two presses, and takes it back with one', async (t) => {
    const { page, service } = await openAsAlice(t, { places: [{ name: 'Soba Ya' }] });
    await page.getByRole('button', { name: 'Rate Soba Ya' }).click();
    await page.getByRole('dialog').getByText('4 stars').first().click({ force: true });
    await page.getByText('Rated Soba Ya 4 stars').waitFor();
    const stored = await service.api.get('/restaurants/1/ratings');
    assert.equal(Array.isArray(stored.body) && stored.body.length, 1);
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await press(page, 'u');
    await page.getByText('Undone').waitFor();
    assert.deepEqual((await service.api.get('/restaurants/1/ratings')).body, []);
  });

  mainPath('goes back to where it was left', async (t) => {
    const { page } = await openNew(t, { places: numbered(40) });
    await page.evaluate(`${SCROLLER}.scrollTo(0, 900)`);
    await holds(page, 'history.state?.scroll === 900');
    const name = page.locator('.row .name').nth(12);
    await name.focus();
    await holds(page, 'history.state?.focus != null');
    const before = await page.evaluate<number>(`${SCROLLER}.scrollTop`);
    await press(page, 'Enter');
    await page.waitForURL('**/restaurants/*');
    await page.goBack();
    await holds(page, `${SCROLLER}?.scrollTop > 100`);
    const after = await page.evaluate<number>(`${SCROLLER}.scrollTop`);
    assert.ok(Math.abs(after - before) <= 2, `${before} and ${after}`);
    assert.equal(await page.locator('.row .name:focus').count(), 1);
  });
});
