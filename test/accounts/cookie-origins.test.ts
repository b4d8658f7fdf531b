import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startWithAlice } from '../support/accounts.ts';
import { openOwnPage } from '../support/own-page.ts';
import { readStored } from '../support/people.ts';
import { parseAnswers, sendRaw } from '../support/raw.ts';

const IN_COOKIE = { session: 'cookie' };
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
