import type { TestContext } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openContext, watchPage } from './chromium.ts';
import type { Service } from './service.ts';

export interface DocsOptions extends BrowserContextOptions {
  /** Another page of the documentation. */
  readonly path?: string;
  /** The fragment of the address. */
  readonly hash?: string;
  /** Statuses that answers have on purpose. */
  readonly refusals?: readonly number[];
}

/** The page under test, and its requests in order. */
export interface Docs {
  readonly page: Page;
  readonly requests: readonly string[];
}

/** Opens the documentation of a service in a browser that knows nothing yet. */
export async function openDocs(
  t: TestContext,
  service: Service,
  { path, hash = '', refusals, ...options }: DocsOptions = {},
): Promise<Docs> {
  const context = await openContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const requests = watchPage(t, page, service, '/', { refusals });
  await page.goto(`${service.url}${path ?? '/api/docs'}${hash === '' ? '' : `#${hash}`}`);
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
