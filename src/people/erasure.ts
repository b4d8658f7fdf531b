import type { Administration } from '../accounts/administration.ts';
import type { ApiTokenStore } from '../accounts/api-tokens.ts';
import type { Purge } from '../changes/purge.ts';
import type { ChangeStore } from '../changes/store.ts';
import { type BackgroundWork, createBackgroundWork } from '../storage/background.ts';
import type { ChangeLog, Kind, Write, Writer } from '../storage/change-log.ts';
import type { QueryFile } from '../storage/statements.ts';
import type { Transactions } from '../storage/transaction.ts';
import { createLogScrubber } from './scrub.ts';

/** Deletes accounts, and all that is their users' alone (GDPR, article 17). */
export interface Erasures {
  /**
   * Ends all access of the user at once, and resolves when nothing of the account is left. With `delete` ratings, photos and
   * suggestions go as well, past the trash; otherwise they stay without an author. False for the last administrator, who stays.
   */
  readonly erase: (userId: number, contributions: 'keep' | 'delete') => Promise<boolean>;
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
  readonly purge: Purge;
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

// A removal with its purge takes up to a millisecond.
const REMOVED_AT_ONCE = 10;
// Their rows are short.
const PERSONAL_AT_ONCE = 500;
const RETRY_MS = 60_000;

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
    erase: async (userId, contributions) => {
      const isBegun = await transactions.write(() => {
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
 * Makes a function that does a part of what is left of an erasure: contributions first, then lists and
 * visits, then the account, then the log.
 */
function createSlicer(options: ErasureOptions): (erasure: ErasureRow) => void {
  const { sql, begin, changes, purge, remove, via } = options;
  const list = sql.prepare<{ kind: Kind; id: number }>('listContributions');
  const setErasedUpTo = sql.prepare('setErasedUpTo');
  const deleteErasure = sql.prepare('deleteErasure');
  const personal = [sql.prepare('deleteSomeVisits'), sql.prepare('deleteSomeItems')];
  const account = [
    sql.prepare('deleteUsedInvitation'),
    sql.prepare('deleteAnswers'),
    sql.prepare('clearBatches'),
    sql.prepare('deleteUser'),
  ];
  const scrubber = createLogScrubber(sql);

  function removeForGood(kind: Kind, id: number): void {
    remove(kind, id, begin({ userId: null, token: null, via, requestId: null }));
    const deletion = changes.get(changes.deletionOf(kind, id) ?? 0);
    if (deletion) purge(deletion);
  }

  return ({ user_id: userId, contributions, change_id: after, has_account }) => {
    const own =
      contributions === 'delete' && has_account === 1 ? list.all({ userId, limit: REMOVED_AT_ONCE }) : [];
    for (const { kind, id } of own) removeForGood(kind, id);
    if (own.length > 0) return;
    if (personal.some((some) => some.run({ userId, limit: PERSONAL_AT_ONCE }).changes > 0)) return;
    if (has_account === 1) {
      for (const statement of account) statement.run({ userId });
      return;
    }
    const upTo = scrubber.scrub(userId, after);
    if (upTo === undefined) deleteErasure.run({ userId });
    else setErasedUpTo.run({ userId, changeId: upTo });
  };
}
