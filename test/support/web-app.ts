import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page, Route } from 'playwright-core';
import { atEnd } from './cleanup.ts';
import { launch } from './docs-page.ts';
import type { Person } from './people.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';

export { NO_BROWSER } from './docs-page.ts';

/** The sizes and themes in which every screen is looked at. */
export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Promise<Browser> | undefined;
const open: BrowserContext[] = [];

after(async () => {
  await (await browser)?.close();
});

// Before the service of the test stops: a page that still loads something would complain of that.
afterEach(async () => {
  await Promise.all(open.splice(0).map((context) => context.close()));
});

export interface AppOptions extends BrowserContextOptions {
  /** The address, `/` unless it is given. */
  readonly path?: string;
  /** Who is signed in. */
  readonly user?: Person;
  /** Statuses that answers have on purpose; Chromium reports them on its console. */
  readonly refusals?: readonly number[];
  /** Whether the service is out of reach at times, of which Chromium tells on its console. */
  readonly unreachable?: boolean;
  /** Whether there is a service worker; the other tests are without one, as pages over plain HTTP are. */
  readonly worker?: boolean;
  /** The origin of another server that the page may ask. */
  readonly ally?: string;
  /** Runs before any script of the page. */
  readonly prepare?: (context: BrowserContext) => Promise<unknown>;
}

/** A page of the app under test and its requests below /api, in order, as `GET /api/...`. */
export interface App {
  readonly page: Page;
  readonly requests: string[];
  readonly context: BrowserContext;
}

/**
 * Opens the web app of a service in a browser that knows nothing yet. The test fails at its end when the page said
 * anything on its console, such as a breach of the content security policy, threw, or asked another host for anything.
 */
export async function openApp(
  t: TestContext,
  service: Service,
  { path = '/', user, prepare, worker = false, refusals, unreachable, ally, ...options }: AppOptions = {},
): Promise<App> {
  const { url } = service;
  browser ??= launch(
    ...['--disable-quic', '--disable-background-networking', '--disable-component-update'],
    // A name that is not the machine's own makes a page insecure over plain HTTP.
    '--host-resolver-rules=MAP catalogue.test 127.0.0.1',
  );
  const context = await (await browser).newContext({ viewport: DESKTOP, locale: 'en-GB', ...options });
  open.push(context);
  if (!worker) await context.addInitScript('delete Navigator.prototype.serviceWorker');
  if (user) await signInContext(context, url, user);
  await prepare?.(context);
  const page = await context.newPage();
  const requests = watch(t, page, service, { refusals, unreachable, ally });
  await page.goto(url + path);
  if (options.javaScriptEnabled !== false) await settled(page);
  return { page, requests, context };
}

/** Another page of the same browser, as a second tab, under the same watch. */
export async function openTab(
  t: TestContext,
  service: Service,
  { context }: Pick<App, 'context'>,
  path = '/',
  expected: Pick<AppOptions, 'refusals' | 'unreachable'> = {},
): Promise<App> {
  const page = await context.newPage();
  const requests = watch(t, page, service, expected);
  await page.goto(service.url + path);
  await settled(page);
  return { page, requests, context };
}

function watch(
  t: TestContext,
  page: Page,
  { url, refused }: Pick<Service, 'url' | 'refused'>,
  {
    refusals = [],
    unreachable = false,
    ally,
  }: { readonly [Name in 'refusals' | 'unreachable' | 'ally']?: AppOptions[Name] | undefined },
): string[] {
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    const isExpected =
      refusals.some((status) => message.text().includes(`status of ${status} `)) ||
      (unreachable && message.text().includes('net::ERR_'));
    if (!isExpected) complaints.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(`${error.name} ${error.message} ${error.stack ?? ''}`));
  page.on('request', (request) => {
    const { pathname, search, origin, protocol } = new URL(request.url());
    if (pathname.startsWith('/api/')) requests.push(`${request.method()} ${pathname}${search}`);
    if (![url, ally].includes(origin) && protocol !== 'blob:' && protocol !== 'data:')
      complaints.push(`foreign request: ${request.url()}`);
  });
  atEnd(t, () => {
    // The console has the status of a refused answer, but not its reason.
    if (complaints.length > 0) complaints.push(...refused);
    assert.deepEqual(complaints, []);
  });
  return requests;
}

async function signInContext(
  context: BrowserContext,
  url: string,
  { email, password }: Person,
): Promise<void> {
  const answer = await context.request.post(`${url}/api/auth/login`, {
    data: { email, password, session: 'cookie' },
    headers: { Origin: url },
  });
  assert.equal(answer.status(), 200);
  await context.addInitScript(`localStorage.setItem('signed', '1')`);
}

/** Waits until a screen is there and nothing is being loaded for it. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#content h1').first().waitFor({ state: 'attached' });
  await holds(page, `document.querySelector('[data-loading], .skeleton, .side[aria-busy=true]') === null`);
}

/** Presses keys one after the other, as someone without a pointer does. */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** The violations that axe-core finds in the page. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate<string[]>(
    `axe.run(document).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`,
  );
}

/**
 * Declares tests that a screen has no violation that axe-core finds and needs no scrolling sideways, in both themes on
 * a desktop and a phone. `show` opens it and returns its page.
 */
export function testAccess(
  title: string,
  show: (t: TestContext, options: AppOptions) => Promise<Page>,
): void {
  for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE }))
    test(`${title} is accessible and needs no scrolling sideways in both themes, ${size}`, async (t) => {
      const page = await show(t, { viewport, colorScheme: 'light', hasTouch: size === 'phone' });
      assert.deepEqual(await violations(page), []);
      // Colours that still change would be measured on their way.
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      assert.deepEqual(await violations(page), []);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
    });
}

/**
 * Waits until an expression of JavaScript, or what it promises, holds in the page, whose policy forbids Playwright's own way
 * to wait. The page may be loaded anew meanwhile, as the app does when another account signs in.
 */
export async function holds(page: Page, expression: string): Promise<void> {
  await until(async () => {
    try {
      return (await page.evaluate<unknown>(`(async () => Boolean(await (${expression})))()`)) === true;
    } catch (error) {
      if (String(error).includes('Execution context was destroyed')) return false;
      throw error;
    }
  });
}

/** Holds back the requests to such addresses, until the function is called that this resolves to. */
export async function holdBack(
  page: Page,
  addresses: string,
  answer = (route: Route): Promise<void> => route.continue(),
): Promise<() => void> {
  let goOn: (() => void) | undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  await page.route(addresses, (route) => held.then(() => answer(route)));
  return () => goOn?.();
}
