import { storageFailure } from '../../storage/failures.ts';
import { type Transactions, StorageFailedError } from '../../storage/transaction.ts';
import { type Family, by, counter, createHistogram } from './exposition.ts';

/** The writes so far, and the transactions that they shared. */
export interface Writes {
  /** The same transactions, each write of which is counted. */
  readonly transactions: Transactions;
  readonly families: () => readonly Family[];
}

const BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const FAILURES = ['full', 'busy', 'exhausted', 'failed', 'refused'] as const;

/** Counts writes, those that the storage failed, and the transactions that reached the disk. */
export function createWrites(transactions: Transactions): Writes {
  const durations = createHistogram(BOUNDS);
  const failures = new Map<string, number>(FAILURES.map((kind) => [kind, 0]));

  function countFailure(error: unknown): void {
    const kind = error instanceof StorageFailedError ? 'refused' : storageFailure(error);
    if (kind !== undefined) failures.set(kind, (failures.get(kind) ?? 0) + 1);
  }

  return {
    transactions: {
      readSnapshot: (work) => transactions.readSnapshot(work),
      hasFailed: () => transactions.hasFailed(),
      commits: () => transactions.commits(),
      noteFailure: (error) => {
        transactions.noteFailure(error);
      },
      write: async (work) => {
        const started = performance.now();
        try {
          return await transactions.write(work);
        } catch (error) {
          countFailure(error);
          throw error;
        } finally {
          durations.observe((performance.now() - started) / 1000);
        }
      },
    },
    families: () => [
      {
        name: 'catalogue_database_write_seconds',
        type: 'histogram',
        help: 'Time of a write until it was on the disk, or given up, with the wait for its turn.',
        samples: durations.samples({}),
      },
      counter(
        'catalogue_database_commits_total',
        'Write transactions that reached the disk; writes that arrive together share one.',
        transactions.commits(),
      ),
      counter(
        'catalogue_database_write_failures_total',
        'Writes that the storage failed: disk full, database busy, too many files open, disk or file broken, or refused since then.',
        by('kind', failures),
      ),
    ],
  };
}
