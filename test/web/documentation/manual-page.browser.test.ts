import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, mainPath, test } from '../../support/chromium.ts';
import { openDocs } from '../../support/docs-page.ts';
import { manualPages } from '../../support/manual.ts';
import { startService } from '../../support/service.ts';
import { holds, press, scrollsSideways, violations } from '../../support/web-app.ts';

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const SMALL = { width: 320, height: 640 };

describe('a page of the manual', { skip: NO_BROWSER }, () => {
  for (const [colorScheme, viewport] of [
    ['light', PHONE],
    ['dark', DESKTOP],
  ] as const)
    test(`is accessible in the ${colorScheme} theme, ${viewport.width} pixels wide`, async (t) => {
      const service = await startService(t);
      const { page } = await openDocs(t, service, { path: '/manual', viewport, colorScheme });
      for (const path of ['/manual?q=secret', ...(await manualPages(service)).map(({ path }) => path)]) {
        await page.goto(service.url + path);
        // A script of the page finds out what scrolls, once the page has its layout.
        await holds(
          page,
          `[...document.querySelectorAll('.table, .code pre')].every(
            (part) => part.scrollWidth <= part.clientWidth || part.tabIndex === 0)`,
        );
        assert.deepEqual(await violations(page), [], path);
      }
    });

  test('needs no scrolling sideways, however small the screen is', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service, { path: '/manual' });
    for (const { path } of await manualPages(service)) {
      await page.goto(service.url + path);
      for (const viewport of [DESKTOP, PHONE, SMALL]) {
        await page.setViewportSize(viewport);
        assert.equal(await scrollsSideways(page), false, `${path} ${viewport.width}`);
      }
    }
  });

  test('copies the code that it shows', async (t) => {
    const service = await startService(t);
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page } = await openDocs(t, service, { path: '/manual/install', permissions });
    const block = page.locator('.code').first();
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    const text = await block.locator('pre').textContent();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), text);
  });

  test('can be read by the keyboard: past its list, and within what scrolls', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service, { path: '/manual/configure', viewport: PHONE });
    await press(page, 'Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
    await press(page, 'Enter');
    await holds(page, `document.activeElement.id === 'main'`);
    await holds(page, `document.querySelector('.table').tabIndex === 0`);
    await page.locator('.table').first().focus();
    await press(page, 'ArrowRight');
    await holds(page, `document.querySelector('.table').scrollLeft > 0`);
    // On a wide screen everything is there, and nothing is a stop on the way.
    await page.setViewportSize({ width: 1920, height: 900 });
    await holds(page, `document.querySelector('.table').tabIndex === -1`);
  });

  test('leads on to the next page and back, and to its parts', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service, { path: '/manual' });
    const pages = await manualPages(service);
    for (const { path } of pages.slice(1)) {
      await page.locator('[rel=next]').click();
      await page.waitForURL(`**${path}`);
    }
    assert.equal(await page.locator('[rel=next]').count(), 0);
    await page.locator('[rel=prev]').click();
    await page.waitForURL(`**${pages.at(-2)?.path ?? ''}`);
    const part = page.locator('nav ul ul a').last();
    await part.click();
    // Nothing of it is under the bar at the top.
    await holds(
      page,
      `document.getElementById(decodeURIComponent(location.hash.slice(1))).getBoundingClientRect().top >=
        document.querySelector('header').getBoundingClientRect().bottom`,
    );
  });

  for (const javaScriptEnabled of [true, false])
    test(`has its list behind a button on a phone, with${javaScriptEnabled ? '' : 'out'} scripts`, async (t) => {
      const service = await startService(t);
      const [, { path, title } = { path: '', title: '' }] = await manualPages(service);
      const { page } = await openDocs(t, service, { path, viewport: PHONE, javaScriptEnabled });
      assert.equal((await page.getByRole('button', { name: 'Copy' }).count()) > 0, javaScriptEnabled);
      const list = page.getByRole('navigation');
      assert.equal(await list.isVisible(), false);
      const button = page.getByRole('button', { name: 'Menu' });
      await button.click();
      await list.waitFor();
      await press(page, 'Escape');
      await list.waitFor({ state: 'hidden' });
      await button.click();
      if (javaScriptEnabled) {
        assert.deepEqual(await violations(page), []);
        await list.locator('ul ul a').first().click();
        await list.waitFor({ state: 'hidden' });
        await button.click();
      }
      await list.getByRole('link', { name: 'Manual', exact: true }).click();
      await page.waitForURL('**/manual');
      await page.getByRole('main').getByRole('link', { name: title, exact: true }).click();
      await page.waitForURL(`**${path}`);
    });

  mainPath('finds words in the whole manual', async (t) => {
    const service = await startService(t);
    const [, { path, title } = { path: '', title: '' }] = await manualPages(service);
    const { page } = await openDocs(t, service, { path: '/manual' });
    await page.getByRole('searchbox').fill(title);
    await press(page, 'Enter');
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), title);
    await page.getByRole('main').getByRole('link', { name: title, exact: true }).click();
    await page.waitForURL(`**${path}`);
  });

  test('is printed without what only a screen needs', async (t) => {
    const service = await startService(t);
    const { page } = await openDocs(t, service, { path: '/manual/install' });
    await page.emulateMedia({ media: 'print' });
    for (const part of ['header', 'nav', 'footer', '.copy'])
      assert.equal(await page.locator(part).first().isVisible(), false, part);
    assert.equal(await page.locator('main pre').first().isVisible(), true);
  });
});
