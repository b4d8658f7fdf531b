import type { IncomingMessage } from 'node:http';
import type { Permit, Principal } from '../../http/context.ts';
import { HttpError, forbidden, unauthorized } from '../../http/errors.ts';
import { headerValues } from '../../http/negotiation.ts';
import type { Authenticator } from '../../http/pipeline.ts';
import type { Route } from '../../http/router.ts';
import type { Queries } from '../../storage/statements.ts';
import type { Transactions } from '../../storage/transaction.ts';
import {
  API_TOKEN_PREFIX,
  type ApiTokenCaller,
  type ApiTokenStore,
  createApiTokenStore,
} from './api-tokens.ts';
import { type Caller, type SessionStore, createSessionStore } from './sessions.ts';
import type { AccessTokens } from './tokens.ts';
import type { User } from './users.ts';

export interface AuthenticatorOptions extends CallerStores {
  readonly accessTokens: AccessTokens;
  readonly apiTokens: ApiTokenStore;
  readonly transactions: Transactions;
  /** Whether only administrators may write the catalogue (WRITE_ACCESS). */
  readonly adminsOnly: boolean;
}

/** Where callers are looked up. */
export interface CallerStores {
  readonly sessions: Pick<SessionStore, 'caller'>;
  readonly apiTokens: Pick<ApiTokenStore, 'caller'>;
}

/** Opens them on accounts.sql, for a thread. */
export function openCallers(queries: Pick<Queries, 'file'>): CallerStores {
  const sql = queries.file('accounts');
  return { sessions: createSessionStore(sql, false), apiTokens: createApiTokenStore(sql) };
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
  permit: { proof: { kind: 'none' }, needsAdmin: false, needsSession: false },
};

/** The check of bearer tokens (RFC 6750 section 2.1), access tokens and API tokens alike. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  async function requireCaller(request: IncomingMessage, route: Route): Promise<Principal> {
    const token = bearerToken(request);
    if (token === undefined) throw unauthorized('Authentication required');
    const isForAdmins =
      route.access === 'admin' || (route.access === 'catalogueWriter' && options.adminsOnly);
    const permit = {
      proof: await proofOf(token, options),
      needsAdmin: isForAdmins,
      needsSession: route.needsSession === true,
    };
    return callerOf(permit, options);
  }

  /** The caller of a valid token; undefined for all others, who may call a public route as well. */
  async function knownCaller(request: IncomingMessage, route: Route): Promise<Principal | undefined> {
    try {
      return await requireCaller(request, route);
    } catch (error) {
      if (error instanceof HttpError) return undefined;
      throw error;
    }
  }

  return (request, route) => {
    if (route.access !== 'public') return requireCaller(request, route);
    return route.knowsCaller === true ? knownCaller(request, route) : undefined;
  };
}

/** What a bearer token proves. Throws 401 for one that proves nothing. */
async function proofOf(
  token: string,
  { accessTokens, apiTokens, transactions }: AuthenticatorOptions,
): Promise<Permit['proof']> {
  if (token.startsWith(API_TOKEN_PREFIX)) {
    const noteUse = apiTokens.caller(token, new Date())?.noteUse;
    // A full disk must not prevent reads: the time of a token's last use matters less than its use.
    if (noteUse) await transactions.write(noteUse).catch(() => undefined);
    return { kind: 'apiToken', token };
  }
  const checked = await accessTokens.check(token);
  if (checked.outcome === 'expired') throw unauthorized('Token has expired');
  if (checked.outcome === 'invalid') throw unauthorized('Invalid token');
  return { kind: 'session', ...checked.claims, expiresAt: checked.expiresAt };
}

/**
 * The caller of a permit as of now. Throws 401 once the account, the session or the token has ended, and 403 where the
 * caller may not do what the permit is for.
 */
export function callerOf(permit: Permit, stores: CallerStores): Principal {
  const { proof, needsAdmin, needsSession } = permit;
  if (proof.kind === 'none') return ANYONE;
  const now = new Date();
  if (proof.kind === 'session' && now >= proof.expiresAt) throw unauthorized('Token has expired');
  const found: (Caller & Partial<ApiTokenCaller>) | undefined =
    proof.kind === 'session'
      ? stores.sessions.caller(proof.sid, proof.userId, now)
      : stores.apiTokens.caller(proof.token, now);
  if (!found) throw unauthorized('Invalid token');
  if (needsSession && proof.kind === 'apiToken') throw forbidden('API tokens cannot manage accounts');
  if (needsAdmin && !found.isAdmin) throw forbidden(ADMINS_ONLY);
  return {
    userId: found.userId,
    isAdmin: found.isAdmin,
    credential: proof.kind === 'session' ? 'accessToken' : 'apiToken',
    token: found.token ?? null,
    sid: proof.kind === 'session' ? proof.sid : null,
    renew: () => callerOf(permit, stores),
    permit,
  };
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
