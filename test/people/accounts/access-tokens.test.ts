import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { AccessTokens, loadJose } from '../../../src/people/accounts/tokens.ts';
import { bearing, startWithAlice } from '../../support/accounts.ts';
import { refusal } from '../../support/changes.ts';
import { textOf } from '../../support/client.ts';
import { type Json, TOKEN_HEADER, claimsOf, encode, signed, signedText } from '../../support/forge.ts';
import { parseAnswers, sendRaw } from '../../support/raw.ts';
import { LOCAL, signUp } from '../../support/people.ts';
import { startService } from '../../support/service.ts';

const encodeJson = (value: Json): string => encode(JSON.stringify(value));

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();

function rsaSigned(payload: Json): string {
  const input = `${encodeJson({ alg: 'RS256', typ: 'at+jwt' })}.${encodeJson(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`;
}

type Forge = (claims: Json, token: string) => string;

const withHeader =
  (header: Json): Forge =>
  (claims) =>
    signed({ ...TOKEN_HEADER, ...header }, claims);

/** Claims that are right but for these; a function makes them of the right ones. */
const claiming =
  (more: Json | ((claims: Json) => Json)): Forge =>
  (claims) =>
    signed(TOKEN_HEADER, { ...claims, ...(typeof more === 'function' ? more(claims) : more) });

const without =
  (name: string): Forge =>
  (claims) =>
    signed(TOKEN_HEADER, Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name)));

const later = (claims: Json, name: string, seconds: number): number => Number(claims[name]) + seconds;

// Made of the claims of a good token; `token` is that token itself.
const FORGERIES: readonly [string, Forge][] = [
  ['alg none without a signature', (claims) => `${encodeJson({ alg: 'none' })}.${encodeJson(claims)}.`],
  ['alg none with a signature', withHeader({ alg: 'none' })],
  ['alg NONE in capitals', withHeader({ alg: 'NONE' })],
  [
    'HS512 with the right secret',
    (claims) => signed({ ...TOKEN_HEADER, alg: 'HS512' }, claims, undefined, 'sha512'),
  ],
  [
    'HS384 with the right secret',
    (claims) => signed({ ...TOKEN_HEADER, alg: 'HS384' }, claims, undefined, 'sha384'),
  ],
  ['RS256', (claims) => rsaSigned(claims)],
  ['HS256 with a public key as secret', (claims) => signed(TOKEN_HEADER, claims, publicPem)],
  ['another secret', (claims) => signed(TOKEN_HEADER, claims, 'another secret of the same length, or so')],
  ['no secret', (claims) => signed(TOKEN_HEADER, claims, '')],
  ['no algorithm', (claims) => signed({ typ: 'at+jwt' }, claims)],
  ['no type', (claims) => signed({ alg: 'HS256' }, claims)],
  ['the type of an ID token', withHeader({ typ: 'JWT' })],
  [
    'a key of its own in the header',
    (claims) => signed({ ...TOKEN_HEADER, jwk: { kty: 'oct', k: encode('mine') } }, claims, 'mine'),
  ],
  [
    'a key address in the header',
    (claims) => signed({ ...TOKEN_HEADER, jku: 'https://evil.example/keys' }, claims, 'mine'),
  ],
  ['a key id that is a path', (claims) => signed({ ...TOKEN_HEADER, kid: '/dev/null' }, claims, '')],
  ['a critical extension', withHeader({ crit: ['x'], x: 1 })],
  ['an unencoded payload', withHeader({ b64: false, crit: ['b64'] })],
  ['no expiry', without('exp')],
  ['no time of issue', without('iat')],
  ['no subject', without('sub')],
  ['no session', without('sid')],
  ['no issuer', without('iss')],
  ['no audience', without('aud')],
  ['another issuer', claiming({ iss: 'https://evil.example' })],
  ['another audience', claiming({ aud: 'another-service' })],
  ['several audiences', claiming({ aud: ['restaurant-catalogue', 'another'] })],
  ['a longer life than tokens have', claiming((own) => ({ exp: later(own, 'exp', 60) }))],
  ['an issue in the future', claiming((own) => ({ iat: later(own, 'iat', 60), exp: later(own, 'exp', 60) }))],
  ['a start in the future', claiming((own) => ({ nbf: later(own, 'iat', 600) }))],
  ['an expiry that is text', claiming({ exp: '9999999999' })],
  ['another user', claiming({ sub: '3' })],
  ['a user who does not exist', claiming({ sub: '999' })],
  ['the placeholder user', claiming({ sub: '1' })],
  ['a subject that is a number', claiming({ sub: 2 })],
  ['a subject with SQL', claiming({ sub: '2 OR 1=1' })],
  ['a session that does not exist', claiming({ sid: '0123456789abcdef'.repeat(2) })],
  ['a session that is a number', claiming({ sid: 1 })],
  ['an old session that is none', claiming({ sid: '01' })],
  ['a payload that is no JSON', () => signedText(TOKEN_HEADER, 'x')],
  ['a payload that is an array', () => signedText(TOKEN_HEADER, '[]')],
  [
    'a changed payload',
    (claims, token) => {
      const [header = '', , signature = ''] = token.split('.');
      return `${header}.${encodeJson({ ...claims, sub: '3' })}.${signature}`;
    },
  ],
  ['a cut signature', (_claims, token) => token.slice(0, -2)],
  ['no signature', (_claims, token) => `${token.split('.').slice(0, 2).join('.')}.`],
  ['padding', (_claims, token) => `${token}=`],
  ['a fourth part', (_claims, token) => `${token}.x`],
  ['something before it', (_claims, token) => `x${token}`],
  ['a blank within', (_claims, token) => token.replace('.', ' .')],
  ['two parts', () => 'a.b'],
  ['nothing', () => ''],
  ['a refresh token', () => 'x'.repeat(43)],
  ['an API token that does not exist', () => `rct_${'x'.repeat(43)}`],
  ['ten thousand characters', () => 'x'.repeat(10_000)],
];

describe('an access token', () => {
  test('that is valid is taken, whatever the case of the scheme', async (t) => {
    const { service, alice } = await startWithAlice(t);
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const Authorization = `${scheme} ${alice.accessToken}`;
      const { status, body } = await service.api.get('/auth/me', { Authorization });
      assert.deepEqual([status, textOf(body, 'username')], [200, 'alice']);
    }
    const same = signed(TOKEN_HEADER, claimsOf(alice.accessToken));
    assert.equal(same, alice.accessToken);
  });

  test('is valid although a second ends while it is made', async (t) => {
    const tokens = new AccessTokens(Buffer.alloc(32, 'k'));
    await loadJose();
    // A second look at the clock sees another second.
    let time = Date.now() - 10_000;
    const SteadyDate = Date;
    const tick = (): number => (time += 1_000);
    t.mock.method(SteadyDate, 'now', tick);
    t.mock.method(
      globalThis,
      'Date',
      class extends SteadyDate {
        constructor() {
          super(tick());
        }
      },
    );
    const token = await tokens.issue({ userId: 2, sid: '0'.repeat(32) });
    t.mock.restoreAll();
    assert.equal((await tokens.check(token)).outcome, 'valid');
  });

  test('that is missing, or of another scheme, is asked for', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const headers of [
      {},
      { Authorization: 'Basic YTpi' },
      { Authorization: '' },
      { Authorization: 'Token x' },
    ]) {
      const answer = await api.get('/auth/me', headers);
      assert.deepEqual(refusal(answer), [401, 'Authentication required']);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
  });

  test('that has expired is reported as such', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const claims = claimsOf(alice.accessToken);
    const [iat, exp] = [Number(claims['iat']), Number(claims['exp'])];
    for (const past of [
      { exp: iat - 1, iat: iat - 901 },
      { exp: iat },
      { exp: exp - 86_400, iat: iat - 86_400 },
      { exp: 0 },
    ])
      for (const header of [TOKEN_HEADER, { alg: 'HS256', typ: 'JWT' }]) {
        const token = signed(header, { ...claims, ...past });
        const answer = await service.api.get('/auth/me', bearing(token));
        assert.deepEqual(refusal(answer), [401, 'Token has expired']);
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
  });

  test('that is forged in any way answers 401 and the same words', async (t) => {
    const { service, alice } = await startWithAlice(t);
    await signUp(service, 'bob');
    for (const [title, forge] of FORGERIES) {
      const token = forge(claimsOf(alice.accessToken), alice.accessToken);
      const answer = await service.api.get('/auth/me', bearing(token));
      assert.deepEqual(refusal(answer), [401, 'Invalid token'], title);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer', title);
    }
  });

  test('in two headers, in the query or in a cookie is not taken', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const line = `Authorization: Bearer ${alice.accessToken}\r\n`;
    const head = 'GET /api/auth/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
    const [twice] = parseAnswers(await sendRaw(service.port, `${head}${line}${line}\r\n`));
    assert.deepEqual([twice?.status, twice?.body], [401, '{"error":"Invalid token"}']);
    const token = alice.accessToken;
    assert.equal((await service.api.get(`/auth/me?access_token=${token}&token=${token}`)).status, 401);
    assert.equal((await service.api.get('/auth/me', { Cookie: `access_token=${token}` })).status, 401);
  });

  test('is not looked at on public routes', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const path of ['/restaurants', '/categories', '/search?q=a', '/health'])
      assert.equal((await api.get(path, bearing('nonsense'))).status, 200, path);
  });
});
