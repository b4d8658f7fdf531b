import type { QueryFile } from '../../storage/statements.ts';
import type { Caller } from './sessions.ts';
import { hashSecret, newSecret } from './tokens.ts';
import { DAY_MS } from '../../kit/time.ts';

/** Prefix of every API token, so that secret scanners and people know one when they see it. */
export const API_TOKEN_PREFIX = 'rct_';

/** An API token as it is listed: without its secret, which was returned once. */
export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** To the hour. */
  readonly last_used_at: string | null;
}

export interface NewApiToken {
  readonly name: string;
  /** Null: it does not expire. */
  readonly expiresInDays: number | null;
}

/** The user of an API token; `noteUse` must run in a transaction, and is absent when this hour is noted already. */
export interface ApiTokenCaller extends Caller {
  readonly token: { readonly id: number; readonly name: string };
  readonly noteUse: (() => void) | undefined;
}

/** API tokens in the database. Writes must run inside a transaction. */
export interface ApiTokenStore {
  /** The token with its secret, which is stored nowhere. */
  readonly create: (userId: number, input: NewApiToken, now: Date) => ApiToken & { readonly token: string };
  /** Newest first, those behind `after`; nothing may be written until the last one was taken. */
  readonly listOf: (userId: number, after?: ApiToken, limit?: number) => Iterable<ApiToken>;
  /** Undefined when the user has no such token. */
  readonly get: (id: number, userId: number) => ApiToken | undefined;
  /** False when the user has no such token. */
  readonly remove: (id: number, userId: number) => boolean;
  /** The number of tokens that were removed. */
  readonly removeAllOf: (userId: number) => number;
  /** Undefined when the token is unknown or expired, or its user is not active. */
  readonly caller: (token: string, now: Date) => ApiTokenCaller | undefined;
}

interface CallerRow {
  readonly id: number;
  readonly is_admin: 0 | 1;
  readonly token_id: number;
  readonly token_name: string;
  readonly last_used_at: string | null;
}

const WHOLE_HOUR = ':00:00.000Z';

/** Opens the store on accounts.sql. */
export function createApiTokenStore(sql: QueryFile): ApiTokenStore {
  const insert = sql.prepare<ApiToken>('insertApiToken');
  const list = sql.prepare<ApiToken>('listApiTokens');
  const get = sql.prepare<ApiToken>('getApiToken');
  const remove = sql.prepare('deleteApiToken');
  const removeOfUser = sql.prepare('deleteApiTokensOfUser');
  const find = sql.prepare<CallerRow>('findApiTokenCaller');
  const touch = sql.prepare('touchApiToken');
  return {
    create: (userId, { name, expiresInDays }, now) => {
      const token = `${API_TOKEN_PREFIX}${newSecret()}`;
      const expiresAt = expiresInDays && new Date(now.getTime() + expiresInDays * DAY_MS).toISOString();
      const row = insert.get({
        userId,
        name,
        tokenHash: hashSecret(token),
        now: now.toISOString(),
        expiresAt,
      });
      if (!row) throw new Error('an insert returned no row');
      return { ...row, token };
    },
    listOf: (userId, after, limit = -1) =>
      list.iterate({ userId, before: after?.id ?? Number.MAX_SAFE_INTEGER, limit }),
    get: (id, userId) => get.get({ id, userId }),
    remove: (id, userId) => remove.run({ id, userId }).changes > 0,
    removeAllOf: (userId) => removeOfUser.run({ userId }).changes,
    caller: (token, now) => {
      const row = find.get({ tokenHash: hashSecret(token), now: now.toISOString() });
      if (!row) return undefined;
      const { token_id: id, token_name: name } = row;
      const hour = now.toISOString().slice(0, 13) + WHOLE_HOUR;
      const noteUse = row.last_used_at === hour ? undefined : () => void touch.run({ id, hour });
      return { userId: row.id, isAdmin: row.is_admin === 1, token: { id, name }, noteUse };
    },
  };
}
