import { randomBytes } from 'node:crypto';
import { firstCharacters } from '../../kit/input/fields.ts';
import type { Prepared, QueryFile } from '../../storage/statements.ts';
import { hashSecret, newSecret, sidOf, successorSecret } from './tokens.ts';
import { DAY_MS } from '../../kit/time.ts';

/** From where a session is used. */
export interface SessionClient {
  readonly address: string;
  /** The address as limits count it. */
  readonly addressKey: string;
  readonly userAgent: string;
  /** Whether it holds the refresh token in a cookie; such a token is valid nowhere else, and others not there. */
  readonly inCookie: boolean;
}

/** A session that was just made or refreshed, with the refresh token for the client. */
export interface OpenSession {
  /** By what its access tokens name it; stored as a hash alone. */
  readonly sid: string;
  readonly userId: number;
  readonly refreshToken: string;
}

/** A session as it is listed. */
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

/** The user of a session or a token. */
export interface Caller {
  readonly userId: number;
  readonly isAdmin: boolean;
}

/** Sessions in the database. Writes must run inside a transaction. */
export interface SessionStore {
  /** Starts a session of 7 days; all expired ones are removed on the way. */
  readonly start: (userId: number, client: SessionClient, now: Date) => OpenSession;
  /**
   * Goes on with the session of a refresh token. Undefined when the token is unknown, expired, in a cookie and should not be
   * or the other way round, or its user is not active, and when it was rotated before: then another client may have it, and
   * the whole session ends.
   */
  readonly refresh: (refreshToken: string, client: SessionClient, now: Date) => OpenSession | undefined;
  /** Ends the session of a refresh token, wherever in its rotation it stands. */
  readonly endByRefreshToken: (refreshToken: string, client: Pick<SessionClient, 'inCookie'>) => void;
  /** Ends the session that access tokens name so, if there is one. */
  readonly end: (sid: string) => void;
  /** The number of sessions that ended; that of `except` goes on. */
  readonly endAllOf: (userId: number, except?: string | null) => number;
  /** False when the user has no such session. */
  readonly endOf: (userId: number, id: number, now: Date) => boolean;
  /** The user of an access token; undefined once its session has ended or its user is not active. */
  readonly caller: (sid: string, userId: number, now: Date) => Caller | undefined;
  /**
   * Most recently used first, those behind `after`; `sid` is the caller's. Nothing may be written until the last one was
   * taken.
   */
  readonly listOf: (
    userId: number,
    now: Date,
    sid?: string | null,
    after?: SessionRecord,
    limit?: number,
  ) => Iterable<SessionRecord>;
  /** Whether the account of this email, in the form of `nameKey`, was signed in to from there before. */
  readonly knowsAddress: (emailKey: string, addressKey: string) => boolean;
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
const LIFETIME_MS = 7 * DAY_MS;
// A client that asks twice at once, or never got the first answer, gets the same successor again.
const GRACE_MS = 10_000;
const KNOWN_ADDRESSES = 50;
const ADDRESS_MAX = 45;
const USER_AGENT_MAX = 512;

/** Opens the store on accounts.sql; with `rotation` every refresh replaces the refresh token (RFC 9700 section 4.14.2). */
export function createSessionStore(sql: QueryFile, rotation: boolean): SessionStore {
  const insert = sql.prepare<{ id: number }>('insertSession');
  const insertToken = sql.prepare('insertRefreshToken');
  const remove = sql.prepare('deleteSession');
  const removeBySid = sql.prepare('deleteSessionBySid');
  const sweep = sql.prepare('deleteExpiredSessions');
  const findToken = sql.prepare<TokenRow>('findRefreshToken');
  const findCaller = sql.prepare<{ id: number; is_admin: 0 | 1 }>('findSessionCaller');
  const knowsAddress = sql.prepare('knowsAddress');
  const rememberAddress = sql.prepare('rememberAddress');
  const forgetAddresses = sql.prepare('forgetAddresses');
  const endById = (id: number): void => void remove.run({ id });
  return {
    start: (userId, client, now) => {
      const times = {
        now: now.toISOString(),
        expiresAt: new Date(now.getTime() + LIFETIME_MS).toISOString(),
      };
      sweep.run({ now: times.now });
      rememberAddress.run({ userId, addressKey: client.addressKey, now: times.now });
      forgetAddresses.run({ userId, keep: KNOWN_ADDRESSES });
      const cookie = Number(client.inCookie);
      const sessionId = insert.get({ userId, cookie, ...columns(client), ...times })?.id;
      if (sessionId === undefined) throw new Error('an insert returned no row');
      const refreshToken = newSecret();
      insertToken.run({ ...hashesOf(refreshToken), sessionId });
      return { sid: sidOf(refreshToken), userId, refreshToken };
    },
    refresh: createRefresher(sql, rotation, findToken, endById),
    endByRefreshToken: (refreshToken, client) => {
      const row = findToken.get({ tokenHash: hashSecret(refreshToken) });
      if (row && isWhereItBelongs(row, client)) endById(row.session_id);
    },
    end: (sid) => void removeBySid.run({ sidHash: hashSecret(sid) }),
    ...createSessionsOfUser(sql),
    caller: (sid, userId, now) => {
      const row = findCaller.get({ sidHash: hashSecret(sid), userId, now: now.toISOString() });
      return row && { userId: row.id, isAdmin: row.is_admin === 1 };
    },
    knowsAddress: (emailKey, addressKey) => knowsAddress.get({ emailKey, addressKey }) !== undefined,
  };
}

function createSessionsOfUser(sql: QueryFile): Pick<SessionStore, 'listOf' | 'endOf' | 'endAllOf'> {
  const list = sql.prepare<SessionRow>('listSessions');
  const remove = sql.prepare('deleteSessionOfUser');
  const removeAll = sql.prepare('deleteSessionsOfUser');
  const hashOf = (sid: string | null): Buffer | null => (sid === null ? null : hashSecret(sid));
  return {
    listOf: function* (userId, now, sid = null, after, limit = -1) {
      const { last_used_at: lastUsedAt, id: before } = after ?? START;
      const part = { userId, now: now.toISOString(), sidHash: hashOf(sid), lastUsedAt, id: before, limit };
      for (const { id, current, cookie, ...rest } of list.iterate(part))
        yield { id, current: current === 1, cookie: cookie === 1, ...rest };
    },
    endOf: (userId, id, now) => remove.run({ userId, id, now: now.toISOString() }).changes > 0,
    endAllOf: (userId, except = null) => removeAll.run({ userId, exceptHash: hashOf(except) }).changes,
  };
}

function createRefresher(
  sql: QueryFile,
  rotation: boolean,
  find: Prepared<TokenRow>,
  end: (sessionId: number) => void,
): SessionStore['refresh'] {
  const markRotated = sql.prepare('rotateRefreshToken');
  const insert = sql.prepare('insertRefreshToken');
  const name = sql.prepare('nameSession');
  const touch = sql.prepare('touchSession');

  /** The token that follows `refreshToken`, which is no longer valid. */
  function rotate(refreshToken: string, sessionId: number, now: Date): string {
    const salt = randomBytes(32);
    const successor = successorSecret(refreshToken, salt);
    markRotated.run({ tokenHash: hashSecret(refreshToken), salt, now: now.toISOString() });
    insert.run({ ...hashesOf(successor), sessionId });
    return successor;
  }

  /** The successor that was sent already, as long as it may be the same client asking and it was not used. */
  function repeated(row: TokenRow, refreshToken: string, client: SessionClient, now: Date) {
    if (row.rotated_at === null || row.successor_salt === null) return undefined;
    const age = now.getTime() - Date.parse(row.rotated_at);
    const { ipAddress, userAgent } = columns(client);
    const isSameClient = row.ip_address === ipAddress && row.user_agent === userAgent;
    if (age < 0 || age > GRACE_MS || !isSameClient) return undefined;
    const successor = successorSecret(refreshToken, row.successor_salt);
    return find.get({ tokenHash: hashSecret(successor) })?.rotated_at === null ? successor : undefined;
  }

  return (refreshToken, client, now) => {
    const row = find.get({ tokenHash: hashSecret(refreshToken) });
    if (!row || row.expires_at <= now.toISOString() || row.is_active === 0) return undefined;
    if (!isWhereItBelongs(row, client)) return undefined;
    const { session_id: id, user_id: userId } = row;
    const own = (): string => (rotation ? rotate(refreshToken, id, now) : refreshToken);
    const next = row.rotated_at === null ? own() : repeated(row, refreshToken, client, now);
    if (next === undefined) {
      end(id);
      return undefined;
    }
    name.run(hashesOf(next));
    touch.run({ id, ...columns(client), now: now.toISOString() });
    return { sid: sidOf(next), userId, refreshToken: next };
  };
}

/** All that is stored of a refresh token and of the name that its access tokens give the session. */
function hashesOf(refreshToken: string): { readonly tokenHash: Buffer; readonly sidHash: Buffer } {
  return { tokenHash: hashSecret(refreshToken), sidHash: hashSecret(sidOf(refreshToken)) };
}

function isWhereItBelongs({ cookie }: TokenRow, { inCookie }: Pick<SessionClient, 'inCookie'>): boolean {
  return (cookie === 1) === inCookie;
}

function columns({ address, userAgent }: SessionClient): { ipAddress: string; userAgent: string } {
  return { ipAddress: address.slice(0, ADDRESS_MAX), userAgent: firstCharacters(userAgent, USER_AGENT_MAX) };
}
