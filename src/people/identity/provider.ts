import type { JWTVerifyGetKey } from 'jose';
import type { Properties } from '../../kit/objects.ts';
import {
  type Metadata,
  ProviderError,
  ask,
  createMetadataReader,
  parseObject,
  unavailable,
} from './metadata.ts';

/** Loads what checks the tokens of providers. */
export const loadJose = (): Promise<typeof import('jose')> => import('jose');

/** This service as a provider knows it, and the provider as this service does. */
export interface ProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUrl: string;
}

/** The secrets of one sign-in. */
export interface Proofs {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier (RFC 7636). */
  readonly verifier: string;
}

/** The parameters of the provider's redirect. */
export interface Callback {
  readonly code: string;
  /** The issuer that the redirect names, where it does (RFC 9207). */
  readonly issuer: string | undefined;
}

/** The verified claims of a user whom a provider has signed in (OpenID Connect Core 1.0 section 5.1). */
export type Claims = Properties;

/** An OpenID Connect provider. Everything rejects with a ProviderError when the provider is away or errs. */
export interface Provider {
  readonly issuer: string;
  /** Where to send the browser; `challenge` is the SHA-256 of the verifier. */
  readonly authorizationUrl: (proofs: Omit<Proofs, 'verifier'>, challenge: string) => Promise<string>;
  /** Exchanges the code and checks all that came back; the claims have a `sub` of 1 to 255 characters. */
  readonly identify: (callback: Callback, proofs: Proofs) => Promise<Claims>;
}

// Never HS256, which a client's secret or a provider's public key could sign, and never none.
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_TOLERANCE_SECONDS = 5;
const MAX_AGE_SECONDS = 10 * 60;

/** Opens a provider. Nothing is fetched before the first sign-in, so a dead provider delays no start. */
export function createProvider(options: ProviderOptions): Provider {
  const metadata = createMetadataReader(options.issuer);
  const keysOf = createKeyReader();
  return {
    issuer: options.issuer,
    authorizationUrl: async ({ state, nonce }, challenge) => {
      const url = new URL((await metadata()).authorizationEndpoint);
      const parameters = {
        response_type: 'code',
        client_id: options.clientId,
        redirect_uri: options.redirectUrl,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    identify: async ({ code, issuer }, { nonce, verifier }) => {
      const known = await metadata();
      if (issuer === undefined ? known.namesIssuer : issuer !== options.issuer)
        throw new ProviderError('provider_error', 'the redirect is of another issuer');
      const { idToken, accessToken } = await exchange(code, verifier, known, options);
      const claims = await verifyIdToken(idToken, nonce, await keysOf(known), options);
      if (claims.has('email') || accessToken === undefined) return claims;
      return new Map([...(await userinfo(accessToken, claims, known)), ...claims]);
    },
  };
}

/** The provider's signing keys, cached for 10 minutes; an unknown key id makes them be fetched again, at most every 30 s. */
function createKeyReader(): (metadata: Metadata) => Promise<JWTVerifyGetKey> {
  let made: { readonly metadata: Metadata; readonly keys: JWTVerifyGetKey } | undefined;
  return async (metadata) => {
    const { createRemoteJWKSet, customFetch } = await loadJose();
    if (made?.metadata.jwksUri !== metadata.jwksUri || made.metadata.isPrivate !== metadata.isPrivate) {
      const keys = createRemoteJWKSet(new URL(metadata.jwksUri), {
        cooldownDuration: 30_000,
        cacheMaxAge: 600_000,
        [customFetch]: async (url: string) => {
          const { status, text } = await ask(url, { allowPrivate: metadata.isPrivate });
          if (status !== 200) throw unavailable(`${url} answered ${status}`);
          parseObject(text, url);
          return new Response(text);
        },
      });
      made = { metadata, keys };
    }
    return made.keys;
  };
}

/** Exchanges the code at the token endpoint (RFC 6749 section 4.1.3, with PKCE). */
async function exchange(
  code: string,
  verifier: string,
  { tokenEndpoint, secretInForm, isPrivate }: Metadata,
  { clientId, clientSecret, redirectUrl }: ProviderOptions,
): Promise<{ readonly idToken: string; readonly accessToken: string | undefined }> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUrl,
    code_verifier: verifier,
    ...(secretInForm && { client_id: clientId, client_secret: clientSecret }),
  });
  const credentials = [clientId, clientSecret].map(formEncoded).join(':');
  const { status, text } = await ask(tokenEndpoint, {
    method: 'POST',
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(!secretInForm && { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
    body: form.toString(),
    allowPrivate: isPrivate,
  });
  if (status >= 500) throw unavailable(`${tokenEndpoint} answered ${status}`);
  const fields = parseObject(text, tokenEndpoint);
  const idToken = fields.get('id_token');
  if (status !== 200 || typeof idToken !== 'string')
    throw new ProviderError('provider_error', `${tokenEndpoint} answered ${status} ${errorCode(fields)}`);
  const accessToken = fields.get('access_token');
  return { idToken, accessToken: typeof accessToken === 'string' ? accessToken : undefined };
}

/** Checks an ID token as OpenID Connect Core 1.0 section 3.1.3.7 says. */
async function verifyIdToken(
  idToken: string,
  nonce: string,
  keys: JWTVerifyGetKey,
  { issuer, clientId }: ProviderOptions,
): Promise<Claims> {
  const { errors, jwtVerify } = await loadJose();
  try {
    const { payload } = await jwtVerify(idToken, keys, {
      algorithms: ALGORITHMS,
      issuer,
      audience: clientId,
      requiredClaims: ['sub', 'iat', 'exp', 'nonce'],
      maxTokenAge: MAX_AGE_SECONDS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    const claims: Claims = new Map<string, unknown>(Object.entries(payload));
    const { aud } = payload;
    const sub: unknown = claims.get('sub');
    const party = claims.get('azp');
    const isForUs = party === undefined ? !Array.isArray(aud) || aud.length === 1 : party === clientId;
    if (claims.get('nonce') !== nonce) throw new errors.JWTClaimValidationFailed('unexpected nonce', payload);
    if (!isForUs) throw new errors.JWTClaimValidationFailed('unexpected azp', payload);
    if (typeof sub !== 'string' || sub === '' || sub.length > 255)
      throw new errors.JWTClaimValidationFailed('unexpected sub', payload);
    return claims;
  } catch (error) {
    if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid)
      throw unavailable(`the keys of ${issuer} cannot be used: ${error.code}`);
    if (error instanceof errors.JOSEError)
      throw new ProviderError('provider_error', `the ID token is not valid: ${error.message}`);
    throw error;
  }
}

/** The claims outside the ID token; many providers have the email there alone. */
async function userinfo(accessToken: string, claims: Claims, metadata: Metadata): Promise<Claims> {
  const { userinfoEndpoint, isPrivate } = metadata;
  if (userinfoEndpoint === undefined) return claims;
  const headers = { Accept: 'application/json', Authorization: `Bearer ${accessToken}` };
  const { status, text } = await ask(userinfoEndpoint, { headers, allowPrivate: isPrivate });
  if (status !== 200) throw unavailable(`${userinfoEndpoint} answered ${status}`);
  const fields = parseObject(text, userinfoEndpoint);
  if (fields.get('sub') !== claims.get('sub'))
    throw new ProviderError('provider_error', `${userinfoEndpoint} is about another user`);
  return fields;
}

/** As RFC 6749 section 2.3.1 wants it within the Basic scheme. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** The `error` of RFC 6749 section 5.2 when it is a plain word; never the provider's sentences. */
function errorCode(fields: Properties): string {
  const code = fields.get('error');
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : 'without an ID token';
}
