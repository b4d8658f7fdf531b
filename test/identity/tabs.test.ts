import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { type Browser, type Page, createBrowser } from '../support/browser.ts';
import { PUBLIC, type FakeFederation, federateWithFake, fragmentOf } from '../support/sign-in.ts';

const START = `${PUBLIC}/api/auth/oidc`;
const PERSON = { email: 'someone@example.com', email_verified: true };

/** A sign-in in a tab of a browser, which stays at the provider. */
interface Tab {
  readonly back: string;
  readonly start: Page;
}

async function openTab({ provider }: FakeFederation, browser: Browser): Promise<Tab> {
  const start = await browser.open(START);
  const query = provider.authorize(start.headers.get('location') ?? '');
  return { start, back: `${START}/callback?${query}` };
}

/** A service, and a browser in which so many tabs are at the provider, the first one first. */
async function opened(
  t: TestContext,
  tabs: number,
): Promise<{ federation: FakeFederation; browser: Browser; tabs: readonly Tab[] }> {
  const federation = await federateWithFake(t, PERSON);
  const browser = createBrowser(new Map([[PUBLIC, federation.service.url]]));
  const started: Tab[] = [];
  for (let count = 0; count < tabs; count += 1) started.push(await openTab(federation, browser));
  return { federation, browser, tabs: started };
}

/** The provider's redirect back, with an ID token for this tab. */
async function finish({ provider }: FakeFederation, browser: Browser, { start, back }: Tab): Promise<Page> {
  provider.authorize(start.headers.get('location') ?? '');
  return browser.open(back);
}

const countCookies = (browser: Browser): number =>
  browser
    .cookiesFor(START)
    .split('; ')
    .filter((cookie) => cookie !== '').length;

const signedIn = (page: Page): boolean =>
  page.status === 302 &&
  'access_token' in fragmentOf({ ...page, url: new URL(page.headers.get('location') ?? '') });

describe('sign-ins in several tabs of one browser', () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ])
    test(`end well in the order ${order.join(', ')}, each once`, async (t) => {
      const { federation, browser, tabs } = await opened(t, 2);
      const left: number[] = [];
      for (const index of order) {
        const tab = tabs[index];
        assert.ok(tab);
        const page = await finish(federation, browser, tab);
        assert.ok(signedIn(page), page.text);
        assert.equal(page.headers.getSetCookie().length, 1);
        left.push(countCookies(browser));
        assert.equal((await finish(federation, browser, tab)).status, 400);
      }
      assert.deepEqual(left, [1, 0]);
    });

  test('are five at most: a sixth takes the place of the oldest, by a header of its own', async (t) => {
    const { federation, browser, tabs } = await opened(t, 6);
    const headers = tabs.map(({ start }) => start.headers.getSetCookie());
    assert.deepEqual(
      headers.map(({ length }) => length),
      [1, 1, 1, 1, 1, 2],
    );
    const [nameOfFirst = ''] = (headers[0]?.[0] ?? '').split('=');
    assert.ok(headers[5]?.[1]?.startsWith(`${nameOfFirst}=; Max-Age=0; `));
    assert.equal(countCookies(browser), 5);
    const pages: boolean[] = [];
    for (const tab of tabs) pages.push(signedIn(await finish(federation, browser, tab)));
    assert.deepEqual(pages, [false, true, true, true, true, true]);
  });

  test('are refused with the state of another browser, and with the cookies of one', async (t) => {
    const { federation, browser, tabs } = await opened(t, 2);
    const other = createBrowser(new Map([[PUBLIC, federation.service.url]]));
    const foreign = await openTab(federation, other);
    assert.equal((await finish(federation, browser, foreign)).status, 400);
    for (const tab of tabs) assert.equal((await finish(federation, other, tab)).status, 400);
    assert.ok(signedIn(await finish(federation, other, foreign)));
  });
});
