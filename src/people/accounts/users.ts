import { firstCharacters, longerThan } from '../../kit/input/fields.ts';
import { DAY_MS } from '../../kit/time.ts';
import { skeleton } from '../../storage/skeleton.ts';
import type { Queries } from '../../storage/statements.ts';
import { type Stored, isBoolean, isNumber, isText, isTextOrNull, readStored } from '../../storage/stored.ts';
import { caseKey, searchText } from '../../storage/text.ts';
import { type SecretCounts, type Ending, Secrets } from './secrets.ts';
import { hashSecret, newSecret } from './tokens.ts';
import { USERNAME_MAX } from './usernames.ts';

// Lists each public column, so that a new one is not public by accident.
const USER = {
  id: isNumber,
  email: isText,
  username: isText,
  provider: isText,
  provider_id: isTextOrNull,
  full_name: isTextOrNull,
  avatar_url: isTextOrNull,
  is_active: isBoolean,
  is_admin: isBoolean,
  email_verified: isBoolean,
  last_login_at: isTextOrNull,
  created_at: isText,
  updated_at: isText,
};

/** The User of swagger.yaml: without the hash of the password. */
export type User = Stored<typeof USER>;

/** The user of every request in mode none. No row of the database has this id. */
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

/** The names of a user's fields. */
export const USER_ANSWER: readonly string[] = Object.keys(USER);

/** A user with the password hash, which only the password check may see. */
export interface StoredUser {
  readonly user: User;
  /** Absent for users who have only signed in with an identity provider. */
  readonly passwordHash: string | undefined;
}

/** A user as administrators see it. */
export interface Account extends User {
  /** Sessions that have not expired. */
  readonly sessions: number;
  readonly api_tokens: number;
  /** False for users who only sign in with an identity provider. */
  readonly has_password: boolean;
}

/** The names of an account's fields. */
export const ACCOUNT_ANSWER: readonly string[] = [...USER_ANSWER, 'sessions', 'api_tokens', 'has_password'];

/** Selects the accounts that match every filter. */
export interface AccountFilters {
  /** Text in email, username or full name, compared as search does. */
  readonly text: string | undefined;
  readonly isActive: boolean | undefined;
  readonly isAdmin: boolean | undefined;
}

/** The data of a new account. */
export interface NewUser {
  readonly email: string;
  readonly username: string;
  readonly fullName: string | null;
  readonly passwordHash: string | null;
  readonly isAdmin: boolean;
  readonly emailVerified: boolean;
  /** The name of the identity provider; by default `local`. */
  readonly provider?: string;
  readonly providerId?: string;
  readonly avatarUrl?: string | null;
}

/** The names that users may change themselves. */
export interface Profile {
  readonly username: string;
  readonly fullName: string | null;
}

/** A link to set a password, valid once; only a hash of its secret is stored. */
export interface ResetLink {
  /** Root-relative. */
  readonly url: string;
  readonly expires_at: string;
}

interface UserRow extends Omit<User, 'is_active' | 'is_admin' | 'email_verified'> {
  readonly password_hash: string | null;
  readonly is_active: 0 | 1;
  readonly is_admin: 0 | 1;
  readonly email_verified: 0 | 1;
}

type AccountRow = UserRow & Pick<Account, 'sessions' | 'api_tokens'>;

/** Characters (code points) that an email may have. */
export const EMAIL_MAX = 255;
/** The refusal of a change that would leave no active administrator. */
export const LAST_ADMINISTRATOR = 'The last administrator must stay';
const RESET_PREFIX = 'rst_';

/** Users in the database, and the links by which they set passwords. Writes must run inside a transaction. */
export class UserStore {
  readonly secrets: Secrets;
  readonly #sql;

  constructor(queries: Pick<Queries, 'file'>) {
    this.secrets = new Secrets(queries.file('secrets'));
    const sql = queries.file('accounts');
    this.#sql = {
      get: sql.prepare<UserRow>('getUser'),
      findByEmail: sql.prepare<UserRow>('findUserByEmail'),
      list: sql.prepare<UserRow>('listUsers'),
      insert: sql.prepare<UserRow>('insertUser'),
      usernameIsTaken: sql.prepare('usernameIsTaken'),
      otherAdministrator: sql.prepare('otherAdministrator'),
      setProfile: sql.prepare('setProfile'),
      setPasswordHash: sql.prepare('setPasswordHash'),
      setReset: sql.prepare('setReset'),
      findReset: sql.prepare<number>('findReset').pluck(),
      setAdmin: sql.prepare('setAdmin'),
      setActive: sql.prepare('setActive'),
      recordLogin: sql.prepare<UserRow>('recordLogin'),
      account: sql.prepare<AccountRow>('selectAccount', 'whereAccount'),
      accounts: sql.prepare<AccountRow>('selectAccount', 'whereMatching', 'afterAccount'),
      countAccounts: sql.prepare<number>('countAccounts', 'whereMatching').pluck(),
    };
  }

  get(id: number): User | undefined {
    return this.getStored(id)?.user;
  }

  getStored(id: number): StoredUser | undefined {
    return storedOf(this.#sql.get.get({ id }));
  }

  /** By email, ignoring case. */
  findByEmail(email: string): StoredUser | undefined {
    // Normalising may turn one character into eighteen, so check the length first.
    if (longerThan(email, EMAIL_MAX)) return undefined;
    return storedOf(this.#sql.findByEmail.get({ emailKey: nameKey(email) }));
  }

  list(): User[] {
    return this.#sql.list.all().map(userOf);
  }

  /** Which of the two are taken. */
  taken(email: string, username: string): readonly ('email' | 'username')[] {
    const isTaken = {
      email: this.#sql.findByEmail.get({ emailKey: nameKey(email) }) !== undefined,
      username: this.usernameIsTaken(username),
    };
    return (['email', 'username'] as const).filter((name) => isTaken[name]);
  }

  /** Whether a user other than `except` has this username, or one that looks the same. */
  usernameIsTaken(username: string, except: number | null = null): boolean {
    return this.#sql.usernameIsTaken.get({ ...usernameKeys(username), except }) !== undefined;
  }

  /** `wish`, with a number appended if a user other than `except` has it; at most 100 characters. */
  freeUsername(wish: string, except: number | null = null): string {
    for (let number = 1; ; number += 1) {
      const suffix = number === 1 ? '' : `-${number}`;
      const username = firstCharacters(wish, USERNAME_MAX - suffix.length) + suffix;
      if (!this.usernameIsTaken(username, except)) return username;
    }
  }

  /** The caller must have checked that email and username are free. */
  create({ isAdmin, emailVerified, ...input }: NewUser, now: string): User {
    const row = {
      provider: 'local',
      providerId: null,
      avatarUrl: null,
      ...input,
      emailKey: nameKey(input.email),
      ...usernameKeys(input.username),
      searchKey: userSearchKey(input.email, input),
      isAdmin: Number(isAdmin),
      emailVerified: Number(emailVerified),
      now,
    };
    return found(this.#sql.insert.get(row));
  }

  setProfile(id: number, profile: Profile, now: string): void {
    const searchKey = userSearchKey(this.get(id)?.email ?? '', profile);
    this.#sql.setProfile.run({ id, ...profile, ...usernameKeys(profile.username), searchKey, now });
  }

  /** Another hash of the same password; `changePassword` sets a new one. */
  setPasswordHash(id: number, passwordHash: string, now: string): void {
    this.#sql.setPasswordHash.run({ id, passwordHash, now });
  }

  /** Also ends secrets, but never the session `except`. Returns how many, and how many are left. */
  changePassword(
    id: number,
    passwordHash: string,
    ending: Extract<Ending, 'passwordChange' | 'passwordReset'>,
    except: string | null = null,
  ): { readonly ended: SecretCounts; readonly stillValid: ReturnType<Secrets['stillValid']> } {
    this.setPasswordHash(id, passwordHash, new Date().toISOString());
    const ended = this.secrets.end(ending, id, except);
    return { ended, stillValid: this.secrets.stillValid(id) };
  }

  setAdmin(id: number, isAdmin: boolean, now: string): void {
    this.#sql.setAdmin.run({ id, isAdmin: Number(isAdmin), now });
  }

  /**
   * Sets whether a user is active. Deactivating ends sessions and links to set a password; what stays is valid again once the
   * user is active. Returns the number of ended sessions, or undefined for the last administrator, who stays active.
   */
  setActive(id: number, isActive: boolean, now: string): number | undefined {
    if (!isActive && this.#isLastAdministrator(id)) return undefined;
    this.#sql.setActive.run({ id, isActive: Number(isActive), now });
    return isActive ? 0 : this.secrets.end('deactivation', id).sessions;
  }

  #isLastAdministrator(id: number): boolean {
    const user = this.get(id);
    return user?.is_admin === true && user.is_active && !this.#sql.otherAdministrator.get({ id });
  }

  /** Replaces any older link with one for 24 hours. It ends earlier if its creator stops being an administrator. */
  createReset(userId: number, createdBy: number, now: Date): ResetLink {
    const secret = RESET_PREFIX + newSecret();
    const expiresAt = new Date(now.getTime() + DAY_MS).toISOString();
    this.#sql.setReset.run({ userId, secretHash: hashSecret(secret), createdBy, expiresAt });
    return { url: `/reset#${secret}`, expires_at: expiresAt };
  }

  /** The active user of a link; undefined if it is unknown, used or expired. */
  findReset(secret: string, now: Date): User | undefined {
    const id = this.#sql.findReset.get({ secretHash: hashSecret(secret), now: now.toISOString() });
    const user = id === undefined ? undefined : this.get(id);
    return user?.is_active === true ? user : undefined;
  }

  /** Returns the user with the new time of the last login. */
  recordLogin(id: number, now: string): User {
    return found(this.#sql.recordLogin.get({ id, now }));
  }

  account(id: number, now: Date): Account | undefined {
    const row = this.#sql.account.get({ id, now: now.toISOString() });
    return row && accountOf(row);
  }

  /** Accounts after the id `after`, by id. */
  accounts(filters: AccountFilters, after: number, limit: number, now: Date): Account[] {
    const part = { ...filterBindings(filters), after, limit, now: now.toISOString() };
    return this.#sql.accounts.all(part).map(accountOf);
  }

  countAccounts(filters: AccountFilters): number {
    return this.#sql.countAccounts.get(filterBindings(filters)) ?? 0;
  }
}

/** The key that makes emails and usernames unique: case folded, and Unicode variants of a letter unified (NFKC). */
export function nameKey(name: string): string {
  return caseKey(name.normalize('NFKC'));
}

/** The text in which users are searched. */
export function userSearchKey(email: string, { username, fullName }: Profile): string {
  return searchText(`${email} ${username} ${fullName ?? ''}`);
}

/** The keys by which usernames are compared: without case, and by their looks. */
export function usernameKeys(username: string): Readonly<Record<'usernameKey' | 'usernameSkeleton', string>> {
  return { usernameKey: nameKey(username), usernameSkeleton: skeleton(username) };
}

function userOf(row: UserRow): User {
  const [is_active, is_admin, email_verified] = [
    row.is_active === 1,
    row.is_admin === 1,
    row.email_verified === 1,
  ];
  return readStored({ ...row, is_active, is_admin, email_verified }, USER);
}

function storedOf(row: UserRow | undefined): StoredUser | undefined {
  return row && { user: userOf(row), passwordHash: row.password_hash ?? undefined };
}

function accountOf(row: AccountRow): Account {
  const { sessions, api_tokens, password_hash } = row;
  return { ...userOf(row), sessions, api_tokens, has_password: password_hash !== null };
}

function found(row: UserRow | undefined): User {
  if (!row) throw new Error('a user is gone within its own transaction');
  return userOf(row);
}

function filterBindings({ text: asked = '', isActive, isAdmin }: AccountFilters) {
  const text = searchText(asked);
  const flag = (value: boolean | undefined): number | null => (value === undefined ? null : Number(value));
  return { text, literal: text === '' ? asked : '', isActive: flag(isActive), isAdmin: flag(isAdmin) };
}
