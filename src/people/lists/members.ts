import type { QueryFile } from '../../storage/statements.ts';
import type { ListRecord } from './record.ts';

interface Member {
  readonly author_id: number;
  readonly author_name: string;
  readonly joined_at: string;
}

/** Without the owner. */
export const MOST_MEMBERS = 50;
/** The most lists of others that a user is a member of. */
export const MOST_JOINED = 200;

/** The people of lists. Writes must run in a transaction. */
export class Members {
  readonly #sql;

  /** `sql` is members.sql. */
  constructor(sql: QueryFile) {
    this.#sql = {
      ofList: sql.prepare<Member>('listMembers'),
      countJoined: sql.prepare<number>('countJoined').pluck(),
      insert: sql.prepare('insertMember'),
      delete: sql.prepare('deleteMember'),
      deleteJoinLinks: sql.prepare('deleteJoinLinks'),
    };
  }

  /** The people of a list, its owner first; empty if it was never joined. */
  ofList({ id: listId, author_id: ownerId }: ListRecord): readonly Member[] {
    return this.#sql.ofList.all({ listId, ownerId });
  }

  /** The number of lists of others that a user is a member of. */
  countJoined(userId: number): number {
    return this.#sql.countJoined.get({ userId }) ?? 0;
  }

  /** Adds a member to a list that has an owner. False if it has too many. */
  add({ id: listId, author_id: ownerId, ...list }: ListRecord, userId: number, joinedAt: string): boolean {
    if (list.people > MOST_MEMBERS) return false;
    if (list.people === 0) this.#sql.insert.run({ listId, userId: ownerId, joinedAt: list.created_at });
    this.#sql.insert.run({ listId, userId, joinedAt });
    return true;
  }

  /** False if there is no such member. */
  remove(listId: number, userId: number): boolean {
    return this.#sql.delete.run({ listId, userId }).changes > 0;
  }

  /** Removes the links that let people join, of which a removed member may have one. */
  endJoining(listId: number): void {
    this.#sql.deleteJoinLinks.run({ listId });
  }
}
