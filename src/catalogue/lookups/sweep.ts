import { type BackgroundWork, createBackgroundWork } from '../../storage/background.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { Transactions } from '../../storage/transaction.ts';

export interface LookupSweeperOptions {
  /** lookups.sql for each of the two tables. */
  readonly categories: QueryFile;
  readonly foodTypes: QueryFile;
  /** detach.sql */
  readonly references: QueryFile;
  readonly transactions: Pick<Transactions, 'write'>;
  readonly report: (message: string, fields: Readonly<Record<string, string>>) => void;
}

// Some five milliseconds of a write transaction.
const SLICE = 100;
const RETRY_MS = 60_000;

/**
 * Makes the work that removes deleted categories and food types; to be woken at the start, and after each deletion. A
 * category may have 100,000 restaurants, and to detach them in one transaction would stop the service for seconds. The
 * remains of a crash are swept after the next start.
 */
export function createLookupSweeper(options: LookupSweeperOptions): BackgroundWork {
  const { categories, foodTypes, references, transactions, report } = options;
  const nextCategory = createSweep(categories, references, 'Category');
  const nextFoodType = createSweep(foodTypes, references, 'FoodType');
  return createBackgroundWork({
    transactions,
    next: () => nextCategory() ?? nextFoodType(),
    retryMs: RETRY_MS,
    failed: (fields) => {
      report('taking references to a deleted category or food type away failed', fields);
    },
  });
}

/** Finds the next slice: some references to a deleted record, or the record itself once none are left. */
function createSweep(
  records: QueryFile,
  references: QueryFile,
  noun: 'Category' | 'FoodType',
): () => (() => void) | undefined {
  const nextId = records.prepare<number>('listRetired').pluck();
  const remove = records.prepare('delete');
  const detachers = ['restaurants', 'suggestions'].map((owners) =>
    references.prepare(`${owners}From${noun}`),
  );
  return () => {
    const id = nextId.get();
    if (id === undefined) return undefined;
    return () => {
      if (!detachers.some((detach) => detach.run({ id, limit: SLICE }).changes > 0)) remove.run({ id });
    };
  };
}
