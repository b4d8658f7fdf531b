import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { TestContext } from 'node:test';
import type { BrowserContext, BrowserContextOptions, Page, Route } from 'playwright-core';
import { type Expected, openContext, test, watchPage } from './chromium.ts';
import { array, field } from './client.ts';
import { LOCAL, type Person, signUp } from './people.ts';
import { type Service, startService } from './service.ts';
import { until } from './until.ts';

/** The sizes at which every screen is looked at. */
export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };

const API = '/api/';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface AppOptions extends BrowserContextOptions, Expected {
  /** The address, `/` unless it is given. */
  readonly path?: string;
  /** Who is signed in. */
  readonly user?: Person;
  /** Whether there is a service worker; the other tests are without one, as pages over plain HTTP are. */
  readonly worker?: boolean;
  /** Runs before any script of the page. */
  readonly prepare?: (context: BrowserContext) => Promise<unknown>;
}

/** A page of the app under test and its requests below /api, in order, as `GET /api/...`. */
export interface App {
  readonly service: Service;
  readonly page: Page;
  readonly requests: string[];
  readonly context: BrowserContext;
}

/** Opens the web app of a service in a browser that knows nothing yet. */
export async function openApp(
  t: TestContext,
  service: Service,
  {
    path = '/',
    user,
    prepare,
    worker = false,
    refusals,
    unreachable,
    refusedTypes,
    ally,
    ...options
  }: AppOptions = {},
): Promise<App> {
  const context = await openContext({ viewport: DESKTOP, locale: 'en-GB', ...options });
  if (!worker) await context.addInitScript('delete Navigator.prototype.serviceWorker');
  if (user) await signInContext(context, service, user);
  await prepare?.(context);
  const page = await context.newPage();
  const requests = watchPage(t, page, service, API, { refusals, unreachable, refusedTypes, ally });
  await page.goto(service.url + path);
  if (options.javaScriptEnabled !== false) await settled(page);
  return { service, page, requests, context };
}

/** What a new service has, and how its app is opened. */
export interface NewOptions extends AppOptions {
  /** The variables of the service. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The restaurants, from number 1 on. */
  readonly places?: readonly object[];
}

/** Opens the web app of a new service, without accounts unless the settings say so. */
export async function openNew(
  t: TestContext,
  { settings = {}, places = [], ...options }: NewOptions = {},
): Promise<App> {
  const service = await startService(t, settings);
  for (const place of places) await service.api.post('/restaurants', place);
  return openApp(t, service, options);
}

/** So many restaurants, from Place 1 on. */
export const numbered = (count: number): { readonly name: string; readonly address: string }[] =>
  Array.from({ length: count }, (_, at) => ({ name: `Place ${at + 1}`, address: `Street ${at + 1}` }));

/** The same where Alice is signed in, who has written the restaurants. */
export async function openAsAlice(
  t: TestContext,
  { settings = LOCAL, places = [], ...options }: NewOptions = {},
): Promise<App & { readonly alice: Person }> {
  const service = await startService(t, settings);
  const alice = await signUp(service, 'alice');
  for (const place of places) await alice.api.post('/restaurants', place);
  return { ...(await openApp(t, service, { user: alice, ...options })), alice };
}

/** Another page of the same browser, as a second tab, under the same watch. */
export async function openTab(
  t: TestContext,
  { service, context }: Pick<App, 'service' | 'context'>,
  path = '/',
  expected: Expected = {},
): Promise<App> {
  const page = await context.newPage();
  const requests = watchPage(t, page, service, API, expected);
  await page.goto(service.url + path);
  await settled(page);
  return { service, page, requests, context };
}

/** Signs a person in, without a page. */
export async function signInContext(
  context: BrowserContext,
  { url }: Service,
  { email, password }: Person,
): Promise<void> {
  const answer = await context.request.post(`${url}/api/auth/login`, {
    data: { email, password, session: 'cookie' },
    headers: { Origin: url },
  });
  assert.equal(answer.status(), 200);
  await context.addInitScript(`localStorage.setItem('signed', '1')`);
}

/** Signs in by the form on the screen. */
export async function fillSignIn(
  page: Page,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
}

/** Ends all sessions of a person that are in a browser. */
export async function endCookieSessions({ api }: Person): Promise<void> {
  for (const session of array((await api.get('/auth/sessions')).body))
    if (field(session, 'cookie') === true) await api.delete(`/auth/sessions/${String(field(session, 'id'))}`);
}

/** Waits until a screen is there and nothing is being loaded for it. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#content h1').first().waitFor({ state: 'attached' });
  await holds(page, `document.querySelector('[data-loading], .skeleton, .side[aria-busy=true]') === null`);
}

/** Goes to an address as a link does. */
export async function follow(page: Page, base: string, path: string): Promise<void> {
  await page.evaluate(`import('${base}/state/router.js').then(({ navigate }) => navigate('${path}'))`);
  await holds(page, `location.pathname === '${path}'`);
  // The screen before it is still there until the next frame.
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
  );
  await settled(page);
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

/** How a screen is looked at: once in each theme. */
const LOOKS = {
  'on a phone in the light theme': { viewport: PHONE, hasTouch: true, colorScheme: 'light' },
  'on a desktop in the dark theme': { viewport: DESKTOP, colorScheme: 'dark' },
} as const;

/**
 * Declares tests that a screen has no violation that axe-core finds and needs no scrolling sideways. `show` opens it and
 * returns its page. The screens that have an address are looked at in everywhere.browser.test.ts.
 */
export function testAccess(
  title: string,
  show: (t: TestContext, options: AppOptions) => Promise<Page>,
): void {
  for (const [look, options] of Object.entries(LOOKS))
    test(`${title} is accessible and needs no scrolling sideways, ${look}`, async (t) => {
      // Colours that still change would be measured on their way.
      const page = await show(t, { ...options, reducedMotion: 'reduce' });
      assert.deepEqual(await violations(page), []);
      assert.equal(await scrollsSideways(page), false);
    });
}

/** Whether the page is wider than its window. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');

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

/** Holds back all or some requests to such addresses, until the function is called that this resolves to. */
export async function holdBack(
  page: Page,
  addresses: string,
  { times, answer }: { readonly times?: number; readonly answer?: (route: Route) => Promise<void> } = {},
): Promise<() => void> {
  let goOn: (() => void) | undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const handle = (route: Route): Promise<void> =>
    held.then(() => (answer ? answer(route) : route.continue()));
  await page.route(addresses, handle, times === undefined ? {} : { times });
  return () => goOn?.();
}
