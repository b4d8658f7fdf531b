import type { IncomingMessage } from 'node:http';
import type { Permit, Principal } from '../../http/context.ts';
import { HttpError, forbidden, unauthorized } from '../../http/errors.ts';
import { headerValues } from '../../http/negotiation.ts';
import type { Authenticator } from '../../http/pipeline.ts';
import type { Route } from '../../http/router.ts';
import type { Queries } from '../../storage/statements.ts';
import { API_TOKEN_PREFIX, type ApiTokenCaller, ApiTokenStore } from './api-tokens.ts';
import { type Caller, SessionStore } from './sessions.ts';
import type { AccountParts } from './sign-in.ts';
import { PLACEHOLDER_USER } from './users.ts';

/** The stores that callers are looked up in. */
export interface CallerStores {
  readonly sessions: Pick<SessionStore, 'caller'>;
  readonly apiTokens: Pick<ApiTokenStore, 'caller'>;
}

/** Opens the stores for a worker thread. */
export function openCallers(queries: Pick<Queries, 'file'>): CallerStores {
  const sql = queries.file('accounts');
  return { sessions: new SessionStore(sql, false), apiTokens: new ApiTokenStore(sql) };
}

const ADMINS_ONLY = 'Admin access required';

/** The caller of every request in mode none, where every route is open. */
export const ANYONE: Principal = {
  userId: PLACEHOLDER_USER.id,
  isAdmin: true,
  credential: 'none',
  token: null,
  sid: null,
  renew: () => ANYONE,
  permit: { proof: { kind: 'none' }, needsAdmin: false, needsSession: false },
};

/**
 * Checks bearer tokens (RFC 6750 section 2.1): access tokens and API tokens. With `adminsOnly` only administrators may
 * write to the catalogue.
 */
export function createAuthenticator(
  parts: Pick<AccountParts, 'sessions' | 'accessTokens' | 'apiTokens' | 'transactions'>,
  adminsOnly: boolean,
): Authenticator {
  const { accessTokens, apiTokens, transactions } = parts;

  async function requireCaller(request: IncomingMessage, route: Route): Promise<Principal> {
    const token = bearerToken(request);
    if (token === undefined) throw unauthorized('Authentication required');
    const { access, needsSession = false } = route;
    const needsAdmin = access === 'admin' || (access === 'catalogueWriter' && adminsOnly);
    return callerOf({ proof: await proofOf(token), needsAdmin, needsSession }, parts);
  }

  /** Throws 401 for an invalid or expired access token. `callerOf` checks API tokens. */
  async function proofOf(token: string): Promise<Permit['proof']> {
    if (token.startsWith(API_TOKEN_PREFIX)) {
      const noteUse = apiTokens.caller(token, new Date())?.noteUse;
      // Ignore failures: a full disk must not make reads fail.
      if (noteUse) await transactions.write(noteUse).catch(() => undefined);
      return { kind: 'apiToken', token };
    }
    const checked = await accessTokens.check(token);
    if (checked.outcome === 'expired') throw unauthorized('Token has expired');
    if (checked.outcome === 'invalid') throw unauthorized('Invalid token');
    const { userId, sid, expiresAt } = checked;
    return { kind: 'session', userId, sid, expiresAt };
  }

  /** Undefined for an invalid token, since a public route needs none. */
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

/**
 * The caller of a permit, looked up now. Throws 401 once the account, session or token has ended, and 403 if the caller
 * lacks the rights that the permit demands.
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
 * The token of the `Authorization` header: undefined if there is no header or another scheme, empty if there are several
 * headers or not exactly one token.
 */
export function bearerToken({ rawHeaders }: IncomingMessage): string | undefined {
  const [value, ...more] = headerValues(rawHeaders, 'authorization');
  if (value === undefined) return undefined;
  if (more.length > 0) return '';
  const [scheme, ...rest] = value.trim().split(/ +/);
  if (scheme?.toLowerCase() !== 'bearer') return undefined;
  return rest.length === 1 ? rest[0] : '';
}

/** Throws 403 unless the caller may remove or edit an entity that `ownerId` owns. */
export type OwnerCheck = (principal: Principal | undefined, ownerId: number | null) => void;

/** The rule for entities with an owner: open to every user, or with `adminsOnly` to the owner and administrators. */
export function createOwnerCheck(adminsOnly: boolean): OwnerCheck {
  return (principal, ownerId) => {
    if (!adminsOnly || principal?.isAdmin === true) return;
    if (ownerId === null || ownerId !== principal?.userId) throw forbidden(ADMINS_ONLY);
  };
}
