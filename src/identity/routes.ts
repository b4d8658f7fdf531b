import type { RequestContext } from '../http/context.ts';
import { HttpError, badRequest } from '../http/errors.ts';
import { type Reply, redirect } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { Transactions } from '../storage/transaction.ts';
import { createHandshakes } from './handshake.ts';
import type { Join } from './join.ts';
import { ProviderError } from './metadata.ts';
import { type ProviderOptions, type Proofs, createProvider } from './provider.ts';

/** The tokens of a new session, which the browser carries to the client. */
type Tokens = Readonly<Record<'access_token' | 'refresh_token' | 'token_type', string>> & {
  readonly expires_in: number;
};

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
  /** Reports every fault of a provider to the operator. */
  readonly report: (message: string, fields: Readonly<Record<string, string>>) => void;
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

// The errors of providers (RFC 6749 section 4.1.2.1) as they are reported to the client.
const ERRORS: ReadonlyMap<string, keyof typeof DESCRIPTIONS> = new Map([
  ['access_denied', 'access_denied'],
  ['server_error', 'provider_unavailable'],
  ['temporarily_unavailable', 'provider_unavailable'],
]);

/** `/api/auth/idp` or `/api/auth/oidc` and their callbacks: one implementation for both. */
export function identityRoutes(options: IdentityRouteOptions): readonly Route[] {
  const login = openLogin(options);
  const begin = (context: RequestContext): Promise<Reply> => start(required(login), context);
  const end = (context: RequestContext): Promise<Reply> => finish(required(login), context);
  const row = { method: 'GET', access: 'public', body: 'none', limit: 'auth' } as const;
  if (options.name === 'idp')
    return [
      { ...row, pattern: '/api/auth/idp', operationId: 'beginIdpLogin', handle: begin },
      { ...row, pattern: '/api/auth/idp/callback', operationId: 'finishIdpLogin', handle: end },
    ];
  return [
    { ...row, pattern: '/api/auth/oidc', operationId: 'beginOidcLogin', handle: begin },
    { ...row, pattern: '/api/auth/oidc/callback', operationId: 'finishOidcLogin', handle: end },
    { ...row, pattern: '/api/auth/oidc/login', operationId: 'beginOidcLoginAlias', handle: begin },
  ];
}

type Login = NonNullable<ReturnType<typeof openLogin>>;

/** The options of a provider that is configured, and what is made of them. */
function openLogin(options: IdentityRouteOptions) {
  const { name, provider, clientRedirectUrl, key } = options;
  if (!provider || clientRedirectUrl === undefined) return undefined;
  const secure = provider.redirectUrl.startsWith('https:');
  const handshakes = createHandshakes({ key, provider: name, secure });
  return { ...options, provider: createProvider(provider), handshakes, clientRedirectUrl };
}

function required(login: Login | undefined): Login {
  if (!login) throw new HttpError(503, 'OAuth is not configured');
  return login;
}

async function start(login: Login, { request }: RequestContext): Promise<Reply> {
  const { proofs, challenge, cookies } = login.handshakes.begin(request.headers.cookie);
  try {
    return redirect(await login.provider.authorizationUrl(proofs, challenge), cookies);
  } catch (error) {
    return toClient(login, failure(login, error));
  }
}

async function finish(login: Login, context: RequestContext): Promise<Reply> {
  const query = new URLSearchParams(context.query);
  const proofs = login.handshakes.finish(context.request.headers.cookie, single(query, 'state') ?? '');
  if (!proofs) throw badRequest('Invalid or expired sign-in state');
  const caught = (error: unknown): Fragment => failure(login, error);
  const fragment = await signIn(login, query, proofs, context).catch(caught);
  return toClient(login, fragment, [login.handshakes.clear(proofs.state)]);
}

type Fragment = Readonly<Record<string, string>>;

async function signIn(
  { name, provider, join, startSession, transactions }: Login,
  query: URLSearchParams,
  proofs: Proofs,
  context: RequestContext,
): Promise<Fragment> {
  const code = single(query, 'code') ?? '';
  if (code === '') return failed(ERRORS.get(single(query, 'error') ?? '') ?? 'provider_error');
  // Named twice is named wrongly, not left out.
  const issuer = query.has('iss') ? (single(query, 'iss') ?? '') : undefined;
  const claims = await provider.identify({ code, issuer }, proofs);
  const now = new Date().toISOString();
  const joined = await transactions.write(() => join(name, provider.issuer, claims, now));
  if (joined.outcome !== 'user') return failed(joined.outcome);
  const { access_token, refresh_token, token_type, expires_in } = await startSession(joined.userId, context);
  return { access_token, refresh_token, token_type, expires_in: String(expires_in) };
}

/** The fragment for a fault of the provider. Throws every other error. */
function failure({ name, report }: Login, error: unknown): Fragment {
  if (!(error instanceof ProviderError)) throw error;
  report('sign-in with the identity provider failed', { provider: name, reason: error.message });
  return failed(error.code);
}

function failed(code: keyof typeof DESCRIPTIONS): Fragment {
  return { error: code, error_description: DESCRIPTIONS[code] };
}

/** The one place that a browser is ever sent to, with its result in the fragment, which no server gets to see. */
function toClient({ clientRedirectUrl }: Login, fragment: Fragment, cookies: readonly string[] = []): Reply {
  const pairs = Object.entries(fragment).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return redirect(`${clientRedirectUrl}#${pairs.join('&')}`, cookies);
}

/** A parameter that stands in the query exactly once. */
function single(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name);
  return more.length > 0 ? undefined : value;
}
