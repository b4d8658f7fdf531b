import { setTimeout as pause } from 'node:timers/promises';
import { Finder } from '../catalogue/duplicates/finder.ts';
import { CatalogueStores } from '../catalogue/stores.ts';
import { type Batch, ChangeLog, type Write, type Writer } from '../storage/change-log.ts';
import type { Storage } from '../storage/storage.ts';
import type { Transactions } from '../storage/transaction.ts';
import { type CheckedEntry, type ImportFault, type ImportOutcome, Importer, checkEntry } from './importer.ts';
import type { Notes } from './notes.ts';
import type { SavedLists } from './saved-lists.ts';
import type { SourceEntry } from './source.ts';

// How long a transaction may hold the write lock, and the least part of it that goes into rows if the disk is slow.
const AIM_MS = 20;
const LEAST_WORK_MS = 10;
// The first transaction stores at least this many: most of its time goes into preparing the statements.
const FIRST_ROWS = 10;
// Rows that wait in memory for the next transactions.
const MOST_ROWS = 500;

/** The number of entries of a file by outcome. */
export type Counts = Readonly<typeof NO_COUNTS>;

export const NO_COUNTS = { created: 0, updated: 0, unchanged: 0, failed: 0 };

/** The number of entries counted. */
export function totalOf({ created, updated, unchanged, failed }: Counts): number {
  return created + updated + unchanged + failed;
}

/** Ends a transaction of a dry run. */
class RolledBack extends Error {}

/** Where to store the entries of a file, and the callbacks for their outcomes. */
export interface ImportTarget {
  readonly storage: Pick<Storage, 'queries'> & { readonly transactions: Pick<Transactions, 'write'> };
  readonly trashDays: number;
  readonly writer: Writer;
  /** It has an id once an entry is stored. */
  readonly batch: Batch;
  /** Whether each transaction is rolled back at its end. */
  readonly isDryRun?: boolean;
  /** The lists of the user for saved places. */
  readonly lists?: SavedLists | undefined;
  readonly notes: Notes;
  /**
   * Called in each transaction, with whether the file has anything but saved places so far. Throws if the importing user may not
   * write that; otherwise returns whether they may add places.
   */
  readonly recheck?: (hasOthers: boolean) => boolean;
  /** Called with each entry that could not be stored. */
  readonly failed: (fault: ImportFault) => void;
  readonly unknown?: (place: Pick<ImportFault, 'line' | 'name'>) => void;
  /** Called after each transaction with the counts of all entries so far. */
  readonly stored: (counts: Counts) => void;
}

/**
 * Stores all entries of a file, in transactions that hold the write lock for about 20 ms each and then release it for as
 * long. Also returns the numbers of saved places, of notes that were cut, and of new restaurants that look like existing
 * ones. Rejects with the failure of a transaction; the entries of those before it stay.
 */
export async function importAll(
  entries: AsyncIterable<SourceEntry>,
  target: ImportTarget,
): Promise<Counts & { readonly saved: number; readonly cut: number; readonly duplicates: number }> {
  const { trashDays, writer, batch, isDryRun, lists, notes, recheck } = target;
  const { queries, transactions } = target.storage;
  const log = new ChangeLog(queries.file('change-log'), transactions, trashDays);
  const begin = (): Write => log.begin({ ...writer, batch });
  const finder = new Finder(queries.file('alike'));
  const importer = new Importer(new CatalogueStores(queries), begin, finder, lists);
  const counts = { ...NO_COUNTS };
  let rows: CheckedEntry[] = [];
  let workMs = AIM_MS;
  let leastRows = FIRST_ROWS;
  let waitUntil = 0;
  let [saved, cut, duplicates] = [0, 0, 0];
  let hasOthers = false;

  /** Stores the first of the waiting rows, as many as fit into the time. */
  const write = async (): Promise<void> => {
    // Others have the write lock for as long as the last transaction held it; reading the file counts as such time.
    await pause(Math.max(0, Math.ceil(waitUntil - performance.now())));
    finder.expect(totalOf(counts) + rows.length);
    const batchId = batch.id;
    let [started, worked] = [0, 0];
    const work = (): ImportOutcome[] => {
      // An attempt that was rolled back also removed the row of the batch, so reset its id.
      batch.id = batchId;
      started = worked = performance.now();
      const mayAdd = recheck?.(hasOthers) ?? true;
      const outcomes: ImportOutcome[] = [];
      for (const row of rows) {
        outcomes.push(importer.store(row, mayAdd));
        worked = performance.now();
        if (worked - started >= workMs && outcomes.length >= leastRows) break;
      }
      return outcomes;
    };
    let outcomes: readonly ImportOutcome[] = [];
    const tryOut = (): never => {
      outcomes = work();
      throw new RolledBack();
    };
    try {
      if (isDryRun) await transactions.write(tryOut);
      else outcomes = await transactions.write(work);
    } catch (error) {
      batch.id = batchId;
      delete batch.firstChange;
      if (!(error instanceof RolledBack)) throw error;
    }
    const ended = performance.now();
    // A commit takes as long for one row as for many.
    workMs = Math.max(LEAST_WORK_MS, AIM_MS - (ended - worked));
    leastRows = 1;
    waitUntil = ended + (ended - started);
    rows = rows.slice(outcomes.length);
    for (const outcome of outcomes) {
      if ('reason' in outcome) {
        counts.failed += 1;
        target.failed(outcome);
      } else if (outcome.result === 'unknown') target.unknown?.(outcome);
      else {
        counts[outcome.result] += 1;
        if (outcome.isLikeOther === true) duplicates += 1;
      }
    }
    target.stored({ ...counts });
  };

  for await (const entry of entries) {
    if ('isSaved' in entry && entry.isSaved) saved += 1;
    else hasOthers ||= !('fault' in entry);
    const row = checkEntry(entry, lists !== undefined, notes);
    if ('item' in row && row.item) lists?.expect(row.list);
    if ('isCut' in row && row.isCut) cut += 1;
    rows.push(row);
    if (rows.length >= MOST_ROWS) await write();
  }
  do await write();
  while (rows.length > 0);
  return { ...counts, saved, cut, duplicates };
}
