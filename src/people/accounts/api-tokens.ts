import type { QueryFile } from '../../storage/statements.ts';
import type { Caller } from './sessions.ts';
import { hashSecret, newSecret } from './tokens.ts';
import { DAY_MS } from '../../kit/time.ts';

/** Prefix of every API token, which secret scanners and people recognise. */
export const API_TOKEN_PREFIX = 'rct_';

/** The ApiToken of swagger.yaml. It lacks the secret, which is returned only on creation. */
export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** Rounded down to the hour. */
  readonly last_used_at: string | null;
}

/** The user of an API token. `noteUse` must run in a transaction; undefined if this hour is already recorded. */
export interface ApiTokenCaller extends Caller {
  readonly token: { readonly id: number; readonly name: string };
  readonly noteUse: (() => void) | undefined;
}

interface CallerRow {
  readonly id: number;
  readonly is_admin: 0 | 1;
  readonly token_id: number;
  readonly token_name: string;
  readonly last_used_at: string | null;
}

const WHOLE_HOUR = ':00:00.000Z';

/** API tokens in the database. Writes must run inside a transaction. */
export class ApiTokenStore {
  readonly #sql;

  constructor(sql: QueryFile) {
    this.#sql = {
      insert: sql.prepare<ApiToken>('insertApiToken'),
      list: sql.prepare<ApiToken>('listApiTokens'),
      get: sql.prepare<ApiToken>('getApiToken'),
      delete: sql.prepare('deleteApiToken'),
      deleteAllOfUser: sql.prepare('deleteApiTokensOfUser'),
      caller: sql.prepare<CallerRow>('findApiTokenCaller'),
      touch: sql.prepare('touchApiToken'),
    };
  }

  /** Returns the token with its secret. Only a hash of the secret is stored. */
  create(
    userId: number,
    name: string,
    expiresInDays: number | null,
    now: Date,
  ): ApiToken & { readonly token: string } {
    const token = `${API_TOKEN_PREFIX}${newSecret()}`;
    const expiresAt = expiresInDays && new Date(now.getTime() + expiresInDays * DAY_MS).toISOString();
    const values = { userId, name, tokenHash: hashSecret(token), now: now.toISOString(), expiresAt };
    const row = this.#sql.insert.get(values);
    if (!row) throw new Error('an insert returned no row');
    return { ...row, token };
  }

  /** Tokens after `after`, newest first. Do not write to the database while iterating. */
  listOf(userId: number, after?: ApiToken, limit = -1): Iterable<ApiToken> {
    return this.#sql.list.iterate({ userId, before: after?.id ?? Number.MAX_SAFE_INTEGER, limit });
  }

  /** Undefined when the user has no such token. */
  get(id: number, userId: number): ApiToken | undefined {
    return this.#sql.get.get({ id, userId });
  }

  /** False when the user has no such token. */
  remove(id: number, userId: number): boolean {
    return this.#sql.delete.run({ id, userId }).changes > 0;
  }

  /** Returns the number of removed tokens. */
  removeAllOf(userId: number): number {
    return this.#sql.deleteAllOfUser.run({ userId }).changes;
  }

  /** Undefined when the token is unknown or expired, or its user is not active. */
  caller(token: string, now: Date): ApiTokenCaller | undefined {
    const row = this.#sql.caller.get({ tokenHash: hashSecret(token), now: now.toISOString() });
    if (!row) return undefined;
    const { token_id: id, token_name: name } = row;
    const hour = now.toISOString().slice(0, 13) + WHOLE_HOUR;
    const noteUse = row.last_used_at === hour ? undefined : () => void this.#sql.touch.run({ id, hour });
    return { userId: row.id, isAdmin: row.is_admin === 1, token: { id, name }, noteUse };
  }
}
