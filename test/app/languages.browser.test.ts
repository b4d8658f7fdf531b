import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { filesAddress } from '../support/web-app-files.ts';
import { startFurnished } from '../support/web-app-screens.ts';
import {
  type AppOptions,
  follow,
  openApp,
  openNew,
  press,
  scrollsSideways,
  settled,
  violations,
} from '../support/web-app.ts';

/** What is stored with Latin letters: a user, the first letter of whom stands alone too, a client, a list and a time zone. */
const DATA = /\balice(?:@example\.com)?\b|Want to go\u2069?$|Asia\/Tokyo|^(?:a|node)$/g;

/** All that is shown or read out, text by text, but for names of keys and what is hidden from all. */
const SHOWN = `(() => {
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: parent, data } = walker.currentNode;
    if (!parent.closest('script, style, noscript, kbd, code, [name=language]')) texts.push(data);
  }
  for (const element of document.querySelectorAll('*'))
    for (const name of ['aria-label', 'aria-description', 'alt', 'title', 'placeholder'])
      texts.push(element.getAttribute(name) ?? '');
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
})()`;

const shownOn = (page: Page): Promise<string[]> => page.evaluate<string[]>(SHOWN);

/** The texts of a page with Latin letters, which the pseudo language has none of. */
const latinOn = async (page: Page): Promise<string[]> =>
  (await shownOn(page)).filter((text) => /[a-z]/i.test(text.replaceAll(DATA, '')));

/** How a page in a pseudo language is opened: each word of the app has changed letters there. */
const pseudo = (language: 'pseudo' | 'pseudo-rtl'): AppOptions => ({
  locale: 'ru-RU',
  prepare: (context) => context.addInitScript(`localStorage.setItem('language', '${language}')`),
});

describe('every screen of the web app in another language', { skip: NO_BROWSER }, () => {
  for (const [direction, language] of [
    ['left to right', 'pseudo'],
    ['right to left', 'pseudo-rtl'],
  ] as const)
    test(`has all of its words from the texts, is accessible and needs no scrolling sideways, ${direction}`, async (t) => {
      const { service, user, paths } = await startFurnished(t);
      const { page } = await openApp(t, service, { user, ...pseudo(language) });
      const stored: unknown[] = [];
      for (const path of ['/categories', '/food-types']) stored.push((await service.api.get(path)).body);
      const names = JSON.stringify(stored);
      const faults: string[] = [];
      for (const path of paths) {
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.goto(service.url + path);
        await settled(page);
        for (const text of await latinOn(page))
          if (!names.includes(JSON.stringify(text))) faults.push(`${path}: ${text}`);
        for (const width of [1280, 390, 320]) {
          await page.setViewportSize({ width, height: 800 });
          if (await scrollsSideways(page)) faults.push(`${path} is wider than ${width} pixels`);
          for (const violation of await violations(page))
            faults.push(`${path}, ${width} pixels: ${violation}`);
        }
      }
      assert.deepEqual(faults, []);
    });

  test('is the same whether the language was chosen on it or before', async (t) => {
    const { service, user, paths } = await startFurnished(t);
    const base = await filesAddress(service);
    const { page: chosen } = await openApp(t, service, { user });
    const cookie = { name: 'language', value: 'ar', url: service.url };
    const { page: loaded } = await openApp(t, service, {
      user,
      prepare: (context) => context.addCookies([cookie]),
    });
    // What a screen computes when it is first loaded must follow, too.
    for (const path of paths) await follow(chosen, base, path);
    await follow(chosen, base, '/settings/appearance');
    await chosen.getByLabel('Language').selectOption('ar');
    await chosen.locator('html[lang=ar][dir=rtl]').waitFor();
    const faults: string[] = [];
    for (const path of paths) {
      await follow(chosen, base, path);
      await follow(loaded, `${base}.ar`, path);
      const [one, other] = [await shownOn(chosen), await shownOn(loaded)];
      for (const text of one) if (!other.includes(text)) faults.push(`${path}: ${text}`);
    }
    assert.deepEqual(faults, []);
  });
});

describe('The language of the app', { skip: NO_BROWSER }, () => {
  mainPath('is chosen in Settings without loading the page again, and stays', async (t) => {
    const { page, context, service } = await openNew(t, {
      path: '/settings/appearance',
      places: [{ name: 'Da Enzo' }, { name: 'Ivo' }],
    });
    await page.evaluate('(globalThis.isOld = true)');
    await page.getByLabel('Language').selectOption({ label: 'Deutsch' });
    await page.getByLabel('Sprache').waitFor();
    await page.getByRole('link', { name: 'Entdecken' }).first().click();
    await page.getByRole('heading', { name: '2 Lokale' }).waitFor();
    assert.equal(await page.evaluate('globalThis.isOld'), true);
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie?.name, cookie?.value], ['language', 'de']);
    await page.goto(`${service.url}/settings/appearance`);
    await page.getByLabel('Sprache').selectOption({ label: 'العربية' });
    await page.locator('html[lang=ar][dir=rtl]').waitFor();
    await page.locator('select[name=language]').selectOption({ label: 'Deutsch' });
    await page.getByLabel('Sprache').waitFor();
    await page.locator('select[name=language]').selectOption({ label: 'English' });
    await page.locator('html[lang=en][dir=ltr]').waitFor();
    await page.getByRole('heading', { name: 'Appearance' }).waitFor();
  });

  test('is that of its numbers, dates and lists, whatever the browser speaks', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    await alice.api.post('/restaurants', { name: 'Da Enzo', price_level: 3 });
    const today = new Date();
    const at = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 15, 12));
    const visit = { companions: ['Ada', 'Bo'], total_minor: 4850, currency: 'EUR' };
    await alice.api.post('/visits', {
      restaurant_id: 1,
      visited_on: at.toISOString().slice(0, 10),
      ...visit,
    });
    for (const [value, ...texts] of [
      ['de', 'Mit Ada und Bo', '48,50\u00a0€'],
      ['fr', 'Avec Ada et Bo', '48,50\u00a0€'],
      ['en', 'With Ada and Bo', '€48.50'],
    ] as const) {
      const month = new Intl.DateTimeFormat(value, { month: 'long', year: 'numeric' }).format(at);
      const { page } = await openApp(t, service, {
        user: alice,
        locale: 'ja-JP',
        path: '/visits',
        prepare: (context) => context.addCookies([{ name: 'language', value, url: service.url }]),
      });
      for (const text of [...texts, month]) await page.getByText(text).first().waitFor();
    }
  });

  test('is that of the reasons why something was refused', async (t) => {
    const { service, user } = await startFurnished(t);
    const { page } = await openApp(t, service, {
      path: '/sign-in',
      refusals: [400, 401, 409],
      ...pseudo('pseudo'),
    });
    const speaks = async (): Promise<void> => {
      await page.locator('[role=alert]:visible, [aria-invalid=true]').first().waitFor();
      assert.deepEqual(await latinOn(page), []);
    };
    const type = (name: string, text: string): Promise<void> =>
      page.locator(`main [name=${name}]`).fill(text);
    await type('email', user.email);
    await type('password', 'no such password');
    await press(page, 'Enter');
    await speaks();
    await page.goto(`${service.url}/sign-in?new=1`);
    await type('username', 'алиса');
    await type('email', 'nobody');
    await press(page, 'Enter');
    await speaks();
    await type('email', user.email);
    await type('password', '12345678901');
    await press(page, 'Enter');
    await speaks();
  });
});
