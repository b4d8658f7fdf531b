import { heldOrMade } from '../storage/bounded.ts';
import type { Kept } from '../storage/kept.ts';
import type { Filters } from './filters.ts';
import type { Candidate, CountedLists } from './list.ts';

/**
 * The same lists, with a cache of what they read of restaurants that no filter is asked of. The index of places has ids
 * alone, and the rows behind them are scattered over the whole file: with 100,000 restaurants they were most of the time
 * of a list by distance.
 */
export function withKeptCandidates(lists: CountedLists, kept: Kept<number, Candidate>): CountedLists {
  return {
    ...lists,
    pickNear: (filters, ids) => {
      if (isFiltered(filters)) return lists.pick(filters, ids);
      const known = kept.current();
      return heldOrMade(known, ids, (missing) => {
        const made = lists.pick(filters, missing);
        for (const candidate of made) known.set(candidate.id, candidate, bytesOf(candidate));
        return new Map(made.map((candidate) => [candidate.id, candidate]));
      });
    },
  };
}

function isFiltered({ categoryId, foodTypeIds, status, minRating }: Filters): boolean {
  return [categoryId, foodTypeIds, status, minRating].some((filter) => filter !== undefined);
}

// Six fields, the object, and the time as text.
const FIELD_BYTES = 150;

function bytesOf({ search_name: name }: Candidate): number {
  return FIELD_BYTES + 2 * name.length;
}
