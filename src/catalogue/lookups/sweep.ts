import { BackgroundWork } from '../../storage/background.ts';
import type { Storage } from '../../storage/storage.ts';

// About five milliseconds of a write transaction.
const SLICE = 50;
const RETRY_MS = 60_000;

/**
 * Creates the background task that detaches restaurants from deleted categories and food types and then removes these.
 * Wake it at the start and after each deletion; it also finishes what a crash interrupted. It works in slices: detaching
 * the 100,000 restaurants of a category in one transaction would block the service for seconds.
 */
export function createLookupSweeper(
  { queries, transactions }: Pick<Storage, 'queries' | 'transactions'>,
  report: (message: string, fields: Readonly<Record<string, string>>) => void,
): BackgroundWork {
  const detach = queries.file('detach');
  const tables = (['categories', 'food_types'] as const).map((table) => {
    const records = queries.file('lookups', table);
    const noun = table === 'categories' ? 'Category' : 'FoodType';
    return {
      nextId: records.prepare<number>('listRetired').pluck(),
      detachers: [detach.prepare(`restaurantsFrom${noun}`), detach.prepare(`suggestionsFrom${noun}`)],
      remove: records.prepare('delete'),
    };
  });
  return new BackgroundWork({
    transactions,
    next: () => {
      for (const { nextId, detachers, remove } of tables) {
        const id = nextId.get();
        if (id !== undefined)
          return () => {
            if (!detachers.some((one) => one.run({ id, limit: SLICE }).changes > 0)) remove.run({ id });
          };
      }
      return undefined;
    },
    retryMs: RETRY_MS,
    failed: (fields) => {
      report('taking references to a deleted category or food type away failed', fields);
    },
  });
}
