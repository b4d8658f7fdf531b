import type { IncomingMessage } from 'node:http';
import type { Principal } from '../http/context.ts';
import { HttpError, forbidden, unauthorized } from '../http/errors.ts';
import { headerValues } from '../http/header-lists.ts';
import type { Authenticator } from '../http/pipeline.ts';
import type { Route } from '../http/router.ts';
import type { Transactions } from '../storage/transaction.ts';
import { API_TOKEN_PREFIX, type ApiTokenCaller, type ApiTokenStore } from './api-tokens.ts';
import type { SessionStore } from './sessions.ts';
import type { AccessTokens } from './tokens.ts';
import type { User } from './users.ts';

export interface AuthenticatorOptions {
  readonly accessTokens: AccessTokens;
  readonly sessions: SessionStore;
  readonly apiTokens: ApiTokenStore;
  readonly transactions: Transactions;
  /** Whether only administrators may write the catalogue (WRITE_ACCESS). */
  readonly adminsOnly: boolean;
}

/** The user of every request in mode none (SPEC, "Modes"). No row of the database has this id. */
export const PLACEHOLDER_USER: User = {
  id: 1,
  email: 'test@example.com',
  username: 'testuser',
  provider: 'local',
  provider_id: null,
  full_name: 'Test User',
  avatar_url: null,
  is_active: true,
  is_admin: true,
  email_verified: true,
  last_login_at: null,
  created_at: '1970-01-01T00:00:00.000Z',
  updated_at: '1970-01-01T00:00:00.000Z',
};

const ADMINS_ONLY = 'Admin access required';

/** The check of callers in mode none, in which every route is open. */
export function authenticateAnyone(): Principal {
  return ANYONE;
}

const ANYONE: Principal = {
  userId: PLACEHOLDER_USER.id,
  isAdmin: true,
  credential: 'none',
  token: null,
  sid: null,
  renew: () => ANYONE,
};

/** The check of bearer tokens (RFC 6750 section 2.1), access tokens and API tokens alike. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  async function principalOf(token: string): Promise<Principal> {
    const principal = token.startsWith(API_TOKEN_PREFIX)
      ? await apiTokenPrincipal(token, options)
      : await sessionPrincipal(token, options);
    if (!principal) throw unauthorized('Invalid token');
    return principal;
  }

  /** The caller of a valid token; undefined for all others, who may call a public route as well. */
  async function knownCaller(request: IncomingMessage): Promise<Principal | undefined> {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    try {
      return await principalOf(token);
    } catch (error) {
      if (error instanceof HttpError) return undefined;
      throw error;
    }
  }

  async function requireCaller(request: IncomingMessage, route: Route): Promise<Principal> {
    const token = bearerToken(request);
    if (token === undefined) throw unauthorized('Authentication required');
    const principal = await principalOf(token);
    if (route.needsSession === true && principal.credential === 'apiToken')
      throw forbidden('API tokens cannot manage accounts');
    const wantsAdmin = route.access === 'admin' || (route.access === 'catalogueWriter' && options.adminsOnly);
    if (wantsAdmin && !principal.isAdmin) throw forbidden(ADMINS_ONLY);
    return principal;
  }

  return (request, route) => {
    if (route.access !== 'public') return requireCaller(request, route);
    return route.knowsCaller === true ? knownCaller(request) : undefined;
  };
}

async function sessionPrincipal(
  token: string,
  { accessTokens, sessions }: AuthenticatorOptions,
): Promise<Principal | undefined> {
  const checked = await accessTokens.check(token);
  if (checked.outcome === 'expired') throw unauthorized('Token has expired');
  if (checked.outcome === 'invalid') return undefined;
  const { claims, expiresAt } = checked;
  const { sid, userId } = claims;
  const renew = (): Principal | undefined => {
    const now = new Date();
    const caller = now < expiresAt ? sessions.caller(sid, userId, now) : undefined;
    return caller && { ...caller, credential: 'accessToken', token: null, sid, renew };
  };
  return renew();
}

async function apiTokenPrincipal(
  token: string,
  { apiTokens, transactions }: AuthenticatorOptions,
): Promise<Principal | undefined> {
  const caller = apiTokens.caller(token, new Date());
  // A full disk must not prevent reads: the time of a token's last use matters less than its use.
  if (caller?.noteUse) await transactions.write(caller.noteUse).catch(() => undefined);
  const principalOf = ({ noteUse: _noted, ...known }: ApiTokenCaller): Principal => ({
    ...known,
    credential: 'apiToken',
    sid: null,
    renew: () => {
      const found = apiTokens.caller(token, new Date());
      return found && principalOf(found);
    },
  });
  return caller && principalOf(caller);
}

/**
 * The token of the `Authorization` header: undefined without a header or with another scheme, empty when there are
 * several headers or what stands there is no token.
 */
export function bearerToken({ rawHeaders }: IncomingMessage): string | undefined {
  const [value, ...more] = headerValues(rawHeaders, 'authorization');
  if (value === undefined) return undefined;
  if (more.length > 0) return '';
  const [scheme, ...rest] = value.trim().split(/ +/);
  if (scheme?.toLowerCase() !== 'bearer') return undefined;
  return rest.length === 1 ? rest[0] : '';
}

/** Whether a caller may remove or edit what `ownerId` made; throws 403 when not. */
export type OwnerCheck = (principal: Principal | undefined, ownerId: number | null) => void;

/** The rule for what has an owner: open to every user, or with `adminsOnly` to its owner and administrators. */
export function createOwnerCheck(adminsOnly: boolean): OwnerCheck {
  return (principal, ownerId) => {
    if (!adminsOnly || principal?.isAdmin === true) return;
    if (ownerId === null || ownerId !== principal?.userId) throw forbidden(ADMINS_ONLY);
  };
}
