import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { type Browser, type Page, createBrowser } from '../../support/browser.ts';
import { refusal } from '../../support/changes.ts';
import { field, textOf } from '../../support/client.ts';
import type { Misbehaviour } from '../../support/fake-provider.ts';
import { openOwnPage } from '../../support/own-page.ts';
import { readStored } from '../../support/people.ts';
import { type FakeFederation, HOME, PUBLIC, federateWithFake } from '../../support/sign-in.ts';

const START = `${PUBLIC}/api/auth/oidc`;
const PERSON = { email: 'someone@example.com', email_verified: true };
const IN_COOKIE = { session: 'cookie' };

interface Opened extends FakeFederation {
  readonly browser: Browser;
  /** Starts a sign-in with this query, and returns where the provider sends the browser back to. */
  readonly start: (query: string) => Promise<string>;
}

async function open(t: TestContext): Promise<Opened> {
  const federation = await federateWithFake(t, PERSON);
  const browser = createBrowser(new Map([[PUBLIC, federation.service.url]]));
  const start = async (query: string): Promise<string> => {
    const { headers, text } = await browser.open(`${START}?${query}`);
    const location = headers.get('location') ?? '';
    assert.ok(location.startsWith(federation.provider.issuer), text || location);
    return `${START}/callback?${federation.provider.authorize(location)}`;
  };
  return { ...federation, browser, start };
}

const locationOf = ({ headers }: Page): string => headers.get('location') ?? '';
const sessionCookie = ({ headers }: Page): string | undefined =>
  headers.getSetCookie().find((cookie) => /^(?:__Host-)?refresh=/.test(cookie));
const refreshCookieOf = (browser: Browser): string =>
  browser
    .cookiesFor(PUBLIC)
    .split('; ')
    .find((pair) => pair.startsWith('refresh=')) ?? '';

describe('a sign-in with session=cookie', () => {
  for (const [query, target] of [
    ['session=cookie', '/'],
    ['session=cookie&return=/map', '/map'],
    ['session=cookie&return=%2Fmap%3Fq%3Da%2520b%26z%3D1%23%2Fplace%2F1', '/map?q=a%20b&z=1#/place/1'],
    ['session=cookie&return=/apiary', '/apiary'],
    [`session=cookie&return=/${'x'.repeat(499)}`, `/${'x'.repeat(499)}`],
  ] as const)
    test(`ends at ${target.slice(0, 40)} of the service with a session in a cookie, and no tokens`, async (t) => {
      const { browser, start, service } = await open(t);
      const page = await browser.open(await start(query));
      assert.deepEqual([page.status, locationOf(page)], [302, target]);
      assert.match(
        sessionCookie(page) ?? '',
        /^refresh=[\w-]{43}; Path=\/api\/auth; HttpOnly; SameSite=Strict; /,
      );
      assert.equal(page.headers.get('cache-control'), 'private, no-store');
      const own = openOwnPage(service.url, {}, refreshCookieOf(browser));
      const { status, body } = await own.post('/auth/refresh', IN_COOKIE);
      assert.deepEqual([status, field(body, 'refresh_token')], [200, null]);
      assert.equal(textOf(field(body, 'user'), 'email'), PERSON.email);
      assert.equal(JSON.stringify(service.logs).includes(refreshCookieOf(browser).slice(8)), false);
    });

  test('has the cookie for HTTPS where a trusted proxy says that the browser speaks it', async (t) => {
    const { service, provider } = await open(t);
    const begun = await service.api.get('/auth/oidc?session=cookie');
    const [Cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
    const query = provider.authorize(begun.headers.get('location') ?? '');
    const headers = { Cookie, 'X-Forwarded-Proto': 'https' };
    const answer = await service.api.get(`/auth/oidc/callback?${query}`, headers);
    const cookies = answer.headers.getSetCookie().filter((cookie) => cookie.startsWith('__Host-refresh='));
    assert.deepEqual([answer.status, cookies.length], [302, 1]);
    assert.match(cookies[0] ?? '', /; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=604800$/);
  });

  test('takes the place of a session that was planted by another user, and leaves theirs alone', async (t) => {
    const { browser, start, service, provider } = await open(t);
    provider.behave({
      idToken: ({ claims, sign }) => sign({ ...claims, sub: 'mallory', email: 'm@example.com' }),
    });
    await browser.open(await start('session=cookie'));
    const planted = refreshCookieOf(browser);
    provider.behave({});
    await browser.open(await start('session=cookie'));
    assert.notEqual(refreshCookieOf(browser), planted);
    const emailOf = async (cookie: string): Promise<string> => {
      const { body } = await openOwnPage(service.url, {}, cookie).post('/auth/refresh', IN_COOKIE);
      return textOf(field(body, 'user'), 'email');
    };
    assert.equal(await emailOf(refreshCookieOf(browser)), PERSON.email);
    assert.equal(await emailOf(planted), 'm@example.com');
  });

  const CANCELLED = new Map([
    ['code', ''],
    ['error', 'access_denied'],
  ]);
  const failures: readonly [string, Misbehaviour, string][] = [
    [
      'it was cancelled',
      { callback: [...CANCELLED] },
      'error=access_denied&error_description=The%20sign-in%20was%20cancelled%20or%20refused',
    ],
    [
      'the provider answers nonsense',
      { idToken: () => 'nonsense' },
      'error=provider_error&error_description=The%20identity%20provider%20gave%20an%20answer%20that%20cannot%20be%20accepted',
    ],
  ];
  for (const [title, misbehaviour, fragment] of failures)
    test(`ends with an error in the fragment of its own page, and with no cookie, when ${title}`, async (t) => {
      const { browser, start, provider, service } = await open(t);
      provider.behave(misbehaviour);
      const page = await browser.open(await start('session=cookie&return=%2Fmap%3Fq%3D1%23%2Fplace%2F1'));
      assert.equal(locationOf(page), `/map?q=1#${fragment}`);
      assert.equal(browser.cookiesFor(PUBLIC), '');
      assert.deepEqual(readStored(service.folder, 'SELECT 1 FROM sessions'), []);
    });

  test('goes back at once when the provider does not answer', async (t) => {
    const { browser, provider } = await open(t);
    provider.behave({ metadata: () => 'x' });
    const page = await browser.open(`${START}?session=cookie&return=/map`);
    assert.match(locationOf(page), /^\/map#error=provider_unavailable&/);
  });

  test('cannot be turned into one, nor into tokens, by the query of the callback', async (t) => {
    const { browser, start } = await open(t);
    const toClient = await browser.open(`${await start('return=/map')}&session=cookie&return=/map`);
    assert.ok(locationOf(toClient).startsWith(`${HOME}#access_token=`));
    assert.equal(sessionCookie(toClient), undefined);
    const toPage = await browser.open(`${await start('session=cookie')}&return=//evil.example`);
    assert.equal(locationOf(toPage), '/');
  });

  const WRONG = 'return must be a path of this service';
  const refusals: readonly (readonly [string, string, string])[] = [
    ['another host', 'session=cookie&return=//evil.example', WRONG],
    ['another host by a backslash', 'session=cookie&return=/%5Cevil.example', WRONG],
    ['another host by dots', 'session=cookie&return=/..//evil.example', WRONG],
    ['a whole address', 'session=cookie&return=https://evil.example/', WRONG],
    ['a script', 'session=cookie&return=javascript:alert(1)', WRONG],
    ['a path without a slash', 'session=cookie&return=map', WRONG],
    ['an empty path', 'session=cookie&return=', WRONG],
    ['the API', 'session=cookie&return=/api/auth/logout', WRONG],
    ['the root of the API', 'session=cookie&return=/api', WRONG],
    ['the root of the API with a query', 'session=cookie&return=/api%3Fx', WRONG],
    ['the API by dots', 'session=cookie&return=/map/../api/docs', WRONG],
    ['the API by encoded dots', 'session=cookie&return=/map/%252e%252e/api/docs', WRONG],
    ['the API by an encoded letter', 'session=cookie&return=/%2561pi/docs', WRONG],
    ['the API by a backslash', 'session=cookie&return=/map%5C..%5Capi', WRONG],
    ['a line break', 'session=cookie&return=/map%0d%0aSet-Cookie:x', WRONG],
    ['a tab before another host', 'session=cookie&return=/%09/evil.example', WRONG],
    ['a zero', 'session=cookie&return=/map%00', WRONG],
    ['a blank', 'session=cookie&return=/a%20b', WRONG],
    ['a letter beyond ASCII', 'session=cookie&return=/caf%C3%A9', WRONG],
    ['bytes that are no text', 'session=cookie&return=/%ff', WRONG],
    ['a broken encoding', 'session=cookie&return=/%25zz', WRONG],
    ['501 characters', `session=cookie&return=/${'x'.repeat(500)}`, WRONG],
    ['two paths', 'session=cookie&return=/a&return=/b', 'return must be given once'],
    ['another form of session', 'session=token', 'session must be cookie'],
    ['an empty form of session', 'session=', 'session must be cookie'],
    ['two forms of session', 'session=cookie&session=cookie', 'session must be given once'],
    ['a long invitation', `invitation=${'x'.repeat(101)}`, 'invitation must be at most 100 characters'],
    ['two invitations', 'invitation=a&invitation=b', 'invitation must be given once'],
    ['two faults', 'session=x&return=//a', `session must be cookie; ${WRONG}`],
  ];
  for (const path of ['/auth/oidc', '/auth/oidc/login'])
    test(`is refused at ${path} with anything but a path of the service's own pages`, async (t) => {
      const { service, provider } = await open(t);
      for (const [title, query, error] of refusals) {
        const answer = await service.api.get(`${path}?${query}`);
        assert.deepEqual(refusal(answer), [400, error], title);
        assert.equal(answer.headers.get('set-cookie'), null);
      }
      assert.deepEqual(provider.asked, []);
    });

  test('without it, a sign-in takes no notice of return', async (t) => {
    const { browser, start } = await open(t);
    const page = await browser.open(await start('return=//evil.example'));
    assert.ok(locationOf(page).startsWith(`${HOME}#access_token=`));
  });
});
