import { type QueryFile, assemble } from '../../storage/statements.ts';
import { searchText } from '../../storage/text.ts';
import { USER_ANSWER, type User, type UserRow, userOf } from './users.ts';

/** A user as administrators see it. */
export interface Account extends User {
  /** Those that have not expired. */
  readonly sessions: number;
  readonly api_tokens: number;
  /** False for users who only sign in with an identity provider. */
  readonly has_password: boolean;
}

/** The names of its fields. */
export const ACCOUNT_ANSWER = [
  ...USER_ANSWER,
  ...Object.keys({ sessions: true, api_tokens: true, has_password: true } satisfies Record<
    Exclude<keyof Account, keyof User>,
    true
  >),
];

/** The users that are asked for: those that match every filter. */
export interface AccountFilters {
  /** Text in email, username or full name, as search compares it. */
  readonly text: string | undefined;
  readonly isActive: boolean | undefined;
  readonly isAdmin: boolean | undefined;
}

/** Reads accounts for administrators. */
export interface Directory {
  readonly get: (id: number, now: Date) => Account | undefined;
  /** By id, those behind `after`. */
  readonly page: (filters: AccountFilters, after: number, limit: number, now: Date) => Account[];
  readonly count: (filters: AccountFilters) => number;
}

type AccountRow = UserRow & Pick<Account, 'sessions' | 'api_tokens'>;

/** Opens the directory on accounts.sql. */
export function createDirectory(sql: QueryFile): Directory {
  const getOne = assemble<AccountRow>(sql, 'selectAccount', 'whereAccount');
  const page = assemble<AccountRow>(sql, 'selectAccount', 'whereMatching', 'afterAccount');
  const countAll = assemble<number>(sql, 'countAccounts', 'whereMatching').pluck();
  return {
    get: (id, now) => {
      const row = getOne.get({ id, now: now.toISOString() });
      return row && accountOf(row);
    },
    page: (filters, after, limit, now) =>
      page.all({ ...bound(filters), after, limit, now: now.toISOString() }).map(accountOf),
    count: (filters) => countAll.get(bound(filters)) ?? 0,
  };
}

function bound({ text: asked = '', isActive, isAdmin }: AccountFilters) {
  const text = searchText(asked);
  return { text, literal: text === '' ? asked : '', isActive: flag(isActive), isAdmin: flag(isAdmin) };
}

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

function accountOf(row: AccountRow): Account {
  const { sessions, api_tokens, password_hash } = row;
  return { ...userOf(row), sessions, api_tokens, has_password: password_hash !== null };
}
