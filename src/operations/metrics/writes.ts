import { storageFailure } from '../../storage/failures.ts';
import { type Transactions, StorageFailedError } from '../../storage/transaction.ts';
import { type Family, Histogram, by, counter, histogram } from './exposition.ts';

const BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const FAILURES = ['full', 'busy', 'exhausted', 'failed', 'refused'] as const;

/** Times the writes of the service and counts the storage's failures. */
export class WriteMeter {
  readonly #transactions: Pick<Transactions, 'commits'>;
  readonly #durations = new Histogram(BOUNDS);
  readonly #failures = new Map<string, number>(FAILURES.map((kind) => [kind, 0]));

  constructor(transactions: Pick<Transactions, 'commits' | 'observe'>) {
    this.#transactions = transactions;
    transactions.observe((ms, error) => {
      this.#durations.observe(ms / 1000);
      const kind = error instanceof StorageFailedError ? 'refused' : storageFailure(error);
      if (kind !== undefined) this.#failures.set(kind, (this.#failures.get(kind) ?? 0) + 1);
    });
  }

  families(): readonly Family[] {
    return [
      histogram(
        'catalogue_database_write_seconds',
        'Time of a write until it was on the disk, or given up, with the wait for its turn.',
        this.#durations.samples({}),
      ),
      counter(
        'catalogue_database_commits_total',
        'Write transactions that reached the disk; writes that arrive together share one.',
        this.#transactions.commits(),
      ),
      counter(
        'catalogue_database_write_failures_total',
        'Writes that the storage failed: disk full, database busy, too many files open, disk or file broken, or refused since then.',
        by('kind', this.#failures),
      ),
    ];
  }
}
