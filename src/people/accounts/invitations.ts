import { type QueryFile, assemble } from '../../storage/statements.ts';
import { hashSecret, newSecret } from './tokens.ts';
import { nameKey } from './users.ts';
import { DAY_MS } from '../../kit/time.ts';

/** The beginning of every invitation, so that people know one when they see it. */
const PREFIX = 'inv_';

/** An invitation to make an account, valid once. Its secret is part of the link, which is returned once. */
export interface Invitation {
  readonly id: number;
  /** The one address that may register with it; null for any. */
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

/** A new invitation, checked. */
export interface NewInvitation {
  readonly email: string | null;
  readonly note: string | null;
  readonly days: number;
}

/** An invitation that can be used. */
export interface OpenInvitation {
  readonly id: number;
  readonly email: string | null;
  readonly expires_at: string;
}

/** Invitations in the database. Writes must run inside a transaction. */
export interface InvitationStore {
  readonly create: (input: NewInvitation, userId: number, now: Date) => Invitation;
  readonly get: (id: number) => Invitation | undefined;
  /** Newest first, those behind `after`; nothing may be written until the last one was taken. */
  readonly list: (after: Invitation | undefined, limit: number, offset: number) => Iterable<Invitation>;
  /** False when there is none. */
  readonly remove: (id: number) => boolean;
  /** Undefined for one that is unknown, used or expired. */
  readonly find: (secret: string, now: Date) => OpenInvitation | undefined;
  readonly use: (invitation: OpenInvitation, userId: number, now: Date) => void;
}

interface Row extends Omit<Invitation, 'url' | 'created_by' | 'used_by'> {
  readonly created_by: number | null;
  readonly creator: string | null;
  readonly used_by: number | null;
  readonly guest: string | null;
}

/** Opens the store on accounts.sql. */
export function createInvitationStore(sql: QueryFile): InvitationStore {
  const insert = sql.prepare<{ id: number }>('insertInvitation');
  const getOne = assemble<Row>(sql, 'selectInvitation', 'whereInvitation');
  const list = assemble<Row>(sql, 'selectInvitation', 'orderInvitations');
  const find = sql.prepare<OpenInvitation>('findOpenInvitation');
  const use = sql.prepare('useInvitation');
  const remove = sql.prepare('deleteInvitation');
  const get = (id: number): Invitation | undefined => {
    const row = getOne.get({ id });
    return row && invitationOf(row);
  };
  return {
    create: ({ email, note, days }, userId, now) => {
      const secret = PREFIX + newSecret();
      const expiresAt = new Date(now.getTime() + days * DAY_MS).toISOString();
      const values = {
        secretHash: hashSecret(secret),
        email,
        note,
        userId,
        now: now.toISOString(),
        expiresAt,
      };
      const made = get(insert.get(values)?.id ?? 0);
      if (!made) throw new Error('an insert returned no row');
      return { ...made, url: `/join#${secret}` };
    },
    get,
    list: function* (after, limit, offset) {
      const before = after?.id ?? Number.MAX_SAFE_INTEGER;
      for (const row of list.iterate({ before, limit, offset })) yield invitationOf(row);
    },
    remove: (id) => remove.run({ id }).changes > 0,
    find: (secret, now) => find.get({ secretHash: hashSecret(secret), now: now.toISOString() }),
    use: ({ id }, userId, now) => void use.run({ id, userId, now: now.toISOString() }),
  };
}

/** Whether an invitation is for this address: any, or its own without case. */
export function isFor({ email }: OpenInvitation, address: string): boolean {
  return email === null || nameKey(email) === nameKey(address);
}

function invitationOf({ creator, guest, created_by, used_by, ...row }: Row): Invitation {
  const { id, email, note, created_at, expires_at, used_at } = row;
  const own = { id, email, note, url: null, created_at };
  return {
    ...own,
    created_by: named(created_by, creator),
    expires_at,
    used_at,
    used_by: named(used_by, guest),
  };
}

function named(id: number | null, username: string | null): Named | null {
  return id === null || username === null ? null : { id, username };
}
