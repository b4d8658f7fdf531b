import type { QueryFile } from '../../storage/statements.ts';
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

/** API tokens in the database. Writes must run inside a transaction. */
export class ApiTokenStore {
  readonly #sql;

  constructor(sql: QueryFile) {
    this.#sql = {
      insert: sql.prepare<ApiToken>('insertApiToken'),
      list: sql.prepare<ApiToken>('listApiTokens'),
      get: sql.prepare<ApiToken>('getApiToken'),
      delete: sql.prepare('deleteApiToken'),
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
}
