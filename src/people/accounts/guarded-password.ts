import type { LoginAttempts } from './attempts.ts';
import type { Passwords } from './passwords.ts';
import type { SessionStore } from './sessions.ts';
import { type User, type UserStore, nameKey } from './users.ts';

/** All that it takes to check a password against guessing. */
export interface GuardOptions {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly passwords: Passwords;
  readonly attempts: LoginAttempts;
}

/** A password that is to be checked, and for whom. */
export interface Attempt {
  /** Of any account, or of none. */
  readonly email: string;
  readonly passwordHash: string | undefined;
  readonly password: string;
  /** The client as limits count it. */
  readonly addressKey: string;
}

/** The result of checking the password that a signed-in user has entered once more. */
export type OwnPasswordCheck =
  | { readonly outcome: 'right'; readonly user: User; readonly passwordHash: string }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'wrong' }
  | { readonly outcome: 'wait'; readonly seconds: number };

/**
 * Whether a password is right, or after how many seconds it may be tried again. The caller counts the outcome. Rejects with
 * an OverloadedError when too many hashes are under way.
 */
export async function verifyGuarded(
  { sessions, passwords, attempts }: GuardOptions,
  { email, passwordHash, password, addressKey }: Attempt,
): Promise<boolean | number> {
  const account = nameKey(email);
  const wait = (): number =>
    attempts.wait(account, addressKey, () => sessions.knowsAddress(account, addressKey));
  const before = wait();
  if (before > 0) return before;
  const matches = await passwords.verify(passwordHash, password);
  // Others may have failed meanwhile. One too many learns nothing, not even that the password was right.
  const after = wait();
  return after > 0 ? after : matches;
}

/**
 * Checks the password of a signed-in user; `none` where the account has no password. Failures count as failed logins: a
 * stolen session must not serve to guess it. Rejects like `verifyGuarded`.
 */
export async function checkOwnPassword(
  options: GuardOptions,
  userId: number,
  given: Pick<Attempt, 'password' | 'addressKey'>,
): Promise<OwnPasswordCheck> {
  const { user, passwordHash } = options.users.getStored(userId) ?? {};
  if (!user || passwordHash === undefined) return { outcome: 'none' };
  const verified = await verifyGuarded(options, { email: user.email, passwordHash, ...given });
  if (typeof verified === 'number') return { outcome: 'wait', seconds: verified };
  options.attempts[verified ? 'succeeded' : 'failed'](nameKey(user.email), given.addressKey);
  return verified ? { outcome: 'right', user, passwordHash } : { outcome: 'wrong' };
}
