import { randomBytes } from 'node:crypto';
import { firstCharacters } from '../../kit/input/fields.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { hashSecret, newSecret, sidOf, successorSecret } from './tokens.ts';
import { WEEK_MS } from '../../kit/time.ts';

/** The client that uses a session. */
export interface SessionClient {
  readonly address: string;
  /** The address as limits count it. */
  readonly addressKey: string;
  readonly userAgent: string;
  /** Whether the refresh token is in a cookie. A session accepts its token only where it was issued: cookie or body. */
  readonly inCookie: boolean;
}

/** A session that was just started or refreshed, with the refresh token for the client. */
export interface OpenSession {
  /** The name of the session in its access tokens; only its hash is stored. */
  readonly sid: string;
  readonly userId: number;
  readonly refreshToken: string;
}

/** The Session of swagger.yaml. */
export interface SessionRecord {
  readonly id: number;
  /** Whether it is the caller's. */
  readonly current: boolean;
  /** Whether its refresh token is in the cookie of a browser. */
  readonly cookie: boolean;
  readonly ip_address: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly expires_at: string;
}

interface SessionRow extends Omit<SessionRecord, 'current' | 'cookie'> {
  readonly current: 0 | 1;
  readonly cookie: 0 | 1;
}

interface TokenRow {
  readonly session_id: number;
  readonly rotated_at: string | null;
  readonly successor_salt: Buffer | null;
  readonly user_id: number;
  readonly cookie: 0 | 1;
  readonly ip_address: string;
  readonly user_agent: string;
  readonly expires_at: string;
  readonly is_active: 0 | 1;
}

// Sorts after every ISO timestamp.
const START = { last_used_at: '~', id: 0 };
const LIFETIME_MS = WEEK_MS;
// Within this time, a client that asks twice or lost the first answer receives the same successor again.
const GRACE_MS = 10_000;
const MOST_SESSIONS = 50;
const KNOWN_ADDRESSES = 50;
const ADDRESS_MAX = 45;
const USER_AGENT_MAX = 512;

/** Sessions in the database. Writes must run inside a transaction. */
export class SessionStore {
  readonly #rotation: boolean;
  readonly #sql;

  /** Opens the store on accounts.sql; with `rotation` every refresh replaces the refresh token (RFC 9700 section 4.14.2). */
  constructor(sql: QueryFile, rotation: boolean) {
    this.#rotation = rotation;
    this.#sql = {
      insert: sql.prepare<number>('insertSession').pluck(),
      insertToken: sql.prepare('insertRefreshToken'),
      findToken: sql.prepare<TokenRow>('findRefreshToken'),
      markRotated: sql.prepare('rotateRefreshToken'),
      name: sql.prepare('nameSession'),
      touch: sql.prepare('touchSession'),
      list: sql.prepare<SessionRow>('listSessions'),
      delete: sql.prepare('deleteSession'),
      deleteBySid: sql.prepare('deleteSessionBySid'),
      deleteOfUser: sql.prepare('deleteSessionOfUser'),
      deleteSurplus: sql.prepare('deleteSurplusSessions'),
      deleteExpired: sql.prepare('deleteExpiredSessions'),
      knowsAddress: sql.prepare('knowsAddress'),
      rememberAddress: sql.prepare('rememberAddress'),
      forgetAddresses: sql.prepare('forgetAddresses'),
    };
  }

  /** Starts a session of 7 days. Removes expired ones, and ends the user's oldest beyond 50. */
  start(userId: number, client: SessionClient, date: Date): OpenSession {
    const now = date.toISOString();
    const expiresAt = new Date(date.getTime() + LIFETIME_MS).toISOString();
    this.#sql.deleteExpired.run({ now });
    this.#sql.rememberAddress.run({ userId, addressKey: client.addressKey, now });
    this.#sql.forgetAddresses.run({ userId, keep: KNOWN_ADDRESSES });
    const cookie = Number(client.inCookie);
    const sessionId = this.#sql.insert.get({ userId, cookie, ...columns(client), now, expiresAt });
    if (sessionId === undefined) throw new Error('an insert returned no row');
    const refreshToken = newSecret();
    this.#sql.insertToken.run({ ...hashesOf(refreshToken), sessionId });
    this.#sql.deleteSurplus.run({ userId, most: MOST_SESSIONS });
    return { sid: sidOf(refreshToken), userId, refreshToken };
  }

  /**
   * Continues the session of a refresh token. Undefined if the token is unknown or expired, came by
   * cookie instead of the body or the reverse, or its user is not active. A token that was already rotated ends the session:
   * another client may have stolen it.
   */
  refresh(refreshToken: string, client: SessionClient, now: Date): OpenSession | undefined {
    const row = this.#sql.findToken.get({ tokenHash: hashSecret(refreshToken) });
    if (!row || row.expires_at <= now.toISOString() || row.is_active === 0) return undefined;
    if (!isWhereItBelongs(row, client)) return undefined;
    const id = row.session_id;
    const next =
      row.rotated_at === null
        ? this.#successor(refreshToken, id, now)
        : this.#repeated(row, refreshToken, client, now);
    if (next === undefined) {
      this.#sql.delete.run({ id });
      return undefined;
    }
    this.#sql.name.run(hashesOf(next));
    this.#sql.touch.run({ id, ...columns(client), now: now.toISOString() });
    return { sid: sidOf(next), userId: row.user_id, refreshToken: next };
  }

  /** Replaces `refreshToken` and returns its successor; without rotation the token itself. */
  #successor(refreshToken: string, sessionId: number, now: Date): string {
    if (!this.#rotation) return refreshToken;
    const salt = randomBytes(32);
    const successor = successorSecret(refreshToken, salt);
    this.#sql.markRotated.run({ tokenHash: hashSecret(refreshToken), salt, now: now.toISOString() });
    this.#sql.insertToken.run({ ...hashesOf(successor), sessionId });
    return successor;
  }

  /** The successor that was already sent, if it is unused and the same client may be retrying. */
  #repeated(row: TokenRow, refreshToken: string, client: SessionClient, now: Date): string | undefined {
    if (row.rotated_at === null || row.successor_salt === null) return undefined;
    const age = now.getTime() - Date.parse(row.rotated_at);
    const { ipAddress, userAgent } = columns(client);
    const isSameClient = row.ip_address === ipAddress && row.user_agent === userAgent;
    if (age < 0 || age > GRACE_MS || !isSameClient) return undefined;
    const successor = successorSecret(refreshToken, row.successor_salt);
    const isUnused = this.#sql.findToken.get({ tokenHash: hashSecret(successor) })?.rotated_at === null;
    return isUnused ? successor : undefined;
  }

  /** Ends the session of a refresh token, whether it was rotated or not. */
  endByRefreshToken(refreshToken: string, client: Pick<SessionClient, 'inCookie'>): void {
    const row = this.#sql.findToken.get({ tokenHash: hashSecret(refreshToken) });
    if (row && isWhereItBelongs(row, client)) this.#sql.delete.run({ id: row.session_id });
  }

  /** Ends the session that access tokens call `sid`, if there is one. */
  end(sid: string): void {
    this.#sql.deleteBySid.run({ sidHash: hashSecret(sid) });
  }

  /** False when the user has no such session. */
  endOf(userId: number, id: number, now: Date): boolean {
    return this.#sql.deleteOfUser.run({ userId, id, now: now.toISOString() }).changes > 0;
  }

  /**
   * Sessions after `after`, most recently used first; `sid` is the caller's. Do not write to the database while
   * iterating.
   */
  *listOf(
    userId: number,
    now: Date,
    sid: string | null = null,
    after?: SessionRecord,
    limit = -1,
  ): Generator<SessionRecord> {
    const { last_used_at: lastUsedAt, id: before } = after ?? START;
    const sidHash = sid === null ? null : hashSecret(sid);
    const part = { userId, now: now.toISOString(), sidHash, lastUsedAt, id: before, limit };
    for (const { id, current, cookie, ...rest } of this.#sql.list.iterate(part))
      yield { id, current: current === 1, cookie: cookie === 1, ...rest };
  }

  /** Whether the account with this email key (see `nameKey`) was signed in to from this address before. */
  knowsAddress(emailKey: string, addressKey: string): boolean {
    return this.#sql.knowsAddress.get({ emailKey, addressKey }) !== undefined;
  }
}

/** The stored hashes of a refresh token and of the name of its session in access tokens. */
function hashesOf(refreshToken: string): { readonly tokenHash: Buffer; readonly sidHash: Buffer } {
  return { tokenHash: hashSecret(refreshToken), sidHash: hashSecret(sidOf(refreshToken)) };
}

function isWhereItBelongs({ cookie }: TokenRow, { inCookie }: Pick<SessionClient, 'inCookie'>): boolean {
  return (cookie === 1) === inCookie;
}

function columns({ address, userAgent }: SessionClient): { ipAddress: string; userAgent: string } {
  return { ipAddress: address.slice(0, ADDRESS_MAX), userAgent: firstCharacters(userAgent, USER_AGENT_MAX) };
}
