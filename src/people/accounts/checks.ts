import { type Principal, type RequestContext, userIdOf } from '../../http/context.ts';
import { HttpError, conflict, forbidden, unauthorized, unavailable } from '../../http/errors.ts';
import { OverloadedError } from '../../kit/queue.ts';
import type { AccountParts } from './sign-in.ts';
import { PLACEHOLDER_USER, type User, type UserStore, nameKey } from './users.ts';

/** The same refusal for every invalid invitation. */
export const NOT_INVITED = 'Invitation is unknown, used or expired';
const RETRY_SECONDS = 2;

/** The caller's account. Throws 401 if it no longer exists. */
export function currentUser(principal: Principal | undefined, users: Pick<UserStore, 'get'>): User {
  const user = principal?.credential === 'none' ? PLACEHOLDER_USER : principal && users.get(principal.userId);
  if (!user) throw unauthorized('Invalid token');
  return user;
}

/** The caller's id, to change the account. Throws 403 for the placeholder of mode none. */
export function ownId(context: RequestContext): number {
  if (context.principal?.credential === 'none') throw forbidden('The placeholder user cannot be changed');
  return userIdOf(context);
}

/** Throws 403 if only identity providers may sign in. */
export function requireLocal({ localAccounts }: AccountParts): void {
  if (!localAccounts) throw forbidden('Local accounts are disabled');
}

/**
 * Throws 403 in mode none: anyone on the network could otherwise create an account, or a link to one, that still works
 * after the mode changes.
 */
export function requireAccounts({ withAccounts }: AccountParts): void {
  if (!withAccounts) throw forbidden('Accounts are disabled while AUTH_MODE is none');
}

/**
 * True if the password matches the account, which may be missing. The caller must count the outcome. Throws 429 after too
 * many failures, and 503 if too many hashes wait.
 */
export async function checkPassword(
  { sessions, passwords, attempts }: AccountParts,
  addressKey: string,
  email: string,
  passwordHash: string | undefined,
  password: string,
): Promise<boolean> {
  const account = nameKey(email);
  const requireTurn = (): void => {
    const seconds = attempts.wait(account, addressKey, () => sessions.knowsAddress(account, addressKey));
    if (seconds > 0)
      throw new HttpError(429, 'Too many failed logins. Please try again later.', {
        'Retry-After': String(seconds),
      });
  };
  requireTurn();
  const matches = await inTime(passwords.verify(passwordHash, password));
  // Concurrent attempts may have failed meanwhile. Beyond the limit, not even a right password may show.
  requireTurn();
  return matches;
}

/**
 * Logs a failed login with the client's address and the id of the account, if there is one. The typed email is left out:
 * it may be a password. The fail2ban recipe in the manual matches this message.
 */
export function reportFailedLogin(
  { report }: AccountParts,
  { client }: RequestContext,
  user: number | undefined,
): void {
  report('login failed', { ...(user !== undefined && { user }), client: client.address });
}

/** 409 for an email or username that another user has. */
export function namesTaken(...names: readonly string[]): HttpError {
  return conflict(`User already exists: ${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} taken`);
}

/** The result of hashing a password. Rejects with 503 if too many hashes wait. */
export async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof OverloadedError)
      throw unavailable('Too many logins at once. Please try again.', RETRY_SECONDS);
    throw error;
  }
}
