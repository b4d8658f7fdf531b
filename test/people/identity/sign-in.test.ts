import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bearing } from '../../support/accounts.ts';
import { record } from '../../support/client.ts';
import type { Accounts } from '../../support/oidc-provider.ts';
import { readStored } from '../../support/people.ts';
import { HOME, PUBLIC, federate, fragmentOf } from '../../support/sign-in.ts';
import { longTest, scaled } from '../../support/size.ts';

type Claims = Readonly<Record<string, unknown>>;

const ALICE: Claims = {
  email: 'Alice@example.com',
  email_verified: true,
  preferred_username: 'alice',
  name: 'Alice <b>Liddell</b>',
  picture: 'https://pictures.example/alice.png',
};
const NICK: Claims = { nickname: 'Nicky', email: 'nick@example.com', email_verified: true };
const ACCOUNTS: Accounts = new Map<string, Claims>([
  ['alice', ALICE],
  ['nick', { ...NICK, picture: 'javascript:alert(1)' }],
  ['plain', { email: 'plain.jane@example.com', email_verified: false }],
  ['silent', {}],
]);

describe('sign-in with a real provider', () => {
  for (const provider of ['idp', 'oidc'] as const)
    longTest(`brings a new user back with tokens in the fragment: /auth/${provider}`, async (t) => {
      const { service, signIn } = await federate(t, ACCOUNTS, {}, provider);
      const page = await signIn('alice');
      assert.deepEqual([page.status, page.url.href.split('#')[0]], [302, HOME]);
      assert.equal(page.headers.get('cache-control'), 'private, no-store');
      assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
      const fragment = fragmentOf(page);
      assert.deepEqual(Object.keys(fragment), ['access_token', 'refresh_token', 'token_type', 'expires_in']);
      assert.deepEqual([fragment['token_type'], fragment['expires_in']], ['Bearer', '900']);
      const { body } = await service.api.get('/auth/me', bearing(fragment['access_token'] ?? ''));
      const me = record(body);
      const { created_at, updated_at, last_login_at, ...rest } = me;
      assert.ok(created_at === updated_at && typeof last_login_at === 'string');
      assert.deepEqual(rest, {
        id: 2,
        email: 'Alice@example.com',
        username: 'alice',
        provider,
        provider_id: 'alice',
        full_name: 'Alice Liddell',
        avatar_url: 'https://pictures.example/alice.png',
        is_active: true,
        is_admin: false,
        email_verified: true,
      });
      const refreshed = await service.api.post('/auth/refresh', { refresh_token: fragment['refresh_token'] });
      assert.equal(refreshed.status, 200);
      const credentials = { email: 'alice@example.com', password: 'a long password' };
      assert.equal((await service.api.post('/auth/login', credentials)).status, 401);
    });

  longTest('finds the same user again, whatever the email is by now', async (t) => {
    const accounts = new Map(ACCOUNTS);
    const { service, signIn } = await federate(t, accounts);
    await signIn('alice');
    accounts.set('alice', { ...ALICE, email: 'another@example.com' });
    assert.ok('access_token' in fragmentOf(await signIn('alice')));
    assert.deepEqual(readStored(service.folder, 'SELECT id, email FROM users'), [
      { id: 2, email: 'Alice@example.com' },
    ]);
    assert.equal(readStored(service.folder, 'SELECT id FROM sessions').length, 2);
  });

  longTest(
    'takes the username from preferred_username, nickname or the email, and makes it unique',
    async (t) => {
      const accounts = new Map<string, Claims>([
        ...ACCOUNTS,
        ['other', { email: 'other@example.com', email_verified: true, preferred_username: 'ALICE' }],
        ['third', { email: 'alice@third.example', email_verified: true }],
      ]);
      const { service, signIn } = await federate(t, accounts);
      for (const name of ['alice', 'nick', 'plain', 'other', 'third']) await signIn(name);
      assert.deepEqual(
        readStored(service.folder, 'SELECT username, email_verified, avatar_url FROM users ORDER BY id'),
        [
          { username: 'alice', email_verified: 1, avatar_url: 'https://pictures.example/alice.png' },
          { username: 'Nicky', email_verified: 1, avatar_url: null },
          { username: 'plain.jane', email_verified: 0, avatar_url: null },
          { username: 'ALICE-2', email_verified: 1, avatar_url: null },
          { username: 'alice-3', email_verified: 1, avatar_url: null },
        ],
      );
    },
  );

  test('sends the browser with state, nonce and PKCE, bound to it by a cookie', async (t) => {
    const { start, newBrowser } = await federate(t, ACCOUNTS);
    for (const path of [start, `${start}/login`]) {
      const page = await newBrowser().open(path);
      assert.equal(page.status, 302);
      assert.equal(page.headers.get('cache-control'), 'private, no-store');
      const query = new URL(page.headers.get('location') ?? '').searchParams;
      const { state, nonce, code_challenge, ...rest } = Object.fromEntries(query);
      assert.deepEqual(rest, {
        response_type: 'code',
        client_id: 'catalogue',
        redirect_uri: `${PUBLIC}/api/auth/oidc/callback`,
        scope: 'openid email profile',
        code_challenge_method: 'S256',
      });
      for (const random of [state, nonce, code_challenge]) assert.match(random ?? '', /^[\w-]{43}$/);
      assert.match(
        page.headers.get('set-cookie') ?? '',
        /^__Host-sign_in_oidc_[\w-]{16}=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      );
    }
  });

  for (const [title, name, hash] of [
    [
      'it was cancelled at the provider',
      undefined,
      '#error=access_denied&error_description=The%20sign-in%20was%20cancelled%20or%20refused',
    ],
    [
      'the provider sends no email',
      'silent',
      '#error=email_required&error_description=The%20identity%20provider%20did%20not%20tell%20a%20valid%20email%20address',
    ],
  ] as const)
    longTest(`reports to the client when ${title}`, async (t) => {
      const { service, signIn } = await federate(t, ACCOUNTS);
      assert.equal((await signIn(name)).url.hash, hash);
      assert.deepEqual(readStored(service.folder, 'SELECT id FROM users'), []);
    });

  for (const [title, options] of [
    ['wants the secret in the form', { clientAuthMethod: 'client_secret_post' }],
    ['has the email in the ID token', { configuration: { conformIdTokenClaims: false } }],
  ] as const)
    longTest(`works where the provider ${title}`, async (t) => {
      const { signIn } = await federate(t, ACCOUNTS, {}, 'oidc', options);
      assert.ok('access_token' in fragmentOf(await signIn('alice')));
    });

  longTest('is right for many at once', async (t) => {
    const { service, signIn } = await federate(t, ACCOUNTS);
    for (let round = 0; round < scaled(4); round += 1) {
      const pages = await Promise.all(['alice', 'nick', 'plain', 'alice'].map((name) => signIn(name)));
      for (const page of pages) assert.ok('access_token' in fragmentOf(page), page.url.hash);
    }
    assert.equal(readStored(service.folder, 'SELECT id FROM users').length, 3);
  });
});

describe('the callback', () => {
  const STATE = { error: 'Invalid or expired sign-in state' };

  longTest(
    'refuses a state that is missing, forged, of another browser or of another provider with 400',
    async (t) => {
      const { start, newBrowser } = await federate(t, ACCOUNTS);
      const [browser, other] = [newBrowser(), newBrowser()];
      const state =
        new URL((await browser.open(start)).headers.get('location') ?? '').searchParams.get('state') ?? '';
      await other.open(start);
      const callback = `${start}/callback`;
      for (const [who, query] of [
        [browser, ''],
        [browser, '?code=x'],
        [browser, '?code=x&state='],
        [browser, `?code=x&state=${'A'.repeat(43)}`],
        [browser, `?code=x&state=${state}&state=${state}`],
        [other, `?code=x&state=${state}`],
        [newBrowser(), `?code=x&state=${state}`],
      ] as const) {
        const page = await who.open(callback + query);
        assert.deepEqual([page.status, JSON.parse(page.text)], [400, STATE], query);
        assert.equal(page.headers.get('location'), null);
      }
    },
  );

  longTest('refuses a callback that comes again, with the same code or another', async (t) => {
    const { start, newBrowser, service } = await federate(t, ACCOUNTS);
    const browser = newBrowser();
    const page = await browser.open(start);
    const cookie = browser.cookiesFor(start);
    const state = new URL(page.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const callback = (code: string): Promise<{ status: number }> =>
      service.api.get(`/auth/oidc/callback?code=${code}&state=${state}`, { Cookie: cookie });
    assert.equal((await callback('x')).status, 302);
    for (const code of ['x', 'y']) assert.equal((await callback(code)).status, 400);
  });

  longTest('removes its cookie', async (t) => {
    const { signIn, newBrowser, start } = await federate(t, ACCOUNTS);
    const browser = newBrowser();
    const page = await signIn('alice', browser);
    assert.match(page.headers.get('set-cookie') ?? '', /^__Host-sign_in_oidc_[\w-]{16}=; Max-Age=0; /);
    assert.equal(browser.cookiesFor(start), '');
  });
});
