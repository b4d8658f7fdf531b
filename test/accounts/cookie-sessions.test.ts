import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { createClient, field, headerValues, textOf } from '../support/client.ts';
import { type OwnPage, openOwnPage } from '../support/own-page.ts';
import { LOCAL, type Person, changeStored, readStored, signUp } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';

const IN_COOKIE = { session: 'cookie' };
const INVALID = { error: 'Invalid or expired refresh token' };
const CLEARED = 'refresh=; Path=/api/auth; HttpOnly; SameSite=Strict; Max-Age=0';

interface Opened {
  readonly service: Service;
  readonly alice: Person;
  readonly page: OwnPage;
}

/** A service on which alice has an account, and a page of its own. */
async function open(t: TestContext, variables: Readonly<Record<string, string>> = {}): Promise<Opened> {
  const service = await startService(t, { ...LOCAL, ...variables });
  const alice = await signUp(service, 'alice');
  await alice.api.post('/auth/logout', {});
  return { service, alice, page: openOwnPage(service.url) };
}

const logIn = ({ page, alice: { email, password } }: Opened) =>
  page.post('/auth/login', { ...IN_COOKIE, email, password });
const tokenOf = (page: OwnPage): string => page.cookies().split('=')[1] ?? '';
const sessionCount = ({ folder }: Service): number => readStored(folder, 'SELECT 1 FROM sessions').length;

describe('a session in a cookie', () => {
  test('starts with a login: the refresh token is in the cookie, and nowhere else', async (t) => {
    const opened = await open(t);
    const { status, headers, body } = await logIn(opened);
    assert.deepEqual([status, field(body, 'refresh_token')], [200, null]);
    assert.match(
      headers.get('set-cookie') ?? '',
      /^refresh=[\w-]{43}; Path=\/api\/auth; HttpOnly; SameSite=Strict; Max-Age=604800$/,
    );
    assert.equal(headers.get('cache-control'), 'private, no-store');
    const token = tokenOf(opened.page);
    assert.equal(JSON.stringify(body).includes(token), false);
    assert.equal(JSON.stringify(opened.service.logs).includes(token), false);
    const Authorization = `Bearer ${textOf(body, 'access_token')}`;
    const me = await opened.service.api.get('/auth/me', { Authorization });
    assert.equal(textOf(me.body, 'username'), 'alice');
  });

  test('starts with a registration too', async (t) => {
    const { service, page } = await open(t);
    const account = { email: 'bob@example.com', username: 'bob', password: 'bob and a long password' };
    const { status, body, headers } = await page.post('/auth/register', { ...IN_COOKIE, ...account });
    assert.deepEqual([status, field(body, 'refresh_token')], [201, null]);
    assert.equal(headers.get('location'), '/api/auth/me');
    assert.equal((await page.post('/auth/refresh', IN_COOKIE)).status, 200);
    assert.equal(sessionCount(service), 1);
  });

  test('goes on with every refresh, and its cookie is not set again while the token is the same', async (t) => {
    const opened = await open(t);
    await logIn(opened);
    const before = opened.page.cookies();
    for (let round = 0; round < 3; round += 1) {
      const { status, body, headers } = await opened.page.post('/auth/refresh', IN_COOKIE);
      assert.deepEqual([status, field(body, 'refresh_token')], [200, null]);
      assert.equal(textOf(field(body, 'user'), 'username'), 'alice');
      assert.equal(headers.get('set-cookie'), null);
    }
    assert.equal(opened.page.cookies(), before);
    assert.equal(sessionCount(opened.service), 1);
  });

  test('ends with a logout, which removes the cookie, also when it is gone already', async (t) => {
    const opened = await open(t);
    const { service, page } = opened;
    const { body } = await logIn(opened);
    const stolen = page.cookies();
    for (let round = 0; round < 2; round += 1) {
      const answer = await page.post('/auth/logout', IN_COOKIE);
      assert.deepEqual([answer.status, answer.headers.get('set-cookie')], [200, CLEARED]);
      assert.equal(page.cookies(), '');
    }
    const Authorization = `Bearer ${textOf(body, 'access_token')}`;
    assert.equal((await service.api.get('/auth/me', { Authorization })).status, 401);
    assert.equal((await openOwnPage(service.url, {}, stolen).post('/auth/refresh', IN_COOKIE)).status, 401);
  });

  const ends: readonly (readonly [string, string])[] = [
    ['expired a moment ago', "UPDATE sessions SET expires_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"],
    ['is of an inactive user', 'UPDATE users SET is_active = 0'],
    ['is of a user who is gone', 'DELETE FROM users'],
    ['has ended', 'DELETE FROM sessions'],
  ];
  for (const [title, sql] of ends)
    test(`that ${title} is refused, and its cookie removed`, async (t) => {
      const opened = await open(t);
      await logIn(opened);
      changeStored(opened.service.folder, sql);
      const answer = await opened.page.post('/auth/refresh', IN_COOKIE);
      assert.deepEqual([answer.status, answer.body], [401, INVALID]);
      assert.deepEqual(headerValues(answer, 'www-authenticate', 'set-cookie'), ['Bearer', CLEARED]);
    });

  test('is needed for a refresh: without a cookie, or with an empty one, the answer is 401', async (t) => {
    const { page, service } = await open(t);
    for (const cookie of ['', 'refresh=', 'refresh', 'other=x', 'Refresh=x']) {
      const answer = await page.post('/auth/refresh', IN_COOKIE, { Cookie: cookie });
      assert.deepEqual([answer.status, answer.body], [401, INVALID], cookie);
      assert.equal(answer.headers.get('set-cookie'), CLEARED);
    }
    assert.equal(JSON.stringify(service.logs).includes('unexpected'), false);
  });

  test('is not that of a token in a body, nor the other way round', async (t) => {
    const opened = await open(t);
    const { service, page, alice } = opened;
    await logIn(opened);
    const { email, password } = alice;
    const bare = textOf((await service.api.post('/auth/login', { email, password })).body, 'refresh_token');
    const inBody = await service.api.post('/auth/refresh', { refresh_token: tokenOf(page) });
    assert.deepEqual([inBody.status, inBody.body], [401, INVALID]);
    const moved = openOwnPage(service.url, {}, `refresh=${bare}`);
    assert.equal((await moved.post('/auth/refresh', IN_COOKIE)).status, 401);
    await service.api.post('/auth/logout', { refresh_token: tokenOf(page) });
    await openOwnPage(service.url, {}, `refresh=${bare}`).post('/auth/logout', IN_COOKIE);
    assert.equal(sessionCount(service), 2);
    assert.equal((await page.post('/auth/refresh', IN_COOKIE)).status, 200);
    assert.equal((await service.api.post('/auth/refresh', { refresh_token: bare })).status, 200);
  });

  test('opens no route but refresh and logout', async (t) => {
    const opened = await open(t);
    await logIn(opened);
    const page = createClient(opened.service.url, {
      Cookie: opened.page.cookies(),
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': 'application/json',
    });
    const closed = opened.service.routes.filter(({ access }) => access !== 'public');
    assert.ok(closed.length > 20);
    for (const { method, pattern } of closed) {
      const path = pattern.replace(/:\w+/g, '1');
      const answer = await page.send(path, { method, ...(method !== 'GET' && { body: '{}' }) });
      assert.deepEqual([answer.status, answer.body], [401, { error: 'Authentication required' }], pattern);
    }
  });

  const bodies: readonly (readonly [string, object, string])[] = [
    ['login', { session: 'token' }, 'session must be cookie'],
    ['register', { session: 5 }, 'session must be cookie'],
    ['refresh', { session: ['cookie'] }, 'session must be cookie'],
    ['logout', { session: 'Cookie' }, 'session must be cookie'],
    ['login', IN_COOKIE, 'email is required; password is required'],
    [
      'refresh',
      { ...IN_COOKIE, refresh_token: 'x' },
      'refresh_token must not be sent with a session in a cookie',
    ],
    [
      'logout',
      { ...IN_COOKIE, refresh_token: 'x' },
      'refresh_token must not be sent with a session in a cookie',
    ],
    ['refresh', { session: null }, 'refresh_token is required'],
  ];
  for (const [path, body, error] of bodies)
    test(`is refused for a ${path} with ${JSON.stringify(body)}`, async (t) => {
      const { page } = await open(t);
      const answer = await page.post(`/auth/${path}`, body);
      assert.deepEqual([answer.status, answer.body], [400, { error }]);
      assert.equal(answer.headers.get('set-cookie'), null);
    });
});
