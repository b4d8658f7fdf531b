import assert from 'node:assert/strict';
import { type KeyObject, createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { type JWTPayload, SignJWT } from 'jose';
import { encode } from '../../support/forge.ts';
import { type Misbehaviour, type Ticket, startFakeProvider } from '../../support/fake-provider.ts';
import { CLIENT } from '../../support/oidc-provider.ts';
import { readStored } from '../../support/people.ts';
import { federateWithFake, providerSettings } from '../../support/sign-in.ts';
import { type Service, startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const PERSON = { email: 'someone@example.com', email_verified: true };
type IdToken = (ticket: Ticket) => string | Promise<string>;

const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Claims that are honest but for these, signed honestly. */
const claiming =
  (more: object): IdToken =>
  ({ claims, sign }) =>
    sign({ ...claims, ...more });

/** The same with one claim that is a time, in seconds from now. */
const timed =
  (name: string, seconds: number): IdToken =>
  ({ claims, sign }) =>
    sign({ ...claims, [name]: Math.floor(Date.now() / 1000) + seconds });

const without =
  (name: string): IdToken =>
  ({ claims, sign }) =>
    sign(Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name)));

const signedBy = (key: KeyObject, claims: JWTPayload, header: object): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'ES256', ...header }).sign(key);

function hmacSigned({ claims }: Ticket, secret: string): string {
  const input = `${encode('{"alg":"HS256","kid":"key-0"}')}.${encode(JSON.stringify(claims))}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

const ID_TOKENS: readonly [string, IdToken][] = [
  ['another nonce', claiming({ nonce: 'x'.repeat(43) })],
  ['no nonce', without('nonce')],
  ['another audience', claiming({ aud: 'another-client' })],
  ['no audience', without('aud')],
  ['several audiences without azp', claiming({ aud: [CLIENT.id, 'another-client'] })],
  ['an azp that is another client', claiming({ aud: [CLIENT.id, 'another-client'], azp: 'another-client' })],
  ['a foreign azp with one audience', claiming({ azp: 'another-client' })],
  ['another issuer', claiming({ iss: 'https://evil.example' })],
  ['the issuer with a slash behind it', ({ claims, issuer, sign }) => sign({ ...claims, iss: `${issuer}/` })],
  ['no issuer', without('iss')],
  ['an expiry in the past', claiming({ iat: 1_700_000_000, exp: 1_700_000_300 })],
  ['an expiry ten seconds ago', timed('exp', -10)],
  ['no expiry', without('exp')],
  ['no time of issue', without('iat')],
  ['an issue an hour ago', timed('iat', -3_600)],
  ['an issue in the future', timed('iat', 3_600)],
  ['a start in the future', timed('nbf', 3_600)],
  ['no subject', without('sub')],
  ['an empty subject', claiming({ sub: '' })],
  ['a subject that is a number', claiming({ sub: 5 })],
  ['a subject of 256 characters', claiming({ sub: 'x'.repeat(256) })],
  ['alg none', ({ claims }) => `${encode('{"alg":"none"}')}.${encode(JSON.stringify(claims))}.`],
  [
    'HS256 signed with the public key in PEM',
    (ticket) => hmacSigned(ticket, ticket.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
  ],
  [
    'HS256 signed with the public key as JWK',
    (ticket) => hmacSigned(ticket, JSON.stringify(ticket.publicKey.export({ format: 'jwk' }))),
  ],
  ['HS256 signed with the client’s secret', (ticket) => hmacSigned(ticket, CLIENT.secret)],
  [
    'the key of a stranger under the right key id',
    ({ claims }) => signedBy(stranger.privateKey, claims, { kid: 'key-0' }),
  ],
  [
    'a key of its own in the header',
    ({ claims }) =>
      signedBy(stranger.privateKey, claims, { jwk: stranger.publicKey.export({ format: 'jwk' }) }),
  ],
  ['an unknown key id', ({ claims, privateKey }) => signedBy(privateKey, claims, { kid: 'unknown' })],
  [
    'a changed payload',
    async ({ claims, sign }) => {
      const [header = '', , signature = ''] = (await sign(claims)).split('.');
      return `${header}.${encode(JSON.stringify({ ...claims, sub: 'admin' }))}.${signature}`;
    },
  ],
  ['nonsense instead', () => 'nonsense'],
  ['nothing instead', () => ''],
];

const publishing = (more: object): Misbehaviour => ({ metadata: (honest) => ({ ...honest, ...more }) });
const redirecting = (...callback: readonly (readonly [string, string])[]): Misbehaviour => ({ callback });

const OTHERS: readonly [string, Misbehaviour, string][] = [
  ['metadata of another issuer', publishing({ issuer: 'https://evil.example' }), 'provider_unavailable'],
  ['metadata that is no object', { metadata: () => 'x' }, 'provider_unavailable'],
  ['metadata without a token endpoint', publishing({ token_endpoint: undefined }), 'provider_unavailable'],
  [
    'an endpoint that is no web address',
    publishing({ jwks_uri: 'file:///etc/passwd' }),
    'provider_unavailable',
  ],
  ['a redirect that names another issuer', redirecting(['iss', 'https://evil.example']), 'provider_error'],
  [
    'a redirect that names no issuer though it says it does',
    publishing({ authorization_response_iss_parameter_supported: true }),
    'provider_error',
  ],
  [
    'a redirect that names two issuers',
    redirecting(['iss', 'https://a.example'], ['iss', 'https://b.example']),
    'provider_error',
  ],
  ['a redirect with two codes', redirecting(['code', 'a'], ['code', 'b']), 'provider_error'],
  ['a redirect with an empty code', redirecting(['code', '']), 'provider_error'],
  ['keys that are none', { keys: () => ({ keys: 'x' }) }, 'provider_unavailable'],
  ['no keys', { keys: () => ({ keys: [] }) }, 'provider_error'],
  [
    'a user of another subject at userinfo',
    { idToken: without('email'), userinfo: () => ({ sub: 'another user', ...PERSON }) },
    'provider_error',
  ],
  ['userinfo that is no object', { idToken: without('email'), userinfo: () => 'x' }, 'provider_unavailable'],
];

const UNACCEPTABLE = {
  error: 'provider_error',
  error_description: 'The identity provider gave an answer that cannot be accepted',
};

const left = ({ folder }: Service): unknown[] => [
  ...readStored(folder, 'SELECT id FROM users'),
  ...readStored(folder, 'SELECT id FROM sessions'),
  ...readStored(folder, 'SELECT subject FROM identities'),
];

describe('a provider', () => {
  test('that is honest signs in', async (t) => {
    const { service, signIn } = await federateWithFake(t, PERSON);
    assert.ok('access_token' in (await signIn()));
    assert.equal(left(service).length, 3);
  });

  longTest('whose ID token is wrong in any way signs no one in', async (t) => {
    const { provider, service, signIn } = await federateWithFake(t, PERSON);
    for (const [title, idToken] of ID_TOKENS) {
      provider.behave({ idToken });
      assert.deepEqual(await signIn(), UNACCEPTABLE, title);
    }
    assert.deepEqual(left(service), []);
    const words = 'sign-in with the identity provider failed';
    const reported = service.logs.filter((line) => JSON.stringify(line).includes(words));
    assert.equal(reported.length, ID_TOKENS.length);
    provider.behave({});
    assert.ok('access_token' in (await signIn()));
  });

  for (const [title, misbehaviour, error] of OTHERS)
    test(`signs no one in with ${title}`, async (t) => {
      const { provider, service, signIn } = await federateWithFake(t, PERSON);
      provider.behave(misbehaviour);
      assert.equal((await signIn())['error'], error);
      assert.deepEqual(left(service), []);
    });

  test('may have several audiences when azp names us', async (t) => {
    const { provider, signIn } = await federateWithFake(t, PERSON);
    const idToken = claiming({ aud: [CLIENT.id, 'another-client'], azp: CLIENT.id });
    provider.behave({ idToken });
    assert.ok('access_token' in (await signIn()));
  });

  test('is asked for its metadata and keys once, however many sign in', async (t) => {
    const { provider, signIn } = await federateWithFake(t, PERSON);
    for (let round = 0; round < 3; round += 1) await signIn();
    const count = (path: string): number => provider.asked.filter((asked) => asked === path).length;
    assert.deepEqual(['/.well-known/openid-configuration', '/keys', '/token'].map(count), [1, 1, 3]);
  });

  test('is not asked for its keys again and again by unknown key ids', async (t) => {
    const { provider, signIn } = await federateWithFake(t, PERSON);
    await signIn();
    provider.behave({
      idToken: ({ claims, privateKey }) => signedBy(privateKey, claims, { kid: `k${Math.random()}` }),
    });
    for (let round = 0; round < 10; round += 1) assert.equal((await signIn())['error'], 'provider_error');
    assert.equal(provider.asked.filter((path) => path === '/keys').length, 1);
  });

  test('of one name is not taken for the other: a handshake started at one is refused at the other', async (t) => {
    const provider = await startFakeProvider(t, PERSON);
    const service = await startService(t, {
      ...providerSettings('oidc', provider.issuer),
      ...providerSettings('idp', provider.issuer),
    });
    const started = await service.api.get('/auth/oidc');
    const query = provider.authorize(started.headers.get('location') ?? '');
    const [cookie = ''] = (started.headers.get('set-cookie') ?? '').split(';');
    for (const Cookie of [cookie, cookie.replace('oidc', 'idp')]) {
      assert.equal((await service.api.get(`/auth/idp/callback?${query}`, { Cookie })).status, 400);
    }
    assert.equal((await service.api.get(`/auth/oidc/callback?${query}`, { Cookie: cookie })).status, 302);
  });
});
