import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, afterEach } from 'node:test';
import type { TestContext } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
  chromium,
} from 'playwright-core';
import { atEnd } from './cleanup.ts';
import type { Service } from './service.ts';

// The one without a user interface starts faster, and opens a page in half the time.
const NAMES = [
  ...['chromium-headless-shell', 'chrome-headless-shell'],
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
];
const EXECUTABLE = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

/** Why tests that need a browser cannot run here; false where they can. */
export const NO_BROWSER =
  EXECUTABLE === undefined && 'no Chromium in PATH: apt-get install chromium, or the like, to run this';

/** Starts a browser with further arguments. */
export function launch(...args: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE ?? '', args: [...args] });
}

let browser: Promise<Browser> | undefined;

after(async () => {
  await (await browser)?.close();
});

// Before the service of the test stops: a page that still loads something would complain of that.
afterEach(async () => {
  await Promise.all(open.splice(0).map((context) => context.close()));
});

const open: BrowserContext[] = [];

export interface DocsOptions extends BrowserContextOptions {
  /** Another page of the documentation. */
  readonly path?: string;
  /** The fragment of the address. */
  readonly hash?: string;
  /** Statuses that answers have on purpose; Chromium reports them on its console. */
  readonly refusals?: readonly number[];
}

/** The requests of the page under test, in order. */
export interface Docs {
  readonly page: Page;
  readonly requests: readonly string[];
}

/**
 * Opens the documentation of a service in a browser that knows nothing yet. The test fails at its end when the page
 * said anything on its console, threw, or asked another host for anything.
 */
export async function openDocs(
  t: TestContext,
  { url }: Service,
  { path, hash = '', refusals = [], ...options }: DocsOptions = {},
): Promise<Docs> {
  browser ??= launch();
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 900 }, ...options });
  open.push(context);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (!refusals.some((status) => message.text().includes(`status of ${status} `)))
      complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    requests.push(`${request.method()} ${request.url().replace(url, '')}`);
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith(`blob:${url}/`))
      complaints.push(`foreign request: ${request.url()}`);
  });
  atEnd(t, () => {
    assert.equal(open.includes(context), false);
    assert.deepEqual(complaints, []);
  });
  await page.goto(`${url}${path ?? '/api/docs'}${hash === '' ? '' : `#${hash}`}`);
  if (path === undefined && options.javaScriptEnabled !== false) await page.waitForSelector('#title');
  return { page, requests };
}

/** Goes to an operation as a link would. */
export async function goTo(page: Page, operationId: string): Promise<void> {
  await page.evaluate(`location.hash = '${operationId}'`);
  const link = page.locator(`nav a[aria-current][href="#${operationId}"]`);
  // A phone shows no navigation.
  await link.waitFor({ state: 'attached' });
}

/** Sends what the form holds, and returns status and body as the page shows them. */
export async function sendForm(page: Page): Promise<{ status: string; body: string }> {
  await page.getByRole('button', { name: 'Send' }).click();
  return readAnswer(page);
}

/** The answer that the page shows, once it is there. */
export async function readAnswer(page: Page): Promise<{ status: string; body: string }> {
  const status = (await page.locator('.try .status').textContent()) ?? '';
  const body = page.locator('.answer pre').first();
  return { status, body: (await body.count()) > 0 ? ((await body.textContent()) ?? '') : '' };
}

/** Opens the fold with the optional fields of the form. */
export async function showOptional(page: Page): Promise<void> {
  await page.locator('.optional > summary').click();
}

/** The request of the form as code in a language, once that is selected. */
export async function sampleIn(page: Page, language: string): Promise<string> {
  await page.getByRole('tab', { name: language, exact: true }).click();
  return (await page.getByRole('tabpanel', { name: language, exact: true }).textContent()) ?? '';
}

/** The field for the JSON of a request. */
export function bodyField(page: Page): Locator {
  return page.getByRole('textbox', { name: 'body' });
}

/** Signs in by the dialog. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await tryToSignIn(page, email, password);
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

/** The same without knowing how it ends. */
export async function tryToSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').first().fill(email);
  await dialog.getByLabel('Password').first().fill(password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
}
