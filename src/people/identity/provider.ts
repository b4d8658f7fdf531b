import type { JWTVerifyGetKey } from 'jose';
import { OutboundError, type OutboundAnswer, type OutboundRequest, fetchText } from '../../kit/fetch.ts';
import { HOUR_MS } from '../../kit/time.ts';
import { type Properties, parseJson, propertiesOf } from '../../kit/objects.ts';
import { loadJose } from '../accounts/tokens.ts';

/** How this service and the provider know each other. */
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

/** The verified claims of a user whom a provider has signed in (OpenID Connect Core 1.0 section 5.1). */
export type UserClaims = Properties;

/** The provider could not be reached, or its answer made no sense; `code` is for the browser. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: 'provider_unavailable' | 'provider_error';

  constructor(code: ProviderError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The metadata of a provider that is used (OpenID Connect Discovery 1.0 section 3). */
type Metadata = Awaited<ReturnType<typeof readMetadata>>;

// Never HS256, which a client's secret or a provider's public key could sign, and never none.
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const CLOCK_TOLERANCE_SECONDS = 5;
const TOKEN_MAX_AGE_SECONDS = 10 * 60;

/**
 * An OpenID Connect provider. All methods reject with a ProviderError if it is unreachable or responds wrongly. Nothing is
 * fetched before the first sign-in, so that a dead provider does not delay the start.
 */
export class Provider {
  readonly issuer: string;
  readonly #options: ProviderOptions;
  #known: { readonly metadata: Metadata; readonly at: number } | undefined;
  #reading: Promise<Metadata> | undefined;

  constructor(options: ProviderOptions) {
    this.issuer = options.issuer;
    this.#options = options;
  }

  /** Where to send the browser; `challenge` is the SHA-256 of the verifier. */
  async authorizationUrl({ state, nonce }: Omit<Proofs, 'verifier'>, challenge: string): Promise<string> {
    const url = new URL((await this.#metadata()).authorizationEndpoint);
    const parameters = {
      response_type: 'code',
      client_id: this.#options.clientId,
      redirect_uri: this.#options.redirectUrl,
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /**
   * Exchanges the code and checks everything that comes back. `issuer` is the one that the redirect names, if any (RFC 9207).
   * The claims have a `sub` of 1 to 255 characters.
   */
  async identify(code: string, issuer: string | undefined, { nonce, verifier }: Proofs): Promise<UserClaims> {
    const metadata = await this.#metadata();
    if (issuer === undefined ? metadata.namesIssuer : issuer !== this.issuer)
      throw new ProviderError('provider_error', 'the redirect is of another issuer');
    const { idToken, accessToken } = await exchange(code, verifier, metadata, this.#options);
    const claims = await verifyIdToken(idToken, nonce, metadata.keys, this.#options);
    if (claims.has('email') || accessToken === undefined) return claims;
    return new Map([...(await userinfo(accessToken, claims, metadata)), ...claims]);
  }

  /** Cached for an hour, and longer while the provider is unreachable. Concurrent calls share one request. */
  async #metadata(): Promise<Metadata> {
    if (this.#known && performance.now() - this.#known.at < HOUR_MS) return this.#known.metadata;
    try {
      const metadata = await (this.#reading ??= readMetadata(this.issuer));
      this.#known = { metadata, at: performance.now() };
    } catch (error) {
      if (!this.#known) throw error;
    } finally {
      this.#reading = undefined;
    }
    return this.#known.metadata;
  }
}

async function readMetadata(issuer: string) {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await ask(address, { allowPrivate: true });
  if (answer.status !== 200) throw unavailable(`${address} answered ${answer.status}`);
  const fields = parseObject(answer.text, address);
  const endpoint = (name: string): string => {
    const value = optionalEndpoint(fields, name, issuer);
    if (value === undefined) throw unavailable(`${address} has no usable ${name}`);
    return value;
  };
  // Must match exactly: a provider that spoke for another issuer could sign in any user.
  if (fields.get('issuer') !== issuer)
    throw unavailable(
      `${address} is of the issuer ${String(fields.get('issuer'))}, not of ${issuer}, as it is configured`,
    );
  // Where the provider itself has a private address, its endpoints may have one too.
  const { isPrivate } = answer;
  const methods: unknown = fields.get('token_endpoint_auth_methods_supported') ?? ['client_secret_basic'];
  return {
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    userinfoEndpoint: optionalEndpoint(fields, 'userinfo_endpoint', issuer),
    keys: await readKeys(endpoint('jwks_uri'), isPrivate),
    // The client's secret goes into the form instead of the Authorization header.
    secretInForm: Array.isArray(methods) && !methods.includes('client_secret_basic'),
    // Callbacks must name the issuer (RFC 9207).
    namesIssuer: fields.get('authorization_response_iss_parameter_supported') === true,
    isPrivate,
  };
}

/** The provider's signing keys, cached for 10 minutes; an unknown key id refetches them, at most every 30 s. */
async function readKeys(jwksUri: string, isPrivate: boolean): Promise<JWTVerifyGetKey> {
  const { createRemoteJWKSet, customFetch } = await loadJose();
  return createRemoteJWKSet(new URL(jwksUri), {
    cooldownDuration: 30_000,
    cacheMaxAge: 600_000,
    [customFetch]: async (url: string) => {
      const { status, text } = await ask(url, { allowPrivate: isPrivate });
      if (status !== 200) throw unavailable(`${url} answered ${status}`);
      parseObject(text, url);
      return new Response(text);
    },
  });
}

function optionalEndpoint(fields: Properties, name: string, issuer: string): string | undefined {
  const value = fields.get(name);
  if (typeof value !== 'string') return undefined;
  try {
    const { protocol } = new URL(value);
    const isFine = protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'));
    return isFine ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects with a ProviderError unless the response is complete. */
async function ask(address: string, request: OutboundRequest): Promise<OutboundAnswer> {
  try {
    return await fetchText(address, request);
  } catch (error) {
    if (error instanceof OutboundError) throw unavailable(error.message);
    throw error;
  }
}

/** The properties of a JSON object from `source`. Throws a ProviderError for anything else. */
function parseObject(text: string, source: string): Properties {
  const properties = propertiesOf(parseJson(text));
  if (!properties) throw unavailable(`${source} answered no JSON object`);
  return properties;
}

function unavailable(message: string): ProviderError {
  return new ProviderError('provider_unavailable', message);
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
): Promise<UserClaims> {
  const { errors, jwtVerify } = await loadJose();
  try {
    const { payload } = await jwtVerify(idToken, keys, {
      algorithms: ALGORITHMS,
      issuer,
      audience: clientId,
      requiredClaims: ['sub', 'iat', 'exp', 'nonce'],
      maxTokenAge: TOKEN_MAX_AGE_SECONDS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    const claims: UserClaims = new Map<string, unknown>(Object.entries(payload));
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

/** The claims outside the ID token, where many providers have the email. */
async function userinfo(accessToken: string, claims: UserClaims, metadata: Metadata): Promise<UserClaims> {
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
