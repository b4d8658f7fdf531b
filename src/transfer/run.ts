import { setTimeout as pause } from 'node:timers/promises';
import type { Batch } from '../storage/change-log.ts';
import type { Transactions } from '../storage/transaction.ts';
import { FIRST_BATCH, nextBatch } from './batches.ts';
import { type CheckedEntry, type ImportOutcome, checkEntry } from './import.ts';
import type { SourceEntry } from './source.ts';

/** The parts of one import. */
export interface ImportRun {
  readonly transactions: Pick<Transactions, 'write'>;
  /** Called in each transaction; throws once the one who imports may not write any more. */
  readonly recheck?: () => void;
  /** Stores an entry; to be run inside a transaction. */
  readonly importEntry: (entry: CheckedEntry) => ImportOutcome;
  /** Has an id once something of it is stored. */
  readonly batch: Batch;
  /** Called with what became of the entries of each transaction once it is on the disk. */
  readonly stored: (outcomes: readonly ImportOutcome[]) => void;
}

/**
 * Stores all entries of a file, in transactions that hold the write lock for some 20 ms each and leave it to others for as
 * long. Rejects with the failure of a transaction; the entries of those before it stay.
 */
export async function importAll(entries: AsyncIterable<SourceEntry>, run: ImportRun): Promise<void> {
  let size = FIRST_BATCH;
  let rows: CheckedEntry[] = [];
  let waitUntil = 0;
  const write = async (): Promise<void> => {
    // As long as the last transaction held the write lock, others have it; reading the file counts.
    await pause(Math.max(0, Math.ceil(waitUntil - performance.now())));
    const { outcomes, workMs, heldMs } = await writeTogether(rows, run);
    size = nextBatch(size, workMs, heldMs);
    waitUntil = performance.now() + heldMs;
    rows = [];
    run.stored(outcomes);
  };
  for await (const entry of entries) {
    rows.push(checkEntry(entry));
    if (rows.length >= size) await write();
  }
  await write();
}

/** Stores entries in one transaction, with its milliseconds until all were written, and until it was on the disk. */
async function writeTogether(
  rows: readonly CheckedEntry[],
  { transactions, recheck, importEntry, batch }: ImportRun,
) {
  let [started, worked] = [0, 0];
  const batchId = batch.id;
  const work = (): ImportOutcome[] => {
    // Where a run of this was undone, so was the row of the batch.
    batch.id = batchId;
    started = performance.now();
    recheck?.();
    const outcomes = rows.map(importEntry);
    worked = performance.now();
    return outcomes;
  };
  const outcomes = await transactions.write(work).catch((error: unknown) => {
    batch.id = batchId;
    throw error;
  });
  return { outcomes, workMs: worked - started, heldMs: performance.now() - started };
}
