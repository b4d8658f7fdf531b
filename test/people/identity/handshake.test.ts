import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, describe, test } from 'node:test';
import { type Handshake, type HandshakeOptions, Handshakes } from '../../../src/people/identity/handshake.ts';
import { type Browser, type Page, createBrowser } from '../../support/browser.ts';
import { type FakeFederation, PUBLIC, federateWithFake, fragmentOf } from '../../support/sign-in.ts';

const KEY = Buffer.alloc(32, 7);
const MINUTE = 60_000;

function handshakes(options: Partial<HandshakeOptions> = {}): Handshakes {
  return new Handshakes({ key: KEY, provider: 'oidc', secure: false, ...options });
}

const setBy = ({ cookies }: Handshake): string => cookies[0] ?? '';
const cookieOf = (handshake: Handshake): string => setBy(handshake).split(';')[0] ?? '';
const nameOf = (handshake: Handshake): string => cookieOf(handshake).split('=')[0] ?? '';

describe('a handshake', () => {
  test('returns its proofs to the browser that started it, once', () => {
    const shakes = handshakes();
    const started = shakes.begin(undefined);
    const { proofs, challenge } = started;
    assert.equal(challenge, createHash('sha256').update(proofs.verifier).digest('base64url'));
    assert.equal(new Set(Object.values(proofs)).size, 3);
    assert.deepEqual(shakes.finish(`a=b; ${cookieOf(started)}; c=d`, proofs.state)?.proofs, proofs);
    assert.equal(shakes.finish(cookieOf(started), proofs.state), undefined);
  });

  test('carries the intent of a sign-in, of the longest too, in a cookie of less than a kilobyte and a half', () => {
    const shakes = handshakes();
    const intent = { returnTo: `/${'~'.repeat(499)}`, invitation: '"'.repeat(100) };
    const started = shakes.begin(undefined, intent);
    assert.ok(setBy(started).length < 1_500, String(setBy(started).length));
    assert.deepEqual(shakes.finish(cookieOf(started), started.proofs.state)?.intent, intent);
    const plain = shakes.begin(undefined);
    const none = { returnTo: null, invitation: null };
    assert.deepEqual(shakes.finish(cookieOf(plain), plain.proofs.state)?.intent, none);
  });

  test('has a cookie for http that is like the one for https but for what needs https', () => {
    const [plain, secure] = [handshakes(), handshakes({ secure: true })];
    assert.match(
      setBy(plain.begin(undefined)),
      /^sign_in_oidc_[\w-]{16}=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const started = secure.begin(undefined);
    assert.match(
      setBy(started),
      /^__Host-sign_in_oidc_[\w-]{16}=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    assert.equal(
      secure.clear(started.proofs.state),
      `${nameOf(started)}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure`,
    );
  });

  test('is over after ten minutes, and not started in the future', () => {
    const clock = { now: 100 * MINUTE };
    const shakes = handshakes({ now: () => clock.now });
    const finishAt = (minutes: number): boolean => {
      clock.now = 100 * MINUTE;
      const started = shakes.begin(undefined);
      clock.now += minutes * MINUTE;
      return shakes.finish(cookieOf(started), started.proofs.state) !== undefined;
    };
    assert.deepEqual([0, 9.99, 10, 60, -1].map(finishAt), [true, true, false, false, false]);
  });

  test('survives a restart, but no other key and no other provider', () => {
    const started = handshakes().begin(undefined);
    const { proofs } = started;
    const header = cookieOf(started);
    assert.equal(handshakes({ key: Buffer.alloc(32, 8) }).finish(header, proofs.state), undefined);
    assert.equal(
      handshakes({ provider: 'idp' }).finish(header.replace('oidc', 'idp'), proofs.state),
      undefined,
    );
    assert.deepEqual(handshakes().finish(header, proofs.state)?.proofs, proofs);
  });

  test('is spoilt by any other bit of its cookie, and by a part of it', () => {
    const shakes = handshakes();
    const started = shakes.begin(undefined);
    const { proofs } = started;
    const [name = '', sealed = ''] = cookieOf(started).split('=');
    const bytes = Buffer.from(sealed, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(
        shakes.finish(`${name}=${changed.toString('base64url')}`, proofs.state),
        undefined,
        `bit ${bit}`,
      );
    }
    for (let length = 0; length < bytes.length; length += 1)
      assert.equal(
        shakes.finish(`${name}=${bytes.subarray(0, length).toString('base64url')}`, proofs.state),
        undefined,
      );
    for (const header of [undefined, '', name, `x${name}=${sealed}`, `${name}=`])
      assert.equal(shakes.finish(header, proofs.state), undefined);
    assert.deepEqual(shakes.finish(`${name}=${sealed}`, proofs.state)?.proofs, proofs);
  });

  test('has a cookie of its own, of which a browser has five at most: the oldest go', () => {
    const clock = { now: 100 * MINUTE };
    const shakes = handshakes({ now: () => clock.now });
    const started: Handshake[] = [];
    for (let count = 0; count < 7; count += 1) {
      clock.now += 1_000;
      // In any order: browsers need not send the oldest first.
      started.push(shakes.begin(`a=b; ${started.slice(-5).map(cookieOf).reverse().join('; ')}`));
    }
    const removed = started.map(({ cookies }) => cookies.slice(1));
    const gone = started.slice(0, 2).map(({ proofs }) => [shakes.clear(proofs.state)]);
    assert.deepEqual(removed, [[], [], [], [], [], ...gone]);
    assert.equal(new Set(started.map(nameOf)).size, 7);
    const header = started.map(cookieOf).join('; ');
    for (const { proofs } of started) assert.deepEqual(shakes.finish(header, proofs.state)?.proofs, proofs);
  });

  test('goes before the younger ones when its cookie cannot be opened, and leaves other cookies alone', () => {
    const shakes = handshakes();
    const forged = Array.from({ length: 6 }, (_, index) => `sign_in_oidc_${String(index).repeat(16)}=x`);
    const others = ['sign_in_oidc=x', 'sign_in_idp_aaaaaaaaaaaaaaaa=x', 'sign_in_oidc_a=x', 'session'];
    const started = shakes.begin(undefined);
    const { cookies } = shakes.begin([...forged, cookieOf(started), ...others].join('; '));
    assert.deepEqual(
      cookies.slice(1).map((cookie) => cookie.split('=')[0]),
      forged.slice(3).map((cookie) => cookie.split('=')[0]),
    );
  });

  test('is not found by the cookie of another state, or by a state that is none', () => {
    const shakes = handshakes();
    const [one, other] = [shakes.begin(undefined), shakes.begin(undefined)];
    const [, sealed = ''] = cookieOf(one).split('=');
    assert.equal(shakes.finish(`${nameOf(other)}=${sealed}`, other.proofs.state), undefined);
    assert.equal(shakes.finish(`${nameOf(other)}=${sealed}`, one.proofs.state), undefined);
    assert.equal(shakes.finish(cookieOf(one), one.proofs.state.slice(0, 16)), undefined);
    assert.equal(
      shakes.finish(cookieOf(one), `${one.proofs.state.slice(0, 16)}${'A'.repeat(27)}`),
      undefined,
    );
  });
});

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
