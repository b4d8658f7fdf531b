import type { RequestContext } from '../http/context.ts';
import { HttpError, badRequest } from '../http/errors.ts';
import { type Reply, redirect } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { Transactions } from '../storage/transaction.ts';
import { type Handshakes, createHandshakes } from './handshake.ts';
import type { Join, JoinOutcome } from './join.ts';
import { ProviderError } from './metadata.ts';
import { type Provider, type ProviderOptions, type Proofs, createProvider } from './provider.ts';

/** What the browser brings back to the client: the tokens of a session that has begun. */
interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
}

export interface IdentityRouteOptions {
  /** The segment of the URL, and the name by which accounts remember their provider. */
  readonly name: 'idp' | 'oidc';
  /** Undefined when not configured, or when the mode has no providers. */
  readonly provider: ProviderOptions | undefined;
  /** Where the browser goes in the end, with tokens or an error in the fragment. */
  readonly clientRedirectUrl: string | undefined;
  /** Seals the handshakes: 32 bytes. */
  readonly key: Buffer;
  readonly join: Join;
  readonly startSession: (userId: number, context: RequestContext) => Promise<Tokens>;
  readonly transactions: Transactions;
  /** Told of everything that a provider did wrong, for the operator. */
  readonly report: (message: string, fields: Readonly<Record<string, string>>) => void;
}

interface Login {
  readonly name: string;
  readonly provider: Provider;
  readonly handshakes: Handshakes;
  readonly clientRedirectUrl: string;
}

const DESCRIPTIONS = {
  access_denied: 'The sign-in was cancelled or refused',
  provider_unavailable: 'The identity provider does not answer',
  provider_error: 'The identity provider gave an answer that cannot be accepted',
  account_exists: 'An account with this email already exists',
  account_disabled: 'The account is disabled',
  email_required: 'The identity provider did not tell a valid email address',
  registration_closed: 'Registration is closed',
} as const;

// What a provider may say instead of a code (RFC 6749 section 4.1.2.1), as the client is told it.
const ERRORS: ReadonlyMap<string, keyof typeof DESCRIPTIONS> = new Map([
  ['access_denied', 'access_denied'],
  ['server_error', 'provider_unavailable'],
  ['temporarily_unavailable', 'provider_unavailable'],
]);

/** `/api/auth/idp` or `/api/auth/oidc` and their callbacks: one implementation for both (CONTRACT section 8). */
export function identityRoutes(options: IdentityRouteOptions): readonly Route[] {
  const { name } = options;
  const login = openLogin(options);
  const begin = (context: RequestContext): Promise<Reply> => start(required(login), context, options);
  const row = { method: 'GET', access: 'public', body: 'none', limit: 'auth' } as const;
  const operation = name === 'idp' ? 'Idp' : 'Oidc';
  return [
    { ...row, pattern: `/api/auth/${name}`, operationId: `begin${operation}Login`, handle: begin },
    {
      ...row,
      pattern: `/api/auth/${name}/callback`,
      operationId: `finish${operation}Login`,
      handle: (context) => finish(required(login), context, options),
    },
    ...(name === 'oidc'
      ? [{ ...row, pattern: '/api/auth/oidc/login', operationId: 'beginOidcLoginAlias', handle: begin }]
      : []),
  ];
}

function openLogin({ name, provider, clientRedirectUrl, key }: IdentityRouteOptions): Login | undefined {
  if (!provider || clientRedirectUrl === undefined) return undefined;
  const secure = provider.redirectUrl.startsWith('https:');
  return {
    name,
    provider: createProvider(provider),
    handshakes: createHandshakes({ key, provider: name, secure }),
    clientRedirectUrl,
  };
}

function required(login: Login | undefined): Login {
  if (!login) throw new HttpError(503, 'OAuth is not configured');
  return login;
}

async function start(
  login: Login,
  { request }: RequestContext,
  options: IdentityRouteOptions,
): Promise<Reply> {
  const { proofs, challenge, cookies } = login.handshakes.begin(request.headers.cookie);
  try {
    return redirect(await login.provider.authorizationUrl(proofs, challenge), cookies);
  } catch (error) {
    return toClient(login, failure(login, error, options));
  }
}

async function finish(login: Login, context: RequestContext, options: IdentityRouteOptions): Promise<Reply> {
  const query = new URLSearchParams(context.query);
  const proofs = login.handshakes.finish(context.request.headers.cookie, single(query, 'state') ?? '');
  if (!proofs) throw badRequest('Invalid or expired sign-in state');
  const fragment = await signIn(login, query, proofs, context, options);
  return toClient(login, fragment, [login.handshakes.clear(proofs.state)]);
}

async function signIn(
  login: Login,
  query: URLSearchParams,
  proofs: Proofs,
  context: RequestContext,
  options: IdentityRouteOptions,
): Promise<Readonly<Record<string, string>>> {
  const code = single(query, 'code') ?? '';
  if (code === '') return failed(ERRORS.get(single(query, 'error') ?? '') ?? 'provider_error');
  const { provider, name } = login;
  try {
    // Named twice is named wrongly, not left out.
    const issuer = query.has('iss') ? (single(query, 'iss') ?? '') : undefined;
    const claims = await provider.identify({ code, issuer }, proofs);
    const now = new Date().toISOString();
    const joined: JoinOutcome = await options.transactions.write(() =>
      options.join(name, provider.issuer, claims, now),
    );
    if (joined.outcome !== 'user') return failed(joined.outcome);
    const { access_token, refresh_token, token_type, expires_in } = await options.startSession(
      joined.userId,
      context,
    );
    return { access_token, refresh_token, token_type, expires_in: String(expires_in) };
  } catch (error) {
    return failure(login, error, options);
  }
}

/** The fragment for what went wrong at the provider. Throws on whatever went wrong here. */
function failure({ name }: Login, error: unknown, { report }: IdentityRouteOptions): Record<string, string> {
  if (!(error instanceof ProviderError)) throw error;
  report('sign-in with the identity provider failed', { provider: name, reason: error.message });
  return failed(error.code);
}

function failed(code: keyof typeof DESCRIPTIONS): Record<string, string> {
  return { error: code, error_description: DESCRIPTIONS[code] };
}

/** The one place that a browser is ever sent to, with its result in the fragment, which no server gets to see. */
function toClient(
  { clientRedirectUrl }: Login,
  fragment: Readonly<Record<string, string>>,
  cookies: readonly string[] = [],
): Reply {
  const pairs = Object.entries(fragment).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return redirect(`${clientRedirectUrl}#${pairs.join('&')}`, cookies);
}

/** A parameter that stands in the query exactly once. */
function single(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name);
  return more.length > 0 ? undefined : value;
}
