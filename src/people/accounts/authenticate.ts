import type { IncomingMessage } from 'node:http';
import type { OwnerCheck } from '../../catalogue/authors.ts';
import type { Permit, Principal } from '../../http/context.ts';
import { forbidden, unauthorized, unavailable } from '../../http/errors.ts';
import { headerValues } from '../../http/negotiation.ts';
import type { Authenticator } from '../../http/pipeline.ts';
import type { Route } from '../../http/router.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { Transactions } from '../../storage/transaction.ts';
import { API_TOKEN_PREFIX } from './api-tokens.ts';
import { type AccessTokens, hashSecret } from './tokens.ts';
import { PLACEHOLDER_USER } from './users.ts';

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

interface CallerRow {
  readonly id: number;
  readonly is_admin: 0 | 1;
}

interface TokenCallerRow extends CallerRow {
  readonly token_id: number;
  readonly token_name: string;
  /** A whole hour. */
  readonly last_used_at: string | null;
}

/** Looks up the users of sessions and API tokens in accounts.sql. */
export class Callers {
  readonly #sql;

  constructor(sql: QueryFile) {
    this.#sql = {
      ofSession: sql.prepare<CallerRow>('findSessionCaller'),
      ofToken: sql.prepare<TokenCallerRow>('findApiTokenCaller'),
      touchToken: sql.prepare('touchApiToken'),
    };
  }

  /**
   * The caller of a permit, looked up now. Throws 401 once the account, session or token has ended, and 403 if the caller
   * lacks the rights that the permit demands.
   */
  find(permit: Permit): Principal {
    const { proof, needsAdmin, needsSession } = permit;
    if (proof.kind === 'none') return ANYONE;
    const now = new Date().toISOString();
    const token = proof.kind === 'apiToken' ? this.#findToken(proof.token, now) : undefined;
    let user: CallerRow | undefined = token;
    if (proof.kind === 'session') {
      if (now >= proof.expiresAt.toISOString()) throw unauthorized('Token has expired');
      user = this.#sql.ofSession.get({ sidHash: hashSecret(proof.sid), userId: proof.userId, now });
    }
    if (!user) throw unauthorized('Invalid token');
    if (needsSession && token) throw forbidden('API tokens cannot manage accounts');
    const isAdmin = user.is_admin === 1;
    if (needsAdmin && !isAdmin) throw forbidden(ADMINS_ONLY);
    return {
      userId: user.id,
      isAdmin,
      credential: token ? 'apiToken' : 'accessToken',
      token: token ? { id: token.token_id, name: token.token_name } : null,
      sid: proof.kind === 'session' ? proof.sid : null,
      renew: () => this.find(permit),
      permit,
    };
  }

  #findToken(token: string, now: string): TokenCallerRow | undefined {
    return this.#sql.ofToken.get({ tokenHash: hashSecret(token), now });
  }

  /** Records the hour in which a valid API token is used. */
  async noteUse(token: string, transactions: Transactions): Promise<void> {
    const now = new Date().toISOString();
    const hour = `${now.slice(0, 13)}:00:00.000Z`;
    const row = this.#findToken(token, now);
    if (row && row.last_used_at !== hour)
      await transactions.write(() => this.#sql.touchToken.run({ id: row.token_id, hour }));
  }
}

/**
 * Checks bearer tokens (RFC 6750 section 2.1): access tokens and API tokens. With `adminsOnly` only administrators may
 * write to the catalogue.
 */
export function createAuthenticator(
  callers: Callers,
  accessTokens: AccessTokens,
  transactions: Transactions,
  adminsOnly: boolean,
): Authenticator {
  async function requireCaller(request: IncomingMessage, route: Route): Promise<Principal> {
    const token = bearerToken(request);
    if (token === undefined) throw unauthorized('Authentication required');
    const { access, credentials } = route;
    const needsSession = !credentials.includes('apiToken');
    const needsAdmin = access === 'admin' || (access === 'catalogueWriter' && adminsOnly);
    return callers.find({ proof: await proofOf(token), needsAdmin, needsSession });
  }

  /** Throws 401 for an invalid or expired access token. `Callers` checks API tokens. */
  async function proofOf(token: string): Promise<Permit['proof']> {
    if (token.startsWith(API_TOKEN_PREFIX)) {
      // Ignore failures: a full disk must not make reads fail.
      await callers.noteUse(token, transactions).catch(() => undefined);
      return { kind: 'apiToken', token };
    }
    const checked = await accessTokens.check(token);
    if (checked.outcome === 'expired') throw unauthorized('Token has expired');
    if (checked.outcome === 'invalid') throw unauthorized('Invalid token');
    const { userId, sid, expiresAt } = checked;
    return { kind: 'session', userId, sid, expiresAt };
  }

  return (request, route) => (route.access === 'public' ? undefined : requireCaller(request, route));
}

// By then the replica may have become the primary.
const PROMOTION_SECONDS = 60;

/** Refuses every write to a replica with 503, which names the primary where there is one. */
export function refuseWrites(authenticate: Authenticator, primaryUrl: string | undefined): Authenticator {
  const primary = primaryUrl === undefined ? 'the primary' : `the primary at ${primaryUrl}`;
  return (request, route) => {
    if (route.method === 'GET' && route.needsPrimary !== true) return authenticate(request, route);
    return Promise.reject(unavailable(`This is a read-only replica; ask ${primary}`, PROMOTION_SECONDS));
  };
}

/**
 * The token of the `Authorization` header: undefined if there is no header or another scheme, empty if there are several
 * headers or not exactly one token.
 */
export function bearerToken(request: IncomingMessage): string | undefined {
  return tokenOf(request, 'bearer');
}

/** Like `bearerToken`, for any scheme in lower case. */
export function tokenOf({ rawHeaders }: IncomingMessage, wanted: string): string | undefined {
  const [value, ...more] = headerValues(rawHeaders, 'authorization');
  if (value === undefined) return undefined;
  if (more.length > 0) return '';
  const [scheme, ...rest] = value.trim().split(/ +/);
  if (scheme?.toLowerCase() !== wanted) return undefined;
  return rest.length === 1 ? rest[0] : '';
}

/** The rule for entities with an owner: open to every user, or with `adminsOnly` to the owner and administrators. */
export function createOwnerCheck(adminsOnly: boolean): OwnerCheck {
  return (caller, ownerId) => {
    if (!adminsOnly || caller?.isAdmin === true) return;
    if (ownerId === null || ownerId !== caller?.userId) throw forbidden(ADMINS_ONLY);
  };
}
