import assert from 'node:assert/strict';
import { AsyncResource } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type TestContext, after, afterEach, test as nodeTest } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium,
} from 'playwright-core';
import { atEnd } from './cleanup.ts';
import { DOMAIN } from './edge.ts';
import type { Service } from './service.ts';

// The one without a user interface starts faster, and opens a page in half the time.
const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const EXECUTABLE = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));
// As long as `until` waits, which a busy machine may need.
const PATIENCE_MS = 60_000;
const SCALE = Number(process.env['TEST_SCALE'] ?? 1);

/** Why tests that need a browser cannot run here; false where they can. */
export const NO_BROWSER =
  EXECUTABLE === undefined && 'needs the program chromium (apt-get install chromium-headless-shell)';

/** Declares a test of what people do on a screen every day. A run of what `npm test` leaves out need not repeat it. */
export const mainPath: typeof nodeTest.skip =
  process.env['TEST_ADDED'] === undefined ? nodeTest : nodeTest.skip;

/** Declares any other test in a browser, which a short run leaves out. */
export const test: typeof nodeTest.skip = SCALE < 1 ? nodeTest.skip : nodeTest;

/** Starts a browser of its own, with further arguments. */
export function launch(...args: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE ?? '', args: [...args] });
}

let browser: Promise<Browser> | undefined;
const open: BrowserContext[] = [];
// A hook that is set within a test is one of that test, unless it is set from out here.
const outside = new AsyncResource('the browser of all tests');

/** A window of the browser that all files of this process share. It knows nothing yet, and is closed after the test. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  browser ??= startBrowser();
  const context = await (await browser).newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  open.push(context);
  return context;
}

// The hook is set with each start: what was set before runs once only, perhaps before the next file has declared its tests.
function startBrowser(): Promise<Browser> {
  outside.runInAsyncScope(() => {
    after(stopBrowser);
  });
  return launch(
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    // A name that is not the machine's own makes a page insecure over plain HTTP.
    `--host-resolver-rules=MAP catalogue.test 127.0.0.1, MAP ${DOMAIN} 127.0.0.1`,
  );
}

async function stopBrowser(): Promise<void> {
  const stopping = browser;
  browser = undefined;
  await (await stopping)?.close();
}

// Before the service of the test stops: a page that still loads something would complain of that.
afterEach(async () => {
  await Promise.allSettled(open.splice(0).map((context) => context.close()));
});

export interface Expected {
  /** Statuses that answers have on purpose; Chromium reports them on its console. */
  readonly refusals?: readonly number[] | undefined;
  /** Whether the service is out of reach at times, which Chromium reports on its console. */
  readonly unreachable?: boolean | undefined;
  /** The origin of another server that the page may ask. */
  readonly ally?: string | undefined;
  /** Whether the page tries what its policy of trusted types refuses. */
  readonly refusedTypes?: boolean | undefined;
}

/**
 * Returns the list of requests of a page to its service below a path, as `GET /api/...`, which grows. The test fails at its
 * end when the page said anything on its console, such as a breach of the content security policy, threw, or asked another
 * host for anything.
 */
export function watchPage(
  t: TestContext,
  page: Page,
  { url, refused }: Pick<Service, 'url' | 'refused'>,
  below: string,
  { refusals = [], unreachable = false, refusedTypes = false, ally }: Expected = {},
): string[] {
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    const isExpected =
      refusals.some((status) => message.text().includes(`status of ${status} `)) ||
      (unreachable && message.text().includes('net::ERR_')) ||
      (refusedTypes && message.text().includes('Trusted'));
    if (!isExpected) complaints.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(`${error.name} ${error.message} ${error.stack ?? ''}`));
  page.on('request', (request) => {
    const { pathname, search, origin, protocol } = new URL(request.url());
    if (pathname.startsWith(below)) requests.push(`${request.method()} ${pathname}${search}`);
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
