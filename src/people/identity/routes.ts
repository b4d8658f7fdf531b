import type { RequestContext } from '../../http/context.ts';
import { HttpError, badRequest, requireValid } from '../../http/errors.ts';
import { type Reply, redirect } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import type { Transactions } from '../../storage/transaction.ts';
import { type Finished, createHandshakes } from './handshake.ts';
import { type Intent, parseIntent } from './intent.ts';
import type { Join } from './join.ts';
import { ProviderError } from './metadata.ts';
import { type ProviderOptions, createProvider } from './provider.ts';

/** The tokens of a new session, which the browser carries to the client. */
type Tokens = Readonly<Record<'access_token' | 'refresh_token' | 'token_type', string>> & {
  readonly expires_in: number;
};

export interface IdentityRouteOptions {
  /** The segment of the URL, and the name by which accounts remember their provider. */
  readonly name: 'idp' | 'oidc';
  /** Undefined when not configured, or when the mode has no providers. */
  readonly provider: ProviderOptions | undefined;
  /** Where the browser goes with tokens, or an error, in the fragment; undefined where only pages of the service sign in. */
  readonly clientRedirectUrl: string | undefined;
  /** Seals the handshakes: 32 bytes. */
  readonly key: Buffer;
  readonly join: Join;
  /** Must run inside the transaction that finds the account; the function it returns makes the tokens. */
  readonly startSession: (userId: number, context: RequestContext) => () => Promise<Tokens>;
  /** The same for a page of the service; returns the value of the Set-Cookie header that holds the session. */
  readonly startCookieSession: (userId: number, context: RequestContext) => string;
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
  const { name, provider, key } = options;
  if (!provider) return undefined;
  const secure = provider.redirectUrl.startsWith('https:');
  const handshakes = createHandshakes({ key, provider: name, secure });
  return { ...options, provider: createProvider(provider), handshakes };
}

const notConfigured = (): HttpError => new HttpError(503, 'OAuth is not configured');

function required(login: Login | undefined): Login {
  if (!login) throw notConfigured();
  return login;
}

async function start(login: Login, context: RequestContext): Promise<Reply> {
  const { request, query } = context;
  const intent = requireValid(parseIntent(new URLSearchParams(query)), context);
  if (intent.returnTo === null && login.clientRedirectUrl === undefined) throw notConfigured();
  const { proofs, challenge, cookies } = login.handshakes.begin(request.headers.cookie, intent);
  try {
    return redirect(await login.provider.authorizationUrl(proofs, challenge), cookies);
  } catch (error) {
    return endOf(login, intent, { fragment: failure(login, error), cookies: [] });
  }
}

async function finish(login: Login, context: RequestContext): Promise<Reply> {
  const query = new URLSearchParams(context.query);
  const finished = login.handshakes.finish(context.request.headers.cookie, single(query, 'state') ?? '');
  if (!finished) throw badRequest('Invalid or expired sign-in state');
  const caught = (error: unknown): Result => ({ fragment: failure(login, error), cookies: [] });
  const { fragment, cookies } = await signIn(login, query, finished, context).catch(caught);
  const cleared = login.handshakes.clear(finished.proofs.state);
  return endOf(login, finished.intent, { fragment, cookies: [cleared, ...cookies] });
}

type Fragment = Readonly<Record<string, string>>;

/** How a sign-in ended: in words for the address, and in cookies. */
interface Result {
  readonly fragment: Fragment;
  readonly cookies: readonly string[];
}

async function signIn(
  { name, provider, join, startSession, startCookieSession, transactions }: Login,
  query: URLSearchParams,
  { proofs, intent }: Finished,
  context: RequestContext,
): Promise<Result> {
  const refused = (reason: keyof typeof DESCRIPTIONS): Result => ({ fragment: failed(reason), cookies: [] });
  const code = single(query, 'code') ?? '';
  if (code === '') return refused(ERRORS.get(single(query, 'error') ?? '') ?? 'provider_error');
  // Named twice is named wrongly, not left out.
  const issuer = query.has('iss') ? (single(query, 'iss') ?? '') : undefined;
  const claims = await provider.identify({ code, issuer }, proofs);
  const now = new Date().toISOString();
  const invitation = intent.invitation ?? undefined;
  const started = await transactions.write(() => {
    const joined = join(name, provider.issuer, claims, now, invitation);
    if (joined.outcome !== 'user') return joined.outcome;
    // A later transaction could start a session of an account that has ended since.
    return intent.returnTo === null
      ? startSession(joined.userId, context)
      : { cookie: startCookieSession(joined.userId, context) };
  });
  if (typeof started === 'string') return refused(started);
  if ('cookie' in started) return { fragment: {}, cookies: [started.cookie] };
  const { access_token, refresh_token, token_type, expires_in } = await started();
  const fragment = { access_token, refresh_token, token_type, expires_in: String(expires_in) };
  return { fragment, cookies: [] };
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

/**
 * Sends the browser to the one client, or back to the page of this service that started the sign-in, with the result in
 * the fragment, which no server gets to see.
 */
function endOf({ clientRedirectUrl }: Login, { returnTo }: Intent, { fragment, cookies }: Result): Reply {
  const target = returnTo ?? clientRedirectUrl;
  if (target === undefined) throw notConfigured();
  const pairs = Object.entries(fragment).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (pairs.length === 0) return redirect(target, cookies);
  const [withoutFragment = ''] = target.split('#', 1);
  return redirect(`${withoutFragment}#${pairs.join('&')}`, cookies);
}

/** A parameter that stands in the query exactly once. */
function single(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name);
  return more.length > 0 ? undefined : value;
}
