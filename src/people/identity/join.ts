import { isEmail } from '../accounts/input.ts';
import { isFor } from '../accounts/invitations.ts';
import type { AccountParts } from '../accounts/sign-in.ts';
import { USERNAME_MAX, cleanUsername } from '../accounts/usernames.ts';
import type { User } from '../accounts/users.ts';
import { MAX_UNCLEANED, cutText } from '../../kit/input/fields.ts';
import { sanitiseName } from '../../kit/input/sanitise.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { UserClaims } from './provider.ts';

/** Why a person signed in by a provider is refused an account. */
export type JoinRefusal = 'account_exists' | 'account_disabled' | 'email_required' | 'registration_closed';

/** Finds or creates the account of a person signed in by a provider: by issuer and subject, or by verified email. */
export class Identities {
  readonly #parts: AccountParts;
  readonly #sql;

  constructor(sql: QueryFile, parts: AccountParts) {
    this.#parts = parts;
    this.#sql = {
      find: sql.prepare<{ id: number; is_active: 0 | 1 }>('findUser'),
      insert: sql.prepare('insert'),
      handOver: [
        sql.prepare('handOverUser'),
        sql.prepare('cancelOutings'),
        sql.prepare('leaveOutings'),
        // Repeated requests of the new owner must not get the answers of the former one.
        sql.prepare('forgetAnswers'),
        sql.prepare('forgetAddresses'),
      ],
    };
  }

  /**
   * The id of the account of a person, or why there is none. `provider` is stored as the origin of a new account;
   * `invitation` is the one that the sign-in started with. Must run inside a transaction.
   */
  join(
    provider: string,
    issuer: string,
    claims: UserClaims,
    invitation: string | null,
  ): number | JoinRefusal {
    const now = new Date().toISOString();
    const person = personOf(claims);
    const known = this.#sql.find.get({ issuer, subject: person.subject });
    if (known) return known.is_active === 1 ? known.id : 'account_disabled';
    if (person.email === undefined) return 'email_required';
    const existing = this.#parts.users.findByEmail(person.email)?.user;
    const joined = existing
      ? this.#joinExisting(existing, provider, person, now)
      : this.#createAccount(person, person.email, provider, invitation, now);
    if (typeof joined === 'number')
      this.#sql.insert.run({ issuer, subject: person.subject, userId: joined, now });
    return joined;
  }

  #joinExisting(user: User, provider: string, person: Person, now: string): number | JoinRefusal {
    const isOwner = person.emailVerified && isSameMailbox(user.email, person.email);
    if (!isOwner || user.is_admin) return 'account_exists';
    if (!user.is_active) return 'account_disabled';
    if (!user.email_verified) this.#takeOver(user.id, provider, person, now);
    return user.id;
  }

  /**
   * Ends everything by which the person who registered with an email they never verified could read or do anything, and
   * everything that they shared.
   */
  #takeOver(userId: number, provider: string, person: Person, now: string): void {
    const { users } = this.#parts;
    const { subject, fullName, avatarUrl } = person;
    users.secrets.end('takeOver', userId);
    users.setProfile(userId, { username: users.freeUsername(person.username, userId), fullName }, now);
    for (const statement of this.#sql.handOver) statement.run({ userId, provider, subject, avatarUrl, now });
  }

  /** Creates an account, using an invitation if there is one or one is required. */
  #createAccount(
    person: Person,
    email: string,
    provider: string,
    secret: string | null,
    now: string,
  ): number | JoinRefusal {
    const { users, invitations, registration } = this.#parts;
    const invitation = secret === null ? undefined : invitations.find(secret, new Date(now));
    const isOpen = registration === 'open' && secret === null;
    const isInvited = registration !== 'closed' && invitation !== undefined && isFor(invitation, email);
    if (!isOpen && !isInvited) return 'registration_closed';
    const { subject: providerId, ...own } = person;
    const username = users.freeUsername(person.username);
    const account = { ...own, email, username, provider, providerId, passwordHash: null, isAdmin: false };
    const { id } = users.create(account, now);
    if (invitation) invitations.use(invitation, id, new Date(now));
    return id;
  }
}

/**
 * Whether two addresses are certainly one mailbox. The key of accounts also unifies Unicode variants of letters, but the
 * owner of a mailbox with a Kelvin sign in its name does not own the one with a k.
 */
function isSameMailbox(email: string, other: string | undefined): boolean {
  return asciiLowerCase(email) === asciiLowerCase(other ?? '');
}

function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

type Person = ReturnType<typeof personOf>;

function personOf(claims: UserClaims) {
  const email = emailOf(claims.get('email'));
  const [localPart = ''] = (email ?? '').split('@');
  return {
    subject: String(claims.get('sub')),
    email,
    // Accept only the boolean: a user may have managed to enter the string "true".
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

/** The unchanged email: a cut, trimmed or cleaned one could be the address of another person. */
function emailOf(claim: unknown): string | undefined {
  return typeof claim === 'string' && isEmail(claim) ? claim : undefined;
}

/** A valid username: a person who signs in at a provider cannot be asked for another one. */
function usernameOf(claim: unknown): string | null {
  return text(claim, USERNAME_MAX, cleanUsername);
}

/** Sanitised text, cut to `max` characters; null if it is empty or too long to sanitise. */
function text(claim: unknown, max: number, clean?: (text: string) => string): string | null {
  return typeof claim === 'string' && claim.length <= MAX_UNCLEANED ? cutText(claim, max, clean) : null;
}

/** Stored, never fetched. */
function avatar(claim: unknown): string | null {
  const url = text(claim, 2000);
  return url !== null && /^https?:\/\/[^\s]+$/i.test(url) ? url : null;
}
