import { firstCharacters, longerThan } from '../../kit/input/fields.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { skeleton } from '../../storage/skeleton.ts';
import { caseKey, searchText } from '../../storage/text.ts';
import { USERNAME_MAX } from './usernames.ts';

/** A user as the API answers it (SPEC, "User"): without the password's hash. */
export interface User {
  readonly id: number;
  readonly email: string;
  readonly username: string;
  readonly provider: string;
  readonly provider_id: string | null;
  readonly full_name: string | null;
  readonly avatar_url: string | null;
  readonly is_active: boolean;
  readonly is_admin: boolean;
  readonly email_verified: boolean;
  readonly last_login_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The names of its fields. */
export const USER_ANSWER: readonly string[] = Object.keys({
  ...{ id: true, email: true, username: true, provider: true, provider_id: true, full_name: true },
  ...{ avatar_url: true, is_active: true, is_admin: true, email_verified: true, last_login_at: true },
  ...{ created_at: true, updated_at: true },
} satisfies Record<keyof User, true>);

/** A user with the hash, which only the check of a password may see. */
export interface StoredUser {
  readonly user: User;
  /** Absent for users who have only signed in with an identity provider. */
  readonly passwordHash: string | undefined;
}

/** The data of a new account. */
export interface NewUser {
  readonly email: string;
  readonly username: string;
  readonly fullName: string | null;
  readonly passwordHash: string | null;
  readonly isAdmin: boolean;
  readonly emailVerified: boolean;
  /** The name of the identity provider; by default `local`, an account of the service's own. */
  readonly provider?: string;
  readonly providerId?: string;
  readonly avatarUrl?: string | null;
}

/** Which of the things that must be unique are taken. A username is taken by one that looks the same, too. */
export interface TakenNames {
  readonly email: boolean;
  readonly username: boolean;
}

/** Users in the database. Writes must run inside a transaction. */
export interface UserStore {
  readonly get: (id: number) => User | undefined;
  /** The same with the hash of the password. */
  readonly getStored: (id: number) => StoredUser | undefined;
  /** By email, without case; no account has one of over `EMAIL_MAX` characters. */
  readonly findByEmail: (email: string) => StoredUser | undefined;
  readonly list: () => User[];
  /** Undefined when both are free. */
  readonly taken: (email: string, username: string) => TakenNames | undefined;
  /** Whether a username is taken by another user than this one. */
  readonly usernameIsTaken: (username: string, except: number) => boolean;
  /** `wish` itself or with a number behind it, of at most 100 characters, such that it is not taken. */
  readonly freeUsername: (wish: string) => string;
  /** The caller has made sure that email and username are free. */
  readonly create: (input: NewUser, now: string) => User;
  readonly setProfile: (id: number, profile: Profile, now: string) => void;
  /** Ends the link to set a password as well. */
  readonly setPasswordHash: (id: number, passwordHash: string, now: string) => void;
  readonly setAdmin: (id: number, isAdmin: boolean, now: string) => void;
  readonly setActive: (id: number, isActive: boolean, now: string) => void;
  /** Whether there would be no active administrator any more without this user. */
  readonly isLastAdministrator: (id: number) => boolean;
  /** The user with the new time of the last login. */
  readonly recordLogin: (id: number, now: string) => User;
}

/** The names that users may change themselves. */
export interface Profile {
  readonly username: string;
  readonly fullName: string | null;
}

/** A row of the table `users`. */
export interface UserRow extends Omit<User, 'is_active' | 'is_admin' | 'email_verified'> {
  readonly email_key: string;
  readonly username_key: string;
  readonly username_skeleton: string | null;
  readonly search_key: string;
  readonly password_hash: string | null;
  readonly is_active: 0 | 1;
  readonly is_admin: 0 | 1;
  readonly email_verified: 0 | 1;
}

/** Characters (code points) that an email may have (SPEC, "Limits"). */
export const EMAIL_MAX = 255;

const LOCAL = { provider: 'local', providerId: null, avatarUrl: null };

/** Opens the store on accounts.sql. */
export function createUserStore(sql: QueryFile): UserStore {
  const getRow = sql.prepare<UserRow>('getUser');
  const findByEmail = sql.prepare<UserRow>('findUserByEmail');
  const list = sql.prepare<UserRow>('listUsers');
  const insert = sql.prepare<UserRow>('insertUser');
  const usernameIsTaken = sql.prepare('usernameIsTaken');
  const otherAdministrator = sql.prepare('otherAdministrator');
  const isTaken = (username: string, except: number | null = null): boolean =>
    usernameIsTaken.get({ ...usernameKeys(username), except }) !== undefined;
  const storedOf = (row: UserRow | undefined): StoredUser | undefined =>
    row && { user: userOf(row), passwordHash: row.password_hash ?? undefined };
  const get = (id: number): StoredUser | undefined => storedOf(getRow.get({ id }));

  return {
    get: (id) => get(id)?.user,
    getStored: get,
    findByEmail: (email) => {
      // Before it is normalised, which may make eighteen characters of one.
      if (longerThan(email, EMAIL_MAX)) return undefined;
      return storedOf(findByEmail.get({ emailKey: nameKey(email) }));
    },
    list: () => list.all().map(userOf),
    taken: (email, username) => {
      const hasEmail = findByEmail.get({ emailKey: nameKey(email) }) !== undefined;
      const names = { email: hasEmail, username: isTaken(username) };
      return names.email || names.username ? names : undefined;
    },
    usernameIsTaken: isTaken,
    freeUsername: (wish) => freeUsername(wish, isTaken),
    create: ({ isAdmin, emailVerified, ...input }, now) => {
      const flags = { isAdmin: isAdmin ? 1 : 0, emailVerified: emailVerified ? 1 : 0 };
      const names = { emailKey: nameKey(input.email), ...usernameKeys(input.username) };
      const searchKey = userSearchKey(input.email, input);
      return found(insert.get({ ...LOCAL, ...input, ...names, searchKey, ...flags, now }));
    },
    isLastAdministrator: (id) => {
      const { is_admin: isAdmin = false, is_active: isActive = false } = get(id)?.user ?? {};
      return isAdmin && isActive && otherAdministrator.get({ id }) === undefined;
    },
    ...createUserChanger(sql, get),
  };
}

function createUserChanger(
  sql: QueryFile,
  get: UserStore['getStored'],
): Pick<UserStore, 'setProfile' | 'setPasswordHash' | 'setAdmin' | 'setActive' | 'recordLogin'> {
  const recordLogin = sql.prepare<UserRow>('recordLogin');
  const setPasswordHash = sql.prepare('setPasswordHash');
  const endReset = sql.prepare('endReset');
  const setAdmin = sql.prepare('setAdmin');
  const setActive = sql.prepare('setActive');
  const setProfile = sql.prepare('setProfile');
  return {
    setProfile: (id, profile, now) => {
      const searchKey = userSearchKey(get(id)?.user.email ?? '', profile);
      setProfile.run({ id, ...profile, ...usernameKeys(profile.username), searchKey, now });
    },
    setPasswordHash: (id, passwordHash, now) => {
      setPasswordHash.run({ id, passwordHash, now });
      endReset.run({ userId: id });
    },
    setAdmin: (id, isAdmin, now) => void setAdmin.run({ id, isAdmin: isAdmin ? 1 : 0, now }),
    setActive: (id, isActive, now) => void setActive.run({ id, isActive: isActive ? 1 : 0, now }),
    recordLogin: (id, now) => found(recordLogin.get({ id, now })),
  };
}

/** The row as the API answers it. */
export function userOf(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    username: row.username,
    provider: row.provider,
    provider_id: row.provider_id,
    full_name: row.full_name,
    avatar_url: row.avatar_url,
    is_active: row.is_active === 1,
    is_admin: row.is_admin === 1,
    email_verified: row.email_verified === 1,
    last_login_at: row.last_login_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** An email or username as its uniqueness sees it: without case, and without the ways to write one letter as another. */
export function nameKey(name: string): string {
  return caseKey(name.normalize('NFKC'));
}

/** The text in which users are searched. */
export function userSearchKey(email: string, { username, fullName }: Profile): string {
  return searchText(`${email} ${username} ${fullName ?? ''}`);
}

/** By what a username is compared: its key, and how it looks. */
function usernameKeys(username: string): { readonly usernameKey: string; readonly usernameSkeleton: string } {
  return { usernameKey: nameKey(username), usernameSkeleton: skeleton(username) };
}

function freeUsername(wish: string, isTaken: (username: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const username = firstCharacters(wish, USERNAME_MAX - suffix.length) + suffix;
    if (!isTaken(username)) return username;
  }
}

function found(row: UserRow | undefined): User {
  if (!row) throw new Error('a user is gone within its own transaction');
  return userOf(row);
}
