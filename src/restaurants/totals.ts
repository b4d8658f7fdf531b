import type { Kept } from '../storage/kept.ts';
import type { CountedLists, Filters } from './list.ts';

/** The same lists, whose totals are counted once. */
export function withKeptTotals(lists: CountedLists, totals: Kept<string, number>): CountedLists {
  return {
    ...lists,
    count: (filters) => {
      const kept = totals.current();
      const key = keyOf(filters);
      const total = kept.get(key) ?? lists.count(filters);
      kept.set(key, total, 2 * key.length);
      return total;
    },
  };
}

function keyOf({ categoryId, foodTypeIds, status, minRating }: Filters): string {
  return JSON.stringify([categoryId, foodTypeIds, status, minRating]);
}
