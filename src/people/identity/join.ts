import type { Administration } from '../accounts/administration.ts';
import type { ApiTokenStore } from '../accounts/api-tokens.ts';
import { isEmail } from '../accounts/input.ts';
import { type InvitationStore, isFor } from '../accounts/invitations.ts';
import type { SessionStore } from '../accounts/sessions.ts';
import { USERNAME_MAX, cleanUsername } from '../accounts/usernames.ts';
import { type User, type UserStore, userSearchKey } from '../accounts/users.ts';
import { MAX_UNCLEANED, firstCharacters } from '../../kit/input/fields.ts';
import { sanitise, sanitiseName } from '../../kit/input/sanitise.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { Claims } from './provider.ts';

/** The account of a user whom a provider has signed in, or why there is none. */
export type JoinOutcome =
  | { readonly outcome: 'user'; readonly userId: number }
  | { readonly outcome: 'account_exists' | 'account_disabled' | 'email_required' | 'registration_closed' };

/**
 * Must run inside a transaction. `provider` is the name under which a new account remembers where it came from, `invitation`
 * what the sign-in was started with.
 */
export type Join = (
  provider: string,
  issuer: string,
  claims: Claims,
  now: string,
  invitation?: string,
) => JoinOutcome;

export interface JoinOptions {
  readonly sql: QueryFile;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly apiTokens: ApiTokenStore;
  readonly invitations: Pick<InvitationStore, 'find' | 'use'>;
  readonly administration: Pick<Administration, 'endReset'>;
  /** Who gets an account that has none yet. */
  readonly registration: 'open' | 'invite' | 'closed';
}

/** A person is known by issuer and subject, and joins an account by a verified email. */
export function createJoin(options: JoinOptions): Join {
  const { sql, users, sessions, apiTokens, administration } = options;
  const find = sql.prepare<{ id: number; is_active: 0 | 1 }>('findUser');
  const insert = sql.prepare('insert');
  const removeLinks = sql.prepare('deleteOfUser');
  const handOver = sql.prepare('handOverUser');

  /** Removes all access of the person who made the account without owning its email. */
  function takeOver(userId: number, provider: string, person: Person, now: string): void {
    sessions.endAllOf(userId);
    apiTokens.removeAllOf(userId);
    removeLinks.run({ userId });
    administration.endReset(userId);
    const { subject, fullName, avatarUrl } = person;
    const user = users.get(userId);
    const searchKey = user ? userSearchKey(user.email, { ...user, fullName }) : '';
    handOver.run({ userId, provider, subject, fullName, searchKey, avatarUrl, now });
  }

  function joinExisting(user: User, provider: string, person: Person, now: string): JoinOutcome {
    const isOwner = person.emailVerified && isSameMailbox(user.email, person.email);
    if (!isOwner || user.is_admin) return { outcome: 'account_exists' };
    if (!user.is_active) return { outcome: 'account_disabled' };
    if (!user.email_verified) takeOver(user.id, provider, person, now);
    return { outcome: 'user', userId: user.id };
  }

  return (provider, issuer, claims, now, invitation) => {
    const person = personOf(claims);
    const known = find.get({ issuer, subject: person.subject });
    if (known?.is_active === 0) return { outcome: 'account_disabled' };
    if (known) return { outcome: 'user', userId: known.id };
    if (person.email === undefined) return { outcome: 'email_required' };
    const existing = users.findByEmail(person.email)?.user;
    const joined = existing
      ? joinExisting(existing, provider, person, now)
      : createAccount(options, person.email, { provider, person, now, invitation });
    if (joined.outcome === 'user')
      insert.run({ issuer, subject: person.subject, userId: joined.userId, now });
    return joined;
  };
}

/** Makes the account of a new person: by invitation, where there is one or one is needed. */
function createAccount(
  { users, invitations, registration }: JoinOptions,
  email: string,
  { provider, person, now, invitation: secret }: Arrival,
): JoinOutcome {
  const invitation = secret === undefined ? undefined : invitations.find(secret, new Date(now));
  const isOpen = registration === 'open' && secret === undefined;
  const isInvited = registration !== 'closed' && invitation !== undefined && isFor(invitation, email);
  if (!isOpen && !isInvited) return { outcome: 'registration_closed' };
  const { subject: providerId, ...own } = person;
  const username = users.freeUsername(person.username);
  const account = { ...own, email, username, provider, providerId, passwordHash: null, isAdmin: false };
  const { id: userId } = users.create(account, now);
  if (invitation) invitations.use(invitation, userId, new Date(now));
  return { outcome: 'user', userId };
}

/**
 * Whether two addresses are one mailbox for certain. Accounts are distinguished more coarsely, without case and variants of
 * letters, but the owner of a mailbox with a Kelvin sign in its name does not own the one with a k.
 */
function isSameMailbox(email: string, other: string | undefined): boolean {
  return asciiLowerCase(email) === asciiLowerCase(other ?? '');
}

function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

type Person = ReturnType<typeof personOf>;

/** A person who has no account yet, and how the sign-in was started. */
interface Arrival {
  readonly provider: string;
  readonly person: Person;
  readonly now: string;
  readonly invitation: string | undefined;
}

function personOf(claims: Claims) {
  const email = emailOf(claims.get('email'));
  const [localPart = ''] = (email ?? '').split('@');
  return {
    subject: String(claims.get('sub')),
    email,
    // The boolean alone: the string "true" is what a user may have been able to type somewhere.
    emailVerified: claims.get('email_verified') === true,
    username:
      usernameOf(claims.get('preferred_username')) ??
      usernameOf(claims.get('nickname')) ??
      usernameOf(localPart) ??
      'user',
    fullName: text(claims.get('name'), 255, sanitiseName),
    avatarUrl: avatar(claims.get('picture')),
  };
}

/** The email exactly as it came: cut, trimmed or cleaned it would be another address, which someone else may own. */
function emailOf(claim: unknown): string | undefined {
  return typeof claim === 'string' && isEmail(claim) ? claim : undefined;
}

/** A username as one may be chosen here; a person who signs in elsewhere cannot be asked for another one. */
function usernameOf(claim: unknown): string | null {
  return text(claim, USERNAME_MAX, cleanUsername);
}

/** Sanitised text, cut to `max` characters; null when there is none, and when it is far too long to be cleaned. */
function text(claim: unknown, max: number, clean: (text: string) => string = sanitise): string | null {
  if (typeof claim !== 'string' || claim.length > MAX_UNCLEANED) return null;
  const cut = firstCharacters(clean(claim.toWellFormed()).trim(), max).trim();
  return cut === '' ? null : cut;
}

/** Stored, never fetched. */
function avatar(claim: unknown): string | null {
  const url = text(claim, 2000);
  return url !== null && /^https?:\/\/[^\s]+$/i.test(url) ? url : null;
}
