import type { RequestContext } from '../../http/context.ts';
import { HttpError, badRequest, requireValid } from '../../http/errors.ts';
import { type Reply, redirect } from '../../http/reply.ts';
import { PUBLIC_READ, type Route } from '../../http/router.ts';
import { refreshCookie, sessionClient } from '../accounts/cookie-routes.ts';
import { type AccountParts, startSession, tokensOf } from '../accounts/sign-in.ts';
import { type Finished, Handshakes, type Intent, parseIntent } from './handshake.ts';
import type { Identities } from './join.ts';
import { Provider, ProviderError, type ProviderOptions } from './provider.ts';

export interface IdentityParts extends AccountParts {
  readonly identities: Identities;
  /** Seals the handshakes: 32 bytes. */
  readonly key: Buffer;
  /** Where to send tokens or an error, in the fragment; undefined if only pages of this service sign in. */
  readonly clientRedirectUrl: string | undefined;
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

/** The result of a sign-in: parameters for the fragment, and cookies. */
interface Result {
  readonly fragment: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
}

/**
 * `/api/auth/idp` or `/api/auth/oidc` and their callbacks; `name` is also how accounts remember their provider. `settings` are
 * undefined when they are not configured, or when the mode has no providers.
 */
export function identityRoutes(
  name: 'idp' | 'oidc',
  settings: ProviderOptions | undefined,
  parts: IdentityParts,
): readonly Route[] {
  const refuse = (): never => {
    throw notConfigured();
  };
  const { begin, finish } = settings ? signIns(name, settings, parts) : { begin: refuse, finish: refuse };
  const auth = { answers: 'secret', limit: 'auth', query: 'ignored' } as const;
  // The end of a sign-in opens a session.
  const row = { ...PUBLIC_READ, ...auth, needsPrimary: true } as const;
  if (name === 'idp')
    return [
      { ...row, pattern: '/api/auth/idp', operationId: 'beginIdpLogin', handle: begin },
      { ...row, pattern: '/api/auth/idp/callback', operationId: 'finishIdpLogin', handle: finish },
    ];
  return [
    { ...row, pattern: '/api/auth/oidc', operationId: 'beginOidcLogin', handle: begin },
    { ...row, pattern: '/api/auth/oidc/callback', operationId: 'finishOidcLogin', handle: finish },
    { ...row, pattern: '/api/auth/oidc/login', operationId: 'beginOidcLoginAlias', handle: begin },
  ];
}

/** The handlers of both ends of a sign-in. */
function signIns(name: string, settings: ProviderOptions, parts: IdentityParts) {
  const { identities, key, clientRedirectUrl, transactions, report } = parts;
  const provider = new Provider(settings);
  const secure = settings.redirectUrl.startsWith('https:');
  const handshakes = new Handshakes({ key, provider: name, secure });

  async function begin(context: RequestContext): Promise<Reply> {
    const intent = requireValid(parseIntent(new URLSearchParams(context.query)), context);
    if (intent.returnTo === null && clientRedirectUrl === undefined) throw notConfigured();
    const { proofs, challenge, cookies } = handshakes.begin(context.request.headers.cookie, intent);
    try {
      return redirect(await provider.authorizationUrl(proofs, challenge), cookies);
    } catch (error) {
      return endOf(intent, failure(error));
    }
  }

  async function finish(context: RequestContext): Promise<Reply> {
    const query = new URLSearchParams(context.query);
    const finished = handshakes.finish(context.request.headers.cookie, single(query, 'state') ?? '');
    if (!finished) throw badRequest('Invalid or expired sign-in state');
    const { fragment, cookies } = await signIn(query, finished, context).catch(failure);
    const cleared = handshakes.clear(finished.proofs.state);
    return endOf(finished.intent, { fragment, cookies: [cleared, ...cookies] });
  }

  async function signIn(
    query: URLSearchParams,
    { proofs, intent }: Finished,
    context: RequestContext,
  ): Promise<Result> {
    const code = single(query, 'code') ?? '';
    if (code === '') return refused(ERRORS.get(single(query, 'error') ?? '') ?? 'provider_error');
    // A repeated issuer is wrong, not absent.
    const issuer = query.has('iss') ? (single(query, 'iss') ?? '') : undefined;
    const claims = await provider.identify(code, issuer, proofs);
    const inCookie = intent.returnTo !== null;
    const started = await transactions.write(() => {
      const joined = identities.join(name, provider.issuer, claims, intent.invitation);
      // A later transaction could start a session of an account that has ended since.
      return typeof joined === 'string'
        ? joined
        : startSession(parts, joined, sessionClient(context, inCookie));
    });
    if (typeof started === 'string') return refused(started);
    if (inCookie)
      return { fragment: {}, cookies: [refreshCookie(started.session.refreshToken, context.scheme)] };
    const { access_token, refresh_token, token_type, expires_in } = await tokensOf(parts, started);
    const fragment = { access_token, refresh_token, token_type, expires_in: String(expires_in) };
    return { fragment, cookies: [] };
  }

  /** Logs a fault of the provider and returns the result. Rethrows any other error. */
  function failure(error: unknown): Result {
    if (!(error instanceof ProviderError)) throw error;
    report('sign-in with the identity provider failed', { provider: name, reason: error.message });
    return refused(error.code);
  }

  /**
   * Sends the browser to the client, or back to the page of this service that started the sign-in, with the result in the
   * fragment, which browsers do not send to servers.
   */
  function endOf({ returnTo }: Intent, { fragment, cookies }: Result): Reply {
    const target = returnTo ?? clientRedirectUrl;
    if (target === undefined) throw notConfigured();
    const pairs = Object.entries(fragment).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    if (pairs.length === 0) return redirect(target, cookies);
    const [withoutFragment = ''] = target.split('#', 1);
    return redirect(`${withoutFragment}#${pairs.join('&')}`, cookies);
  }

  return { begin, finish };
}

function notConfigured(): HttpError {
  return new HttpError(503, 'OAuth is not configured');
}

function refused(error: keyof typeof DESCRIPTIONS): Result {
  return { fragment: { error, error_description: DESCRIPTIONS[error] }, cookies: [] };
}

/** The value of a parameter that occurs exactly once. */
function single(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name);
  return more.length > 0 ? undefined : value;
}
