import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { LOCAL } from '../support/people.ts';
import { filesAddress } from '../support/web-app-files.ts';
import { startFurnished } from '../support/web-app-screens.ts';
import {
  DESKTOP,
  PHONE,
  follow,
  openApp,
  openNew,
  scrollsSideways,
  settled,
  violations,
} from '../support/web-app.ts';

/** Of a window of 1280 pixels at 400 %. */
const TINY = { width: 320, height: 256 };
const MOST_CALLS = 4;
// Asked for once and kept, of the session, a stream, or the count in the header, which is asked for once a screen is
// there, and so sometimes while the next one opens.
const NOT_OF_SCREENS =
  /^GET \/api\/(?:app-config|categories|food-types|uploads\/|auth\/|changes\/stream|suggestions\?status=pending&limit=100$)|^POST \/api\/auth\//;
const animated = `[...document.querySelectorAll('*')]
  .filter((element) => {
    const { animationName, transitionDuration } = getComputedStyle(element);
    return animationName !== 'none' || !/^0s(, 0s)*$/.test(transitionDuration);
  })
  .map(({ outerHTML }) => outerHTML.slice(0, 100))`;

describe('every screen of the web app', { skip: NO_BROWSER }, () => {
  mainPath(
    'has a title of its own, the focus on its heading, few calls and no motion where none is wanted',
    async (t) => {
      const { service, user, paths } = await startFurnished(t);
      const { page, requests } = await openApp(t, service, { user, reducedMotion: 'reduce' });
      const base = await filesAddress(service);
      const calls = (): string[] => requests.filter((request) => !NOT_OF_SCREENS.test(request));
      const faults = calls().length > MOST_CALLS ? [`/ asks for ${calls().join(', ')}`] : [];
      // The first screen has the focus where the browser puts it.
      for (const path of [...paths.slice(1), '/']) {
        const before = await page.title();
        requests.length = 0;
        await follow(page, base, path);
        const title = await page.title();
        if (title === before || !/^.+ - Меню$/.test(title)) faults.push(`${path} has the title ${title}`);
        const focus = await page.evaluate('document.activeElement.outerHTML.slice(0, 100)');
        if (!String(focus).startsWith('<h1')) faults.push(`${path} has the focus on ${String(focus)}`);
        const headings = await page.locator('h1').count();
        if (headings !== 1) faults.push(`${path} has ${headings} headings`);
        if (calls().length > MOST_CALLS) faults.push(`${path} asks for ${calls().join(', ')}`);
        const moving: unknown = await page.evaluate(animated);
        if (String(moving) !== '') faults.push(`${path} moves ${String(moving)}`);
      }
      assert.deepEqual(faults, []);
    },
  );

  for (const [colorScheme, [viewport, ...others]] of [
    ['light', [TINY, PHONE]],
    ['dark', [DESKTOP]],
  ] as const)
    for (const isOfSettings of [false, true])
      test(`is accessible and needs no scrolling sideways, ${isOfSettings ? 'of the settings' : 'of all but the settings'}, in the ${colorScheme} theme, ${viewport.width} pixels wide`, async (t) => {
        const { service, user, paths } = await startFurnished(t);
        const { page } = await openApp(t, service, { user, colorScheme });
        const faults: string[] = [];
        for (const path of paths.filter((one) => one.startsWith('/settings') === isOfSettings)) {
          await page.setViewportSize(viewport);
          await page.goto(service.url + path);
          await settled(page);
          for (const violation of await violations(page)) faults.push(`${path}: ${violation}`);
          for (const size of [viewport, ...others]) {
            await page.setViewportSize(size);
            if (await scrollsSideways(page)) faults.push(`${path} is wider than ${size.width} pixels`);
          }
        }
        assert.deepEqual(faults, []);
      });

  test('shows what is on, chosen and current without any colour of its own', async (t) => {
    const { service, user } = await startFurnished(t);
    const { page } = await openApp(t, service, {
      user,
      path: '/?sel=1&open_at=2026-01-02T12:00:00Z',
      forcedColors: 'active',
    });
    const outline = (selector: string): Promise<string> =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).outlineStyle`);
    for (const [on, off] of [
      ['.chip[aria-pressed=true]', '.chip[aria-pressed=false]'],
      ['.row[aria-current=true]', '.row:not([aria-current])'],
      ['.tabs [aria-current]', '.tabs a:not([aria-current])'],
    ] as const)
      assert.deepEqual([await outline(on), await outline(off)], ['solid', 'none'], on);
  });
});

describe('a screen for those who are signed in', { skip: NO_BROWSER }, () => {
  for (const [path, text] of [
    ['/lists/want', 'Only you see them'],
    ['/visits', 'Only you see it.'],
    ['/duplicates', 'Places that are probably in the catalogue twice.'],
    ['/activity', 'Everything that changed, and who did it. You can undo any of it.'],
  ] as const)
    test(`says to others what it is, and leads to the sign-in and back: ${path}`, async (t) => {
      const { page, requests } = await openNew(t, { settings: LOCAL, path });
      await page.getByText(text).waitFor();
      const link = page.locator('#content').getByRole('link', { name: 'Sign in' });
      assert.equal(await link.getAttribute('href'), `/sign-in?to=${encodeURIComponent(path)}`);
      assert.deepEqual(
        requests.filter((request) => /lists|visits|changes|duplicates/.test(request)),
        [],
      );
    });
});

describe('a screen of what is gone', { skip: NO_BROWSER }, () => {
  for (const path of ['/restaurants/9', '/restaurants/9/edit', '/restaurants/1/photos/9', '/lists/9'])
    test(`says that it is not here any more: ${path}`, async (t) => {
      const { page } = await openNew(t, { places: [{ name: 'Soba Ya' }], path, refusals: [404] });
      await page.getByRole('heading', { name: 'Not here any more' }).waitFor();
      assert.equal(await page.locator('h1').count(), 1);
    });
});
