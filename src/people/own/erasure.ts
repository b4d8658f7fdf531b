import { MINUTE_MS } from '../../kit/time.ts';
import { Answers } from '../../storage/answers.ts';
import { BackgroundWork } from '../../storage/background.ts';
import type { EntityKind } from '../../storage/change-log.ts';
import type { Storage } from '../../storage/storage.ts';
import type { AccountParts } from '../accounts/sign-in.ts';
import { nameKey } from '../accounts/users.ts';
import { createScrubber } from './scrub.ts';

/** Removes entities permanently, along with their data in the change log. Writes must run in a transaction. */
export interface Removals {
  /** Deletes an entity and forgets it. */
  readonly remove: (kind: EntityKind, id: number) => void;
  /** Forgets the entity of a deletion, by the id of that change. */
  readonly forgetDeletion: (changeId: number) => void;
  readonly purges: {
    /** Forgets a rating or photo that was deleted only as part of its restaurant. */
    readonly forget: (kind: 'rating' | 'photo', id: number) => void;
    /** Whether `goOn` has work left. */
    readonly isPending: () => boolean;
    readonly goOn: () => void;
  };
  /** Called after an erasure, when files can be removed, and the write-ahead log emptied, which still has erased data. */
  readonly removed: () => void;
}

/** A list that passes to one of its members. */
interface Heir {
  readonly listId: number;
  readonly heirId: number;
}

interface ErasureRow {
  readonly user_id: number;
  readonly contributions: 'keep' | 'delete';
  readonly change_id: number;
  readonly has_account: 0 | 1;
}

/** Something that a user wrote; `is_there` is 0 if its restaurant is deleted. */
interface Contribution {
  readonly kind: EntityKind;
  readonly id: number;
  readonly is_there: 0 | 1;
}

// A removal takes up to a millisecond.
const REMOVED_AT_ONCE = 10;
// A row may have 64 KB.
const VISITS_AT_ONCE = 20;
const ITEMS_AT_ONCE = 500;
// With up to 50 voters each.
const OUTINGS_AT_ONCE = 20;
// A rating or suggestion may have 20 KB.
const RELEASED_AT_ONCE = 50;

/**
 * Deletes accounts and their private data (GDPR, article 17). The first transaction ends all access and records the erasure;
 * the rest follows in slices, so that a long log does not block other writes, and resumes after a crash.
 */
export class Erasures {
  readonly #storage: Storage;
  readonly #removals: Removals;
  readonly #users: AccountParts['users'];
  readonly #answers: Answers;
  readonly #scrub;
  readonly #background: BackgroundWork;
  readonly #sql;
  #isRunning = false;

  constructor(
    storage: Storage,
    removals: Removals,
    users: AccountParts['users'],
    report: (message: string, fields: Readonly<Record<string, string>>) => void,
  ) {
    const sql = storage.queries.file('people');
    this.#storage = storage;
    this.#removals = removals;
    this.#users = users;
    this.#answers = new Answers(storage.queries.file('idempotency'));
    this.#scrub = createScrubber(sql, this.#answers);
    this.#background = new BackgroundWork({
      transactions: storage.transactions,
      next: () => this.#next(),
      retryMs: MINUTE_MS,
      failed: (fields) => {
        report('erasing an account failed', fields);
      },
    });
    this.#sql = {
      insert: sql.prepare('insertErasure'),
      next: sql.prepare<ErasureRow>('nextErasure'),
      setErasedUpTo: sql.prepare('setErasedUpTo'),
      delete: sql.prepare('deleteErasure'),
      contributions: sql.prepare<Contribution>('listContributions'),
      trash: sql.prepare<number>('listTrash').pluck(),
      deleteInTrash: { rating: sql.prepare('deleteRatingInTrash'), photo: sql.prepare('deletePhotoInTrash') },
      release: [
        sql.prepare('releaseRatings'),
        sql.prepare('releasePhotos'),
        sql.prepare('releaseSuggestions'),
      ],
      nextHeir: sql.prepare<Heir>('nextHeir'),
      passItems: sql.prepare('passSomeItems'),
      passList: sql.prepare('passList'),
      ownChanges: sql.prepare('ownSomeChanges'),
      releaseItems: sql.prepare('releaseSomeItems'),
      deleteVisits: sql.prepare('deleteSomeVisits'),
      deleteItems: sql.prepare('deleteSomeItems'),
      deleteOutings: sql.prepare('deleteSomeOutings'),
      deleteBallots: sql.prepare('deleteSomeBallots'),
      deleteAnswers: sql.prepare('deleteSomeAnswers'),
      deleteFloor: sql.prepare('deleteFloor'),
      addressedInvitations: sql.prepare<{ id: number; email: string }>('listAddressedInvitations'),
      emailKey: sql.prepare<string>('emailKeyOf').pluck(),
      deleteInvitation: sql.prepare('deleteInvitation'),
      account: [
        sql.prepare('deleteUsedInvitation'),
        sql.prepare('clearInvitationNotes'),
        sql.prepare('clearBatches'),
        sql.prepare('deleteUser'),
        sql.prepare('deleteDeletedLists'),
      ],
    };
  }

  /**
   * Ends all access of the user at once, and resolves when nothing of the account is left. With `delete` ratings, photos and
   * suggestions are removed as well, past the trash; otherwise they stay without an author. False for the last administrator,
   * who stays. `recheck` is called first in the transaction that ends the access, and may throw.
   */
  async erase(userId: number, contributions: 'keep' | 'delete', recheck?: () => void): Promise<boolean> {
    const { transactions } = this.#storage;
    const isBegun = await transactions.write(() => {
      recheck?.();
      if (this.#users.setActive(userId, false, new Date().toISOString()) === undefined) return false;
      this.#users.secrets.end('deletion', userId);
      this.#sql.insert.run({ userId, contributions });
      return true;
    });
    if (!isBegun) return false;
    try {
      for (let slice = this.#next(); slice; slice = this.#next()) await transactions.write(slice);
    } catch (error) {
      this.#background.wake();
      throw error;
    }
    return true;
  }

  /** Resumes in the background after a crash or a full disk. */
  start(): void {
    this.#background.wake();
  }

  stop(): void {
    this.#background.stop();
  }

  /** The next slice of the pending erasures. */
  #next(): (() => void) | undefined {
    const row = this.#sql.next.get();
    if (!row && this.#isRunning) this.#removals.removed();
    this.#isRunning = row !== undefined;
    if (!row) return undefined;
    return () => {
      this.#eraseSlice(row);
    };
  }

  /** Contributions first, also those in the trash, then lists, visits and outings, then the account, then the log. */
  #eraseSlice({ user_id: userId, contributions, change_id: after, has_account }: ErasureRow): void {
    const { purges } = this.#removals;
    if (purges.isPending()) {
      purges.goOn();
      return;
    }
    if (contributions === 'delete' && has_account === 1 && this.#removeContributions(userId)) return;
    if (this.#removeSome(userId)) return;
    if (has_account === 1) {
      this.#removeAccount(userId);
      return;
    }
    const upTo = this.#scrub(userId, after);
    if (upTo !== undefined) this.#sql.setErasedUpTo.run({ userId, changeId: upTo });
    else {
      // Even if no change was the user's, the write-ahead log still holds the account.
      this.#answers.forget([]);
      this.#sql.deleteFloor.run({ userId });
      this.#sql.delete.run({ userId });
    }
  }

  /** Returns whether there was something to remove. */
  #removeContributions(userId: number): boolean {
    const own = this.#sql.contributions.all({ userId, limit: REMOVED_AT_ONCE });
    for (const { kind, id, is_there } of own)
      // Deleted with its restaurant, so the log has no separate change for it.
      if (is_there === 0 && (kind === 'rating' || kind === 'photo')) {
        this.#sql.deleteInTrash[kind].run({ id });
        this.#removals.purges.forget(kind, id);
      } else this.#removals.remove(kind, id);
    // If one is restored meanwhile, a later slice finds it before the account is removed.
    const inTrash = own.length > 0 ? [] : this.#sql.trash.all({ userId, limit: REMOVED_AT_ONCE });
    for (const changeId of inTrash) this.#removals.forgetDeletion(changeId);
    return own.length + inTrash.length > 0;
  }

  /** Returns whether there was something to remove. */
  #removeSome(userId: number): boolean {
    const sql = this.#sql;
    return (
      sql.release.some((some) => some.run({ userId, limit: RELEASED_AT_ONCE }).changes > 0) ||
      this.#passLists(userId) ||
      sql.ownChanges.run({ userId, limit: ITEMS_AT_ONCE }).changes > 0 ||
      sql.releaseItems.run({ userId, limit: ITEMS_AT_ONCE }).changes > 0 ||
      sql.deleteVisits.run({ userId, limit: VISITS_AT_ONCE }).changes > 0 ||
      sql.deleteItems.run({ userId, limit: ITEMS_AT_ONCE }).changes > 0 ||
      sql.deleteOutings.run({ userId, limit: OUTINGS_AT_ONCE }).changes > 0 ||
      sql.deleteBallots.run({ userId, limit: ITEMS_AT_ONCE }).changes > 0 ||
      sql.deleteAnswers.run({ userId }).changes > 0
    );
  }

  /** Passes a list with members to the active one who joined first, or else to the first. Returns whether there was one. */
  #passLists(userId: number): boolean {
    const sql = this.#sql;
    const heir = sql.nextHeir.get({ userId });
    if (!heir) return false;
    // The list itself last, so that a list and its items agree on their owner at the end.
    if (sql.passItems.run({ ...heir, limit: ITEMS_AT_ONCE }).changes > 0) return true;
    sql.passList.run({ ...heir });
    return true;
  }

  /** Also removes the invitations that were sent to the user's address, used or not. */
  #removeAccount(userId: number): void {
    const key = this.#sql.emailKey.get({ userId });
    for (const { id, email } of this.#sql.addressedInvitations.all())
      if (nameKey(email) === key) this.#sql.deleteInvitation.run({ id });
    for (const statement of this.#sql.account) statement.run({ userId });
  }
}
