import type { Kept } from '../storage/kept.ts';
import type { Filters } from './filters.ts';
import type { CountedLists } from './list.ts';
import type { Pacing } from './request.ts';

/** The number of restaurants that the filters leave, words and places aside. */
export type Counter = (filters: Filters, pacing: Pacing) => Promise<number>;

const SLICE = 5_000;

/** Counts in slices what is stored nowhere, and remembers it until something is written. */
export function createCounter(lists: CountedLists, totals: Kept<string, number>): Counter {
  async function count(filters: Filters, { pause }: Pacing): Promise<number> {
    let total = 0;
    for (let ids = lists.idsAfter(0, SLICE); ;) {
      total += lists.countOf(filters, ids);
      const last = ids.at(-1);
      if (last === undefined || ids.length < SLICE) return total;
      await pause();
      ids = lists.idsAfter(last, SLICE);
    }
  }

  return async (filters, pacing) => {
    const stored = lists.storedTotal(filters);
    if (stored !== undefined) return stored;
    // What is counted while something is written goes into what was current before.
    const current = totals.current();
    const key = keyOf(filters);
    const total = current.get(key) ?? (await count(filters, pacing));
    current.set(key, total, 2 * key.length);
    return total;
  };
}

function keyOf({ categoryId, foodTypeIds, status, minRating }: Filters): string {
  return JSON.stringify([categoryId, foodTypeIds, status, minRating]);
}
