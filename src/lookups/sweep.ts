import type { QueryFile } from '../storage/statements.ts';
import type { Transactions } from '../storage/transaction.ts';
import { reasonOf } from '../system-error.ts';

/** Takes deleted categories and food types out of the database. */
export interface LookupSweeper {
  /** To be called at the start, and after each deletion; returns at once. */
  readonly wake: () => void;
  /** Nothing is written after this. */
  readonly stop: () => void;
}

export interface LookupSweeperOptions {
  /** lookups.sql for each of the two tables. */
  readonly categories: QueryFile;
  readonly foodTypes: QueryFile;
  /** detach.sql */
  readonly references: QueryFile;
  readonly transactions: Pick<Transactions, 'write'>;
  readonly report: (message: string, fields: Readonly<Record<string, string>>) => void;
}

/** Takes references to the record away, some at a time, and then the record itself; returns whether it is gone. */
type Detach = (id: number) => boolean;

interface Sweep {
  readonly next: () => number | undefined;
  readonly detach: Detach;
}

// Some five milliseconds of a write transaction, and as much time for others in between.
const SLICE = 100;
const PAUSE_MS = 5;
const RETRY_MS = 60_000;

/**
 * Makes a sweeper. A category may have 100,000 restaurants, and to detach them in one transaction would stop the service for
 * seconds. What a crash leaves is swept after the next start.
 */
export function createLookupSweeper(options: LookupSweeperOptions): LookupSweeper {
  const { transactions, report } = options;
  const sweeps = [
    createSweep(options.categories, options.references, [
      'restaurantsFromCategory',
      'suggestionsFromCategory',
    ]),
    createSweep(options.foodTypes, options.references, [
      'restaurantsFromFoodType',
      'suggestionsFromFoodType',
    ]),
  ];
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function schedule(ms: number): void {
    if (isStopped) return;
    timer = setTimeout(() => void sweep(), ms);
    timer.unref();
  }

  async function sweep(): Promise<void> {
    const found = sweeps.flatMap(({ next, detach }) => {
      const id = next();
      return id === undefined ? [] : [{ id, detach }];
    })[0];
    if (!found) {
      timer = undefined;
      return;
    }
    try {
      await transactions.write(() => found.detach(found.id));
      schedule(PAUSE_MS);
    } catch (error) {
      if (!isStopped)
        report('taking references to a deleted category or food type away failed', {
          error: reasonOf(error),
        });
      schedule(RETRY_MS);
    }
  }

  return {
    wake: () => {
      if (timer === undefined) schedule(0);
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function createSweep(records: QueryFile, references: QueryFile, names: readonly string[]): Sweep {
  const list = records.prepare<{ id: number }>('listRetired');
  const remove = records.prepare('delete');
  const detachers = names.map((name) => references.prepare(name));
  return {
    next: () => list.get()?.id,
    detach: (id) => {
      if (detachers.some((detach) => detach.run({ id, limit: SLICE }).changes > 0)) return false;
      remove.run({ id });
      return true;
    },
  };
}
