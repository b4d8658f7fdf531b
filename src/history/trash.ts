import { type BackgroundWork, createBackgroundWork } from '../storage/background.ts';
import { shareOf } from '../storage/share.ts';
import type { Queries, QueryFile } from '../storage/statements.ts';
import type { Transactions } from '../storage/transaction.ts';
import type { Purges } from './purge.ts';

export interface TrashSweeperOptions {
  readonly queries: Queries;
  readonly transactions: Pick<Transactions, 'write'>;
  readonly purges: Purges;
  /** Called when something was removed: files may be due. */
  readonly swept: () => void;
  readonly report: (message: string, fields: Readonly<Record<string, string>>) => void;
}

// Another process may have purged or deleted something.
const EVERY_MS = 10 * 60 * 1000;
const RETRY_MS = 60 * 1000;
// Rows of a slice; those that may be long are counted by their bytes, too.
const ROWS = 200;

/**
 * Makes the work that completes purges, and removes what belongs to deleted restaurants and lists once they cannot come
 * back. Each slice is a transaction of some milliseconds; what a crash leaves is found again after the next start.
 */
export function createTrashSweeper(options: TrashSweeperOptions): BackgroundWork {
  const { queries, transactions, purges, swept, report } = options;
  const sql = queries.file('trash');
  const [nextRestaurant, nextList] = [createRestaurantSweep(sql), createListSweep(sql)];
  let hasSwept = false;
  return createBackgroundWork({
    transactions,
    next: () => {
      const slice = purges.isPending() ? purges.goOn : (nextRestaurant() ?? nextList());
      if (!slice && hasSwept) swept();
      hasSwept = slice !== undefined;
      return slice;
    },
    ...{ idleMs: EVERY_MS, retryMs: RETRY_MS },
    failed: (fields) => {
      report('emptying the trash failed', fields);
    },
  });
}

type Finder = () => (() => void) | undefined;

function createRestaurantSweep(sql: QueryFile): Finder {
  const next = sql.prepare<number>('nextRestaurant').pluck();
  const listRatings = sql.prepare<{ id: number; bytes: number }>('listRatings');
  const deleteRatings = sql.prepare('deleteRatings');
  const others = [sql.prepare('deletePhotos'), sql.prepare('deleteItemsOfRestaurant')];
  const keepName = sql.prepare('keepName');
  const remove = sql.prepare('deleteRestaurant');

  function sweep(id: number): void {
    const ratings = shareOf(listRatings.all({ id, limit: ROWS }));
    if (ratings.length > 0) {
      deleteRatings.run({ ids: JSON.stringify(ratings.map((rating) => rating.id)) });
      return;
    }
    if (others.some((some) => some.run({ id, limit: ROWS }).changes > 0)) return;
    if (keepName.run({ id }).changes === 0) remove.run({ id });
  }

  return () => {
    const id = next.get();
    return id === undefined
      ? undefined
      : () => {
          sweep(id);
        };
  };
}

function createListSweep(sql: QueryFile): Finder {
  const next = sql.prepare<number>('nextList').pluck();
  const deleteItems = sql.prepare('deleteItemsOfList');
  const remove = sql.prepare('deleteList');
  return () => {
    const id = next.get();
    return id === undefined
      ? undefined
      : () => {
          if (deleteItems.run({ id, limit: ROWS }).changes === 0) remove.run({ id });
        };
  };
}
