import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { ageRotations, bearing, startWithAlice } from '../../support/accounts.ts';
import { refusal } from '../../support/changes.ts';
import { field, headerValues, textOf } from '../../support/client.ts';
import { type OwnPage, openOwnPage } from '../../support/own-page.ts';
import { type Person, changeStored, readStored } from '../../support/people.ts';
import { parseAnswers, sendRaw } from '../../support/raw.ts';
import type { Service } from '../../support/service.ts';

const IN_COOKIE = { session: 'cookie' };
const INVALID = [401, 'Invalid or expired refresh token'];
const TWO_TOKENS = 'refresh_token must not be sent with a session in a cookie';
const CLEARED = 'refresh=; Path=/api/auth; HttpOnly; SameSite=Strict; Max-Age=0';

interface Opened {
  readonly service: Service;
  readonly alice: Person;
  readonly page: OwnPage;
}

/** A service on which alice has an account, and a page of its own. */
async function open(t: TestContext, variables: Readonly<Record<string, string>> = {}): Promise<Opened> {
  const { service, alice } = await startWithAlice(t, variables);
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
    const me = await opened.service.api.get('/auth/me', bearing(textOf(body, 'access_token')));
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
    const me = await service.api.get('/auth/me', bearing(textOf(body, 'access_token')));
    assert.equal(me.status, 401);
    assert.equal((await openOwnPage(service.url, {}, stolen).post('/auth/refresh', IN_COOKIE)).status, 401);
  });

  test('that has ended is refused, and its cookie removed', async (t) => {
    const opened = await open(t);
    await logIn(opened);
    changeStored(opened.service.folder, 'DELETE FROM sessions');
    const answer = await opened.page.post('/auth/refresh', IN_COOKIE);
    assert.deepEqual(refusal(answer), INVALID);
    assert.deepEqual(headerValues(answer, 'www-authenticate', 'set-cookie'), ['Bearer', CLEARED]);
  });

  test('is needed for a refresh: without a cookie, or with an empty one, the answer is 401', async (t) => {
    const { page, service } = await open(t);
    for (const cookie of ['', 'refresh=', 'refresh', 'other=x', 'Refresh=x']) {
      const answer = await page.post('/auth/refresh', IN_COOKIE, { Cookie: cookie });
      assert.deepEqual(refusal(answer), INVALID, cookie);
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
    assert.deepEqual(refusal(inBody), INVALID);
    const moved = openOwnPage(service.url, {}, `refresh=${bare}`);
    assert.equal((await moved.post('/auth/refresh', IN_COOKIE)).status, 401);
    await service.api.post('/auth/logout', { refresh_token: tokenOf(page) });
    await openOwnPage(service.url, {}, `refresh=${bare}`).post('/auth/logout', IN_COOKIE);
    assert.equal(sessionCount(service), 2);
    assert.equal((await page.post('/auth/refresh', IN_COOKIE)).status, 200);
    assert.equal((await service.api.post('/auth/refresh', { refresh_token: bare })).status, 200);
  });

  const bodies: readonly (readonly [string, object, string])[] = [
    ['login', { session: 'token' }, 'session must be cookie'],
    ['register', { session: 5 }, 'session must be cookie'],
    ['refresh', { session: ['cookie'] }, 'session must be cookie'],
    ['logout', { session: 'Cookie' }, 'session must be cookie'],
    ['login', IN_COOKIE, 'email is required; password is required'],
    ['refresh', { ...IN_COOKIE, refresh_token: 'x' }, TWO_TOKENS],
    ['logout', { ...IN_COOKIE, refresh_token: 'x' }, TWO_TOKENS],
    ['refresh', { session: null }, 'refresh_token is required'],
  ];
  test('is refused with another form of session, or with a token as well', async (t) => {
    const { page } = await open(t);
    for (const [path, body, error] of bodies) {
      const answer = await page.post(`/auth/${path}`, body);
      assert.deepEqual(refusal(answer), [400, error], `${path} with ${JSON.stringify(body)}`);
      assert.equal(answer.headers.get('set-cookie'), null);
    }
  });
});

describe('with REFRESH_TOKEN_ROTATION=true the cookie of a session', () => {
  const rotating = { REFRESH_TOKEN_ROTATION: 'true' };

  test('is replaced at a refresh, by the same one in all tabs that refresh at once', async (t) => {
    const opened = await open(t, rotating);
    await logIn(opened);
    const { service, page } = opened;
    const tabs = Array.from({ length: 8 }, () => openOwnPage(service.url, {}, page.cookies()));
    const answers = await Promise.all(tabs.map((tab) => tab.post('/auth/refresh', IN_COOKIE)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const [successor = '', ...more] = new Set(tabs.map((tab) => tab.cookies()));
    assert.deepEqual([more, successor === page.cookies()], [[], false]);
    const next = openOwnPage(service.url, {}, successor);
    assert.equal((await next.post('/auth/refresh', IN_COOKIE)).status, 200);
    assert.notEqual(next.cookies(), successor);
    assert.equal(sessionCount(service), 1);
  });

  test('ends the session when an old one is used later, and is removed', async (t) => {
    const opened = await open(t, rotating);
    await logIn(opened);
    const { service, page } = opened;
    const thief = openOwnPage(service.url, {}, page.cookies());
    await page.post('/auth/refresh', IN_COOKIE);
    ageRotations(service);
    assert.equal((await thief.post('/auth/refresh', IN_COOKIE)).status, 401);
    assert.deepEqual([thief.cookies(), sessionCount(service)], ['', 0]);
    assert.equal((await page.post('/auth/refresh', IN_COOKIE)).status, 401);
    assert.equal(page.cookies(), '');
  });
});

const FOREIGN = { error: 'Cookie sessions are for pages of this service' };
const APP = 'https://app.example';
const BEHIND_TLS = 'X-Forwarded-Proto: https\r\n';

// Headers of a request to http://food.example:8080, and whether a page of the service sends it.
const PAGES: readonly (readonly [string, string, boolean])[] = [
  ['of the same origin', 'Sec-Fetch-Site: same-origin\r\n', true],
  ['of the same origin by Origin alone', 'Origin: http://food.example:8080\r\n', true],
  ['of the same origin behind TLS', `${BEHIND_TLS}Origin: https://food.example:8080\r\n`, true],
  ['that says nothing', '', false],
  ['of the same site', 'Sec-Fetch-Site: same-site\r\nOrigin: http://food.example:8080\r\n', false],
  ['of another site', 'Sec-Fetch-Site: cross-site\r\nOrigin: http://food.example:8080\r\n', false],
  ['that was typed', 'Sec-Fetch-Site: none\r\n', false],
  ['that says two things', 'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Site: same-origin\r\n', false],
  ['in other letters', 'Sec-Fetch-Site: Same-Origin\r\n', false],
  ['of another scheme', 'Origin: https://food.example:8080\r\n', false],
  ['of plain HTTP to a service behind TLS', `${BEHIND_TLS}Origin: http://food.example:8080\r\n`, false],
  ['of another port', 'Origin: http://food.example:3000\r\n', false],
  ['of no port', 'Origin: http://food.example\r\n', false],
  ['of a longer name', 'Origin: http://food.example.evil.example:8080\r\n', false],
  ['of a name that ends alike', 'Origin: http://evil-food.example:8080\r\n', false],
  ['of no origin', 'Origin: null\r\n', false],
  ['of an empty origin', 'Origin: \r\n', false],
  ['of two origins', 'Origin: http://food.example:8080\r\nOrigin: http://evil.example\r\n', false],
  ['of an allowed origin', `Origin: ${APP}\r\n`, false],
];

function postRaw(path: string, headers: string, body: object): string {
  const text = JSON.stringify(body);
  return [
    `POST /api/auth/${path} HTTP/1.1`,
    'Host: food.example:8080',
    'Content-Type: application/json',
    `Content-Length: ${text.length}`,
    `Connection: close\r\n${headers}\r\n${text}`,
  ].join('\r\n');
}

describe('a session in a cookie', () => {
  test('is for pages of the service alone, whatever is asked', async (t) => {
    const { service, alice } = await startWithAlice(t, { ALLOWED_ORIGINS: APP });
    const { email, password } = alice;
    for (const [title, headers, isOwn] of PAGES)
      for (const [path, body, status] of [
        ['login', { email, password }, 200],
        ['register', {}, 400],
        ['refresh', {}, 401],
        ['logout', {}, 200],
      ] as const) {
        const bytes = postRaw(path, headers, { ...IN_COOKIE, ...body });
        const [answer] = parseAnswers(await sendRaw(service.port, bytes));
        assert.ok(answer, title);
        assert.equal(answer.status, isOwn ? status : 403, `${path} by a page ${title}: ${answer.body}`);
        if (!isOwn) assert.deepEqual(JSON.parse(answer.body), FOREIGN);
      }
  });

  test('is refused to a foreign page before its password is looked at', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const { email } = alice;
    for (let round = 0; round < 12; round += 1) {
      const answer = await service.api.post('/auth/login', { ...IN_COOKIE, email, password: 'wrong' });
      assert.equal(answer.status, 403);
    }
    // Twelve failures would have locked the account for this address.
    assert.equal((await service.api.post('/auth/login', { email, password: 'wrong' })).status, 401);
    assert.equal(readStored(service.folder, 'SELECT 1 FROM sessions').length, 1);
  });

  // By TRUSTED_PROXIES: X-Forwarded-Proto and the name of the cookie.
  const schemes: Readonly<Record<string, readonly (readonly [string | undefined, string])[]>> = {
    loopback: [
      [undefined, 'refresh'],
      ['https', '__Host-refresh'],
      ['HTTPS', '__Host-refresh'],
      ['http, https', '__Host-refresh'],
      ['https, http', 'refresh'],
      ['http', 'refresh'],
      ['https,', 'refresh'],
      ['httpss', 'refresh'],
    ],
    none: [['https', 'refresh']],
    '10.0.0.0/8': [['https', 'refresh']],
  };
  for (const [TRUSTED_PROXIES, cases] of Object.entries(schemes))
    test(`has the cookie of the scheme that a peer names where ${TRUSTED_PROXIES} is trusted`, async (t) => {
      const { service, alice } = await startWithAlice(t, { TRUSTED_PROXIES });
      for (const [forwarded, name] of cases) {
        const page = openOwnPage(
          service.url,
          forwarded === undefined ? {} : { 'X-Forwarded-Proto': forwarded },
        );
        const answer = await page.post('/auth/login', { ...IN_COOKIE, ...alice });
        const cookie = answer.headers.get('set-cookie') ?? '';
        assert.ok(cookie.startsWith(`${name}=`), cookie);
        const attributes = cookie.slice(cookie.indexOf('; ') + 2);
        const [path, secure] = name === 'refresh' ? ['/api/auth', ''] : ['/', 'Secure; '];
        assert.equal(attributes, `Path=${path}; ${secure}HttpOnly; SameSite=Strict; Max-Age=604800`);
        assert.equal((await page.post('/auth/refresh', IN_COOKIE)).status, 200);
        const gone = (await page.post('/auth/logout', IN_COOKIE)).headers.get('set-cookie');
        assert.equal(gone, `${name}=; Path=${path}; ${secure}HttpOnly; SameSite=Strict; Max-Age=0`);
      }
    });

  test('is never read from the cookie of the other scheme, and from the first of several', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const tokenOver = async (own: Readonly<Record<string, string>>): Promise<string> => {
      const page = openOwnPage(service.url, own);
      await page.post('/auth/login', { ...IN_COOKIE, ...alice });
      return page.cookies().split('=')[1] ?? '';
    };
    const https = { 'X-Forwarded-Proto': 'https' };
    const [plain, secure] = [await tokenOver({}), await tokenOver(https)];
    const status = async (Cookie: string, own: Readonly<Record<string, string>> = {}): Promise<number> =>
      (await openOwnPage(service.url, own).post('/auth/refresh', IN_COOKIE, { Cookie })).status;
    assert.deepEqual(
      [
        await status(`__Host-refresh=${secure}`),
        await status(`__Host-refresh=${plain}`),
        await status(`refresh=${plain}`, https),
        await status(`__Host-refresh=${secure}; refresh=${plain}`),
        await status(`refresh=x; __Host-refresh=${secure}`, https),
        await status(`refresh=${plain}; refresh=x`),
        await status(`refresh=x; refresh=${plain}`),
      ],
      [401, 401, 401, 200, 200, 200, 401],
    );
  });
});
