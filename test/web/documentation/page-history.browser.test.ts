import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, test } from '../../support/chromium.ts';
import { field, record } from '../../support/client.ts';
import { goTo, openDocs, sendForm, showOptional } from '../../support/docs-page.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

describe('the history on the page at /api/docs', { skip: NO_BROWSER }, () => {
  test('is a group with a description', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service);
    const group = page.locator('.overview section', { has: page.locator('h2', { hasText: 'History' }) });
    assert.match((await group.locator('p').first().textContent()) ?? '', /author, time and values/);
    await group.getByRole('link', { name: 'List changes' }).click();
    assert.equal((await sendForm(page)).status, '200 OK');
  });

  test('undoes what was just written there', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service, { hash: 'createRestaurant' });
    assert.equal((await sendForm(page)).status, '201 Created');
    await goTo(page, 'revertChange');
    assert.equal(await page.getByRole('textbox', { name: 'id required' }).inputValue(), '1');
    const { status, body } = await sendForm(page);
    assert.equal(status, '200 OK');
    assert.equal(field(JSON.parse(body), 'reverts'), 1);
    assert.equal((await service.api.get('/restaurants/1')).status, 404);
  });

  test('is followed there until that is stopped', async (t) => {
    const service = await startService(t);
    await service.api.post('/restaurants', { name: 'Chez Nous' });
    const { page } = await openDocs(t, service, { hash: 'streamChanges' });
    await showOptional(page);
    await page.getByLabel('since').fill('start');
    assert.match((await page.getByLabel('curl').textContent()) ?? '', /^curl -N 'http.*since=start'/);
    await page.getByRole('button', { name: 'Send' }).click();
    const shown = page.locator('.answer pre');
    await shown.filter({ hasText: 'Chez Nous' }).waitFor();
    await service.api.post('/restaurants', { name: 'Trattoria' });
    await shown.filter({ hasText: 'Trattoria' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    assert.match((await shown.textContent()) ?? '', /^event: ready\nid: /);
    // A request is logged when its answer has ended.
    await until(() => service.logs.some((line) => record(line)['path'] === '/api/changes/stream'));
  });
});
