import type { IncomingMessage } from 'node:http';
import { type Principal, type RequestContext, idInPath, userIdOf } from '../../http/context.ts';
import {
  HttpError,
  badRequest,
  conflict,
  forbidden,
  notFound,
  requireValid,
  unauthorized,
  unavailable,
} from '../../http/errors.ts';
import { type Reply, created, noContent, ok } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { listReply } from '../../http/list-replies.ts';
import { ALL, type SliceReader } from '../../kit/slices.ts';
import { OverloadedError } from '../../kit/queue.ts';
import type { ApiToken, ApiTokenStore } from './api-tokens.ts';
import { PLACEHOLDER_USER, bearerToken } from './authenticate.ts';
import {
  clientOf,
  refreshRefused,
  requireRefreshToken,
  tokenReply,
  tokenToEnd,
  withoutCookie,
} from './cookie-routes.ts';
import { parseCredentials, parseNewApiToken, parseRegistration } from './input.ts';
import {
  type RegistrationOutcome,
  type SignInOptions,
  type TokenResponse,
  logIn,
  refreshSession,
  registerUser,
} from './sign-in.ts';
import type { TakenNames, User, UserStore } from './users.ts';

export interface AccountRouteOptions extends SignInOptions {
  readonly apiTokens: ApiTokenStore;
  /** False in mode oauth. */
  readonly localAccounts: boolean;
  /** False in mode none. */
  readonly withAccounts: boolean;
  readonly report: (message: string, fields: Readonly<Record<string, string | number>>) => void;
  /** Who may register. */
  readonly registration: 'open' | 'invite' | 'closed';
}

const RETRY_SECONDS = 2;
const TOO_MANY_FAILURES = 'Too many failed logins. Please try again later.';

/** `/api/auth/register`, `login`, `refresh`, `logout`, `me` and `tokens` (SPEC, "Accounts and sessions"). */
export function accountRoutes(options: AccountRouteOptions): readonly Route[] {
  const { register, login, refresh, logout, me } = createHandlers(options);
  const post = { method: 'POST', access: 'public', body: 'json', limit: 'auth' } as const;
  const get = { method: 'GET', access: 'user', body: 'none', limit: 'auth' } as const;
  return [
    { ...post, pattern: '/api/auth/register', operationId: 'register', handle: register },
    { ...post, pattern: '/api/auth/login', operationId: 'login', handle: login },
    { ...post, pattern: '/api/auth/refresh', operationId: 'refreshSession', handle: refresh },
    { ...post, pattern: '/api/auth/logout', body: 'jsonOrEmpty', operationId: 'logout', handle: logout },
    { ...get, pattern: '/api/auth/me', operationId: 'getCurrentUser', handle: me },
    ...apiTokenRoutes(options),
  ];
}

function createHandlers(options: AccountRouteOptions) {
  const { users, sessions, transactions } = options;

  return {
    register: async (context) => {
      const client = clientOf(context);
      requireLocal(options);
      requireAccounts(options);
      if (options.registration === 'closed') throw forbidden('Registration is closed');
      const input = requireValid(parseRegistration(context.body), context);
      if (options.registration === 'invite' && input.invitation === undefined)
        throw forbidden('Registration is by invitation');
      const tokens = requireRegistered(await inTime(registerUser(options, input, client)));
      return tokenReply(context, client, tokens, { status: 201, headers: { Location: '/api/auth/me' } });
    },
    login: async (context) => {
      const client = clientOf(context);
      requireLocal(options);
      const input = requireValid(parseCredentials(context.body), context);
      const result = await inTime(logIn(options, input, client));
      if (result.outcome === 'wait') throw tooManyFailures(result.seconds);
      if (result.outcome === 'refused') {
        reportFailedLogin(options, context, result.userId);
        throw unauthorized('Invalid credentials');
      }
      return tokenReply(context, client, result.tokens);
    },
    refresh: async (context) => {
      const client = clientOf(context);
      const sent = requireRefreshToken(context, client);
      const tokens = await refreshSession(options, sent, client);
      if (!tokens) throw refreshRefused(context, client);
      return tokenReply(context, client, tokens, { sent });
    },
    logout: async (context) => {
      const client = clientOf(context);
      const refreshToken = tokenToEnd(context, client);
      const sid = await sessionOfBearer(context.request, options);
      await transactions.write(() => {
        if (refreshToken !== undefined) sessions.endByRefreshToken(refreshToken, client);
        if (sid !== undefined) sessions.end(sid);
      });
      return withoutCookie(ok({ message: 'Logged out successfully' }), context, client);
    },
    me: ({ principal }) => ok(currentUser(principal, users)),
  } satisfies Readonly<Record<string, Route['handle']>>;
}

/** The user that a caller is. Throws 401 where there is none any more. */
export function currentUser(principal: Principal | undefined, users: Pick<UserStore, 'get'>): User {
  const user = principal?.credential === 'none' ? PLACEHOLDER_USER : principal && users.get(principal.userId);
  if (!user) throw unauthorized('Invalid token');
  return user;
}

/** `/api/auth/tokens`: a user's own tokens for scripts. */
function apiTokenRoutes({ apiTokens, transactions }: AccountRouteOptions): readonly Route[] {
  const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', 'token');
  const list = (context: RequestContext): Promise<Reply> => {
    const userId = userIdOf(context);
    const read: SliceReader<ApiToken> = (after, limit) => apiTokens.listOf(userId, after, limit);
    return listReply(context, ALL, read, (token) => JSON.stringify(token));
  };

  async function create(context: RequestContext): Promise<Reply> {
    // Otherwise a token that leaked could outlive its own removal.
    if (context.principal?.credential === 'apiToken') throw forbidden('API tokens cannot create API tokens');
    const input = requireValid(parseNewApiToken(context.body), context);
    const token = await transactions.write(() => {
      context.recheck();
      return apiTokens.create(userIdOf(context), input, new Date());
    });
    return created(`/api/auth/tokens/${token.id}`, token);
  }

  function get(context: RequestContext): Reply {
    const token = apiTokens.get(idOf(context), userIdOf(context));
    if (!token) throw notFound('Token');
    return ok(token);
  }

  async function remove(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const isRemoved = await transactions.write(() => {
      context.recheck();
      return apiTokens.remove(id, userIdOf(context));
    });
    if (!isRemoved) throw notFound('Token');
    return noContent();
  }

  const all = { access: 'user', limit: 'auth', pattern: '/api/auth/tokens' } as const;
  const own = { ...all, needsSession: true } as const;
  const one = { ...own, pattern: '/api/auth/tokens/:id' } as const;
  return [
    { ...own, method: 'GET', body: 'none', operationId: 'listApiTokens', handle: list },
    { ...all, method: 'POST', body: 'json', operationId: 'createApiToken', handle: create },
    { ...one, method: 'GET', body: 'none', operationId: 'getApiToken', handle: get },
    { ...one, method: 'DELETE', body: 'none', operationId: 'deleteApiToken', handle: remove },
  ];
}

/** The session of an access token, also of one that has expired: its holder may still end it. */
async function sessionOfBearer(
  request: IncomingMessage,
  { accessTokens }: AccountRouteOptions,
): Promise<string | undefined> {
  const checked = await accessTokens.check(bearerToken(request) ?? '');
  if (checked.outcome === 'valid') return checked.claims.sid;
  return checked.outcome === 'expired' ? checked.sid : undefined;
}

/** Throws 403 where all accounts are those of identity providers. */
export function requireLocal({ localAccounts }: { readonly localAccounts: boolean }): void {
  if (!localAccounts) throw forbidden('Local accounts are disabled');
}

/**
 * Throws 403 in mode none, where anyone on the network could otherwise make an account, or a link to one, that still works
 * once the mode is another.
 */
export function requireAccounts({ withAccounts }: { readonly withAccounts: boolean }): void {
  if (!withAccounts) throw forbidden('Accounts are disabled while AUTH_MODE is none');
}

/**
 * Logs a failed login with the id of the account, if there is one, and the client's address, but not the text that was
 * typed, which may be a password. The recipe for fail2ban in the manual looks for these words.
 */
export function reportFailedLogin(
  { report }: Pick<AccountRouteOptions, 'report'>,
  { client }: RequestContext,
  user: number | undefined,
): void {
  report('login failed', { ...(user !== undefined && { user }), client: client.address });
}

/** 429 for a password that may not be tried again for so many seconds. */
export function tooManyFailures(seconds: number): HttpError {
  return new HttpError(429, TOO_MANY_FAILURES, { 'Retry-After': String(seconds) });
}

/** The refusal of an invitation, whatever is wrong with it. */
export const NOT_INVITED = 'Invitation is unknown, used or expired';

function requireRegistered(result: RegistrationOutcome): TokenResponse {
  switch (result.outcome) {
    case 'taken':
      throw conflict(takenMessage(result.names));
    case 'not_invited':
      throw forbidden(NOT_INVITED);
    case 'other_email':
      throw badRequest('email must be the invited one');
    case 'done':
      return result.tokens;
  }
}

/** The sentence for names that other users have. */
export function takenMessage({ email, username }: TakenNames): string {
  const names = [...(email ? ['email'] : []), ...(username ? ['username'] : [])];
  return `User already exists: ${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} taken`;
}

/** The result of work that hashes a password, or 503 where too much of it is under way. */
export async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof OverloadedError)
      throw unavailable('Too many logins at once. Please try again.', RETRY_SECONDS);
    throw error;
  }
}
