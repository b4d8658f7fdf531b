import type { Administration } from '../accounts/administration.ts';
import type { ApiTokenStore } from '../accounts/api-tokens.ts';
import { nameKey } from '../accounts/users.ts';
import type { Purges } from '../../history/purge.ts';
import type { ChangeStore } from '../../history/store.ts';
import type { Answers } from '../../storage/answers.ts';
import { type BackgroundWork, createBackgroundWork } from '../../storage/background.ts';
import type { ChangeLog, Kind, Write, Writer } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { Transactions } from '../../storage/transaction.ts';
import { createLogScrubber } from './scrub.ts';

/** Deletes accounts, and all that is their users' alone (GDPR, article 17). */
export interface Erasures {
  /**
   * Ends all access of the user at once, and resolves when nothing of the account is left. With `delete` ratings, photos and
   * suggestions go as well, past the trash; otherwise they stay without an author. False for the last administrator, who stays.
   * `recheck` is called first in the transaction that ends the access, and may throw.
   */
  readonly erase: (
    userId: number,
    contributions: 'keep' | 'delete',
    recheck?: () => void,
  ) => Promise<boolean>;
  /** Completes in the background what a crash or a full disk has cut short. */
  readonly start: () => void;
  readonly stop: () => void;
}

export interface ErasureOptions {
  /** people.sql */
  readonly sql: QueryFile;
  readonly administration: Pick<Administration, 'setActive'>;
  readonly apiTokens: Pick<ApiTokenStore, 'removeAllOf'>;
  readonly begin: ChangeLog['begin'];
  readonly changes: Pick<ChangeStore, 'deletionOf' | 'get'>;
  readonly purges: Purges;
  readonly answers: Pick<Answers, 'clearAll' | 'clearSome'>;
  /** Removes an entity; it is in the trash then. */
  readonly remove: (kind: Kind, id: number, write: Write) => unknown;
  readonly transactions: Pick<Transactions, 'write'>;
  readonly via: Writer['via'];
  /** Called when an erasure is complete: files are due, and old text has to leave the write-ahead log. */
  readonly erased: () => void;
  readonly report: (message: string, fields: Readonly<Record<string, string>>) => void;
}

interface ErasureRow {
  readonly user_id: number;
  readonly contributions: 'keep' | 'delete';
  readonly change_id: number;
  readonly has_account: 0 | 1;
}

/** Something that a user has written; `is_there` is 0 where its restaurant is deleted. */
interface Contribution {
  readonly kind: Kind;
  readonly id: number;
  readonly is_there: 0 | 1;
}

// A removal with its purge takes up to a millisecond.
const REMOVED_AT_ONCE = 10;
// Their rows may have 64 KB.
const VISITS_AT_ONCE = 20;
const ITEMS_AT_ONCE = 500;
// Those of ratings and suggestions 20 KB.
const RELEASED_AT_ONCE = 50;
const RETRY_MS = 60_000;
// In place of the last change that was cleared: nothing of the log is left to be cleared.
const WHOLE_LOG = Number.MAX_SAFE_INTEGER;

/**
 * Opens the erasures. The first transaction ends the access and notes that the user has to be erased; the rest follows in
 * slices, so that a long log holds up no one, and goes on after a crash.
 */
export function createErasures(options: ErasureOptions): Erasures {
  const { sql, transactions, administration, apiTokens, report, erased } = options;
  const insert = sql.prepare('insertErasure');
  const nextErasure = sql.prepare<ErasureRow>('nextErasure');
  const slice = createSlicer(options);
  let isRunning = false;

  function next(): (() => void) | undefined {
    const row = nextErasure.get();
    if (!row && isRunning) erased();
    isRunning = row !== undefined;
    return (
      row &&
      (() => {
        slice(row);
      })
    );
  }

  const rest: BackgroundWork = createBackgroundWork({
    ...{ transactions, next, retryMs: RETRY_MS },
    failed: (fields) => {
      report('erasing an account failed', fields);
    },
  });

  async function complete(): Promise<void> {
    try {
      for (let work = next(); work; work = next()) await transactions.write(work);
    } catch (error) {
      rest.wake();
      throw error;
    }
  }

  return {
    erase: async (userId, contributions, recheck) => {
      const isBegun = await transactions.write(() => {
        recheck?.();
        if (!administration.setActive(userId, false, new Date())) return false;
        apiTokens.removeAllOf(userId);
        insert.run({ userId, contributions });
        return true;
      });
      if (isBegun) await complete();
      return isBegun;
    },
    start: rest.wake,
    stop: rest.stop,
  };
}

/**
 * Makes a function that does a part of what is left of an erasure: contributions first, those in the trash
 * too, then lists and visits, then the account, then the log.
 */
function createSlicer(options: ErasureOptions): (erasure: ErasureRow) => void {
  const { sql, begin, changes, purges, answers, remove, via } = options;
  const list = sql.prepare<Contribution>('listContributions');
  const listTrash = sql.prepare<number>('listTrash').pluck();
  const [deleteRating, deletePhoto] = [sql.prepare('deleteRatingInTrash'), sql.prepare('deletePhotoInTrash')];
  const releases = [
    sql.prepare('releaseRatings'),
    sql.prepare('releasePhotos'),
    sql.prepare('releaseSuggestions'),
  ];
  const setErasedUpTo = sql.prepare('setErasedUpTo');
  const deleteErasure = sql.prepare('deleteErasure');
  const [visits, items] = [sql.prepare('deleteSomeVisits'), sql.prepare('deleteSomeItems')];
  const removeAnswers = sql.prepare('deleteSomeAnswers');
  const deleteFloor = sql.prepare('deleteFloor');
  const deleteInvitations = createInvitationRemoval(sql);
  const account = [
    sql.prepare('deleteUsedInvitation'),
    sql.prepare('clearInvitationNotes'),
    sql.prepare('clearBatches'),
    sql.prepare('deleteUser'),
    sql.prepare('deleteDeletedLists'),
  ];
  const scrubber = createLogScrubber(sql);

  function purgeDeletion(changeId: number | undefined): void {
    const deletion = changes.get(changeId ?? 0);
    if (deletion) purges.purge(deletion, { at: new Date().toISOString(), userId: null });
  }

  function removeForGood({ kind, id, is_there }: Contribution): void {
    // What went with its restaurant has no change of its own.
    if (is_there === 0 && (kind === 'rating' || kind === 'photo')) {
      (kind === 'rating' ? deleteRating : deletePhoto).run({ id });
      purges.forget(kind, id);
    } else {
      remove(kind, id, begin({ userId: null, token: null, via, requestId: null }));
      purgeDeletion(changes.deletionOf(kind, id));
    }
  }

  /** Whether there was something to remove. */
  function removeContributions(userId: number): boolean {
    const own = list.all({ userId, limit: REMOVED_AT_ONCE });
    for (const contribution of own) removeForGood(contribution);
    // One that is restored meanwhile is found again before the account goes.
    const inTrash = own.length > 0 ? [] : listTrash.all({ userId, limit: REMOVED_AT_ONCE });
    for (const changeId of inTrash) purgeDeletion(changeId);
    return own.length + inTrash.length > 0;
  }

  function removeSome(userId: number): boolean {
    return (
      releases.some((some) => some.run({ userId, limit: RELEASED_AT_ONCE }).changes > 0) ||
      visits.run({ userId, limit: VISITS_AT_ONCE }).changes > 0 ||
      items.run({ userId, limit: ITEMS_AT_ONCE }).changes > 0 ||
      removeAnswers.run({ userId }).changes > 0
    );
  }

  return ({ user_id: userId, contributions, change_id: after, has_account }) => {
    if (purges.isPending()) {
      purges.goOn();
      return;
    }
    if (contributions === 'delete' && has_account === 1 && removeContributions(userId)) return;
    if (removeSome(userId)) return;
    if (has_account === 1) {
      deleteInvitations(userId);
      for (const statement of account) statement.run({ userId });
      return;
    }
    const upTo = after === WHOLE_LOG ? undefined : scrubber.scrub(userId, after);
    if (upTo !== undefined) setErasedUpTo.run({ userId, changeId: upTo });
    else if (after !== WHOLE_LOG) {
      // Answers to others may hold what the log held until now, such as that to the revert of a deletion.
      answers.clearAll();
      setErasedUpTo.run({ userId, changeId: WHOLE_LOG });
    } else if (!answers.clearSome()) {
      deleteFloor.run({ userId });
      deleteErasure.run({ userId });
    }
  };
}

/** Removes the invitations that were sent to the address of a user, used or not. */
function createInvitationRemoval(sql: QueryFile): (userId: number) => void {
  const list = sql.prepare<{ id: number; email: string }>('listAddressedInvitations');
  const emailKey = sql.prepare<string>('emailKeyOf').pluck();
  const remove = sql.prepare('deleteInvitation');
  return (userId) => {
    const key = emailKey.get({ userId });
    for (const { id, email } of list.all()) if (nameKey(email) === key) remove.run({ id });
  };
}
