import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { createAccessTokens } from '../../src/accounts/tokens.ts';
import { createClient, field, textOf } from '../support/client.ts';
import { type Json, TOKEN_HEADER, claimsOf, encode, signed, signedText } from '../support/forge.ts';
import { parseAnswers, sendRaw } from '../support/raw.ts';
import { LOCAL, type Person, changeStored, makeAdmin, signUp } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';

const encodeJson = (value: Json): string => encode(JSON.stringify(value));

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();

function rsaSigned(payload: Json): string {
  const input = `${encodeJson({ alg: 'RS256', typ: 'at+jwt' })}.${encodeJson(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`;
}

const without = (claims: Json, name: string): Json =>
  Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));

// Made of the claims of a good token; `token` is that token itself.
const FORGERIES: readonly [string, (claims: Json, token: string) => string][] = [
  ['alg none without a signature', (claims) => `${encodeJson({ alg: 'none' })}.${encodeJson(claims)}.`],
  ['alg none with a signature', (claims) => signed({ ...TOKEN_HEADER, alg: 'none' }, claims)],
  ['alg NONE in capitals', (claims) => signed({ ...TOKEN_HEADER, alg: 'NONE' }, claims)],
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
  ['the type of an ID token', (claims) => signed({ alg: 'HS256', typ: 'JWT' }, claims)],
  [
    'a key of its own in the header',
    (claims) => signed({ ...TOKEN_HEADER, jwk: { kty: 'oct', k: encode('mine') } }, claims, 'mine'),
  ],
  [
    'a key address in the header',
    (claims) => signed({ ...TOKEN_HEADER, jku: 'https://evil.example/keys' }, claims, 'mine'),
  ],
  ['a key id that is a path', (claims) => signed({ ...TOKEN_HEADER, kid: '/dev/null' }, claims, '')],
  ['a critical extension', (claims) => signed({ ...TOKEN_HEADER, crit: ['x'], x: 1 }, claims)],
  ['an unencoded payload', (claims) => signed({ ...TOKEN_HEADER, b64: false, crit: ['b64'] }, claims)],
  ['no expiry', (claims) => signed(TOKEN_HEADER, without(claims, 'exp'))],
  ['no time of issue', (claims) => signed(TOKEN_HEADER, without(claims, 'iat'))],
  ['no subject', (claims) => signed(TOKEN_HEADER, without(claims, 'sub'))],
  ['no session', (claims) => signed(TOKEN_HEADER, without(claims, 'sid'))],
  ['no issuer', (claims) => signed(TOKEN_HEADER, without(claims, 'iss'))],
  ['no audience', (claims) => signed(TOKEN_HEADER, without(claims, 'aud'))],
  ['another issuer', (claims) => signed(TOKEN_HEADER, { ...claims, iss: 'https://evil.example' })],
  ['another audience', (claims) => signed(TOKEN_HEADER, { ...claims, aud: 'another-service' })],
  [
    'several audiences',
    (claims) => signed(TOKEN_HEADER, { ...claims, aud: ['restaurant-catalogue', 'another'] }),
  ],
  [
    'a longer life than tokens have',
    (claims) => signed(TOKEN_HEADER, { ...claims, exp: Number(claims['exp']) + 60 }),
  ],
  [
    'an issue in the future',
    (claims) =>
      signed(TOKEN_HEADER, { ...claims, iat: Number(claims['iat']) + 60, exp: Number(claims['exp']) + 60 }),
  ],
  [
    'a start in the future',
    (claims) => signed(TOKEN_HEADER, { ...claims, nbf: Number(claims['iat']) + 600 }),
  ],
  ['an expiry that is text', (claims) => signed(TOKEN_HEADER, { ...claims, exp: '9999999999' })],
  ['another user', (claims) => signed(TOKEN_HEADER, { ...claims, sub: '3' })],
  ['a user who does not exist', (claims) => signed(TOKEN_HEADER, { ...claims, sub: '999' })],
  ['the placeholder user', (claims) => signed(TOKEN_HEADER, { ...claims, sub: '1' })],
  ['a subject that is a number', (claims) => signed(TOKEN_HEADER, { ...claims, sub: 2 })],
  ['a subject with SQL', (claims) => signed(TOKEN_HEADER, { ...claims, sub: '2 OR 1=1' })],
  [
    'a session that does not exist',
    (claims) => signed(TOKEN_HEADER, { ...claims, sid: '0123456789abcdef'.repeat(2) }),
  ],
  ['a session that is a number', (claims) => signed(TOKEN_HEADER, { ...claims, sid: 1 })],
  ['an old session that is none', (claims) => signed(TOKEN_HEADER, { ...claims, sid: '01' })],
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

async function twoPeople(
  t: Parameters<typeof startService>[0],
): Promise<{ service: Service; alice: Person }> {
  const service = await startService(t, LOCAL);
  const alice = await signUp(service, 'alice');
  await signUp(service, 'bob');
  return { service, alice };
}

describe('an access token', () => {
  test('that is valid is taken, whatever the case of the scheme', async (t) => {
    const { service, alice } = await twoPeople(t);
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const api = createClient(service.url, { Authorization: `${scheme} ${alice.accessToken}` });
      const { status, body } = await api.get('/auth/me');
      assert.deepEqual([status, textOf(body, 'username')], [200, 'alice']);
    }
    const same = signed(TOKEN_HEADER, claimsOf(alice.accessToken));
    assert.equal(same, alice.accessToken);
  });

  test('is valid although a second ends while it is made', async (t) => {
    const tokens = createAccessTokens(Buffer.alloc(32, 'k'));
    await tokens.loadAhead();
    // Whoever looks at the clock twice sees two seconds.
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
    const { service } = await twoPeople(t);
    for (const headers of [
      {},
      { Authorization: 'Basic YTpi' },
      { Authorization: '' },
      { Authorization: 'Token x' },
    ]) {
      const answer = await service.api.get('/auth/me', headers);
      assert.deepEqual([answer.status, answer.body], [401, { error: 'Authentication required' }]);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
  });

  test('that has expired is reported as such', async (t) => {
    const { service, alice } = await twoPeople(t);
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
        const answer = await createClient(service.url, { Authorization: `Bearer ${token}` }).get('/auth/me');
        assert.deepEqual([answer.status, answer.body], [401, { error: 'Token has expired' }]);
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
  });

  test('that is forged in any way answers 401 and the same words', async (t) => {
    const { service, alice } = await twoPeople(t);
    for (const [title, forge] of FORGERIES) {
      const token = forge(claimsOf(alice.accessToken), alice.accessToken);
      const answer = await createClient(service.url, { Authorization: `Bearer ${token}` }).get('/auth/me');
      assert.deepEqual([answer.status, answer.body], [401, { error: 'Invalid token' }], title);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer', title);
    }
  });

  test('in two headers, in the query or in a cookie is not taken', async (t) => {
    const { service, alice } = await twoPeople(t);
    const line = `Authorization: Bearer ${alice.accessToken}\r\n`;
    const head = 'GET /api/auth/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
    const [twice] = parseAnswers(await sendRaw(service.port, `${head}${line}${line}\r\n`));
    assert.deepEqual([twice?.status, twice?.body], [401, '{"error":"Invalid token"}']);
    const token = alice.accessToken;
    assert.equal((await service.api.get(`/auth/me?access_token=${token}&token=${token}`)).status, 401);
    assert.equal((await service.api.get('/auth/me', { Cookie: `access_token=${token}` })).status, 401);
  });

  test('counts no more from the request after its session or its user ends', async (t) => {
    const ends = [
      'DELETE FROM sessions',
      'UPDATE users SET is_active = 0',
      'UPDATE sessions SET expires_at = created_at',
    ];
    for (const sql of ends) {
      const { service, alice } = await twoPeople(t);
      assert.equal((await alice.api.get('/auth/me')).status, 200);
      changeStored(service.folder, sql);
      const answer = await alice.api.get('/auth/me');
      assert.deepEqual([answer.status, answer.body], [401, { error: 'Invalid token' }], sql);
    }
  });

  test('knows of a change of the stored record at once', async (t) => {
    const { service, alice } = await twoPeople(t);
    const isAdmin = async (): Promise<unknown> => field((await alice.api.get('/auth/me')).body, 'is_admin');
    assert.equal(await isAdmin(), false);
    makeAdmin(service, alice);
    assert.equal(await isAdmin(), true);
  });

  test('is not looked at on public routes', async (t) => {
    const { service } = await twoPeople(t);
    const api = createClient(service.url, { Authorization: 'Bearer nonsense' });
    for (const path of ['/restaurants', '/categories', '/search?q=a', '/health'])
      assert.equal((await api.get(path)).status, 200, path);
  });
});
