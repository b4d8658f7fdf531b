import type { QueryFile } from '../../storage/statements.ts';
import { hashSecret, newSecret } from './tokens.ts';
import { nameKey } from './users.ts';
import { DAY_MS } from '../../kit/time.ts';

/** Starts every invitation, so that people recognise it. */
const PREFIX = 'inv_';

/** An invitation to create one account. Its secret is part of the link, which is returned only on creation. */
export interface Invitation {
  readonly id: number;
  /** The only address that may use it; null for any. */
  readonly email: string | null;
  readonly note: string | null;
  readonly url: string | null;
  readonly created_at: string;
  readonly created_by: Named | null;
  readonly expires_at: string;
  readonly used_at: string | null;
  readonly used_by: Named | null;
}

interface Named {
  readonly id: number;
  readonly username: string;
}

/** An invitation that is neither used nor expired. */
export interface OpenInvitation extends Pick<Invitation, 'id' | 'email' | 'expires_at'> {
  /** The name of its creator; null where that is not known any more. */
  readonly invited_by: string | null;
}

interface Row extends Omit<Invitation, 'url' | 'created_by' | 'used_by'> {
  readonly created_by: number | null;
  readonly creator: string | null;
  readonly used_by: number | null;
  readonly guest: string | null;
}

/** Invitations in the database. Writes must run inside a transaction. */
export class InvitationStore {
  readonly #sql;

  constructor(sql: QueryFile) {
    this.#sql = {
      insert: sql.prepare<number>('insertInvitation').pluck(),
      get: sql.prepare<Row>('selectInvitation', 'whereInvitation'),
      list: sql.prepare<Row>('selectInvitation', 'orderInvitations'),
      find: sql.prepare<OpenInvitation>('findOpenInvitation'),
      use: sql.prepare('useInvitation'),
      delete: sql.prepare('deleteInvitation'),
    };
  }

  create(
    { email, note, days }: Pick<Invitation, 'email' | 'note'> & { readonly days: number },
    userId: number,
    date: Date,
  ): Invitation {
    const secret = PREFIX + newSecret();
    const [secretHash, now] = [hashSecret(secret), date.toISOString()];
    const expiresAt = new Date(date.getTime() + days * DAY_MS).toISOString();
    const id = this.#sql.insert.get({ secretHash, email, note, userId, now, expiresAt });
    const made = this.get(id ?? 0);
    if (!made) throw new Error('an insert returned no row');
    return { ...made, url: `/join#${secret}` };
  }

  get(id: number): Invitation | undefined {
    const row = this.#sql.get.get({ id });
    return row && invitationOf(row);
  }

  /** Invitations after `after`, newest first. Do not write to the database while iterating. */
  *list(after: Invitation | undefined, limit: number, offset: number): Generator<Invitation> {
    const before = after?.id ?? Number.MAX_SAFE_INTEGER;
    for (const row of this.#sql.list.iterate({ before, limit, offset })) yield invitationOf(row);
  }

  /** False if there is no such invitation. */
  remove(id: number): boolean {
    return this.#sql.delete.run({ id }).changes > 0;
  }

  /** Undefined if the invitation is unknown, used or expired. */
  find(secret: string, now: Date): OpenInvitation | undefined {
    return this.#sql.find.get({ secretHash: hashSecret(secret), now: now.toISOString() });
  }

  use({ id }: OpenInvitation, userId: number, now: Date): void {
    this.#sql.use.run({ id, userId, now: now.toISOString() });
  }
}

/** Whether an address may use the invitation; case does not matter. */
export function isFor({ email }: OpenInvitation, address: string): boolean {
  return email === null || nameKey(email) === nameKey(address);
}

function invitationOf({ creator, guest, created_by, used_by, ...row }: Row): Invitation {
  const { id, email, note, created_at, expires_at, used_at } = row;
  const [by, user] = [named(created_by, creator), named(used_by, guest)];
  return { id, email, note, url: null, created_at, created_by: by, expires_at, used_at, used_by: user };
}

function named(id: number | null, username: string | null): Named | null {
  return id === null || username === null ? null : { id, username };
}
