import type { QueryFile } from '../../storage/statements.ts';
import { hashSecret, newSecret } from '../accounts/tokens.ts';
import type { NewLink } from './input.ts';
import type { ListRecord } from './record.ts';

/** A link as its list has it; its address is known only when it is made. */
export interface LinkRecord extends Pick<NewLink, 'access'> {
  readonly id: number;
  readonly list_id: number;
  readonly notes: 0 | 1;
  readonly created_at: string;
  readonly expires_at: string | null;
}

const MOST_LINKS = 20;
export const TOO_MANY_LINKS = `At most ${MOST_LINKS} links`;
/** Without the owner. */
export const MOST_MEMBERS = 50;

interface Member {
  readonly id: number;
  readonly username: string;
  readonly joined_at: string;
}

/** The people that lists are shared with: those who joined, and those who have a link. Writes must run in a transaction. */
export class LinkStore {
  readonly #sql;

  /** `sql` is links.sql. */
  constructor(sql: QueryFile) {
    this.#sql = {
      members: sql.prepare<Member>('listMembers'),
      insertMember: sql.prepare('insertMember'),
      deleteMember: sql.prepare('deleteMember'),
      ofList: sql.prepare<LinkRecord>('selectLink', 'whereLinkOfList'),
      open: sql.prepare<LinkRecord>('selectLink', 'whereOpen'),
      insert: sql.prepare<LinkRecord>('insertLink'),
      count: sql.prepare<number>('countLinks').pluck(),
      delete: sql.prepare('deleteLink'),
      deleteJoinLinks: sql.prepare('deleteJoinLinks'),
    };
  }

  /** The people of a list, its owner first; empty if it was never joined. */
  members({ id: listId, author_id: ownerId }: ListRecord): readonly Member[] {
    return this.#sql.members.all({ listId, ownerId });
  }

  /** Adds a member to a list that has an owner. False if it has too many. */
  join({ id: listId, author_id: ownerId, ...list }: ListRecord, userId: number, joinedAt: string): boolean {
    if (list.people > MOST_MEMBERS) return false;
    if (list.people === 0) this.#sql.insertMember.run({ listId, userId: ownerId, joinedAt: list.created_at });
    this.#sql.insertMember.run({ listId, userId, joinedAt });
    return true;
  }

  /** False if there is no such member. */
  removeMember(listId: number, userId: number): boolean {
    return this.#sql.deleteMember.run({ listId, userId }).changes > 0;
  }

  /** The links of a list, the oldest first; expired ones too. */
  ofList(listId: number): readonly LinkRecord[] {
    return this.#sql.ofList.all({ listId });
  }

  /** A new link and its secret; undefined if the list has too many. */
  create(
    listId: number,
    { access, notes, expiresAt }: NewLink,
    now: string,
  ): { readonly link: LinkRecord; readonly secret: string } | undefined {
    if ((this.#sql.count.get({ listId }) ?? 0) >= MOST_LINKS) return undefined;
    const secret = newSecret();
    const hash = hashSecret(secret);
    const link = this.#sql.insert.get({ listId, access, notes: notes ? 1 : 0, hash, now, expiresAt });
    if (!link) throw new Error('an insert returned no row');
    return { link, secret };
  }

  /** False if the list has no such link. */
  remove(listId: number, id: number): boolean {
    return this.#sql.delete.run({ listId, id }).changes > 0;
  }

  endJoining(listId: number): void {
    this.#sql.deleteJoinLinks.run({ listId });
  }

  /** Undefined for a secret that is unknown or expired, and while the list or its owner's account is out of use. */
  find(secret: string, now: Date): LinkRecord | undefined {
    return this.#sql.open.get({ hash: hashSecret(secret), now: now.toISOString() });
  }
}

/** The Link of swagger.yaml. */
export function linkJson({ id, access, notes, created_at, expires_at }: LinkRecord): object {
  return { id, access, notes: notes === 1, created_at, expires_at };
}
