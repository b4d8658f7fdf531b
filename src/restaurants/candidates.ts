import { heldOrMade } from '../storage/bounded.ts';
import type { Kept } from '../storage/kept.ts';
import type { QueryFile } from '../storage/statements.ts';
import type { Box } from './geo.ts';
import type { Candidate, CountedLists, Filters } from './list.ts';

/**
 * The same lists, which keep what they read of restaurants that lie in a box. The index of places tells ids alone, and
 * the rows behind them are scattered over the whole file: with 100,000 restaurants they were most of such a list's time.
 */
export function withKeptCandidates(
  lists: CountedLists,
  sql: QueryFile,
  kept: Kept<number, Candidate>,
): CountedLists {
  const idsInBox = sql.prepare<{ id: number }>('idsInBox');
  const getCandidates = sql.prepare<Candidate>('getCandidates');

  function read(ids: readonly number[]): Candidate[] {
    const known = kept.current();
    const make = (missing: readonly number[]): Map<number, Candidate> => {
      const made = getCandidates.all({ ids: JSON.stringify(missing) });
      for (const candidate of made) known.set(candidate.id, candidate, bytesOf(candidate));
      return new Map(made.map((candidate) => [candidate.id, candidate]));
    };
    return [...heldOrMade(known, ids, make)];
  }

  // Whoever reads a box counts it before, in the same turn of the event loop: one look at the index serves both.
  const counted = new WeakMap<Box, readonly number[]>();

  return {
    ...lists,
    countBox: (box, limit) => {
      const ids = idsInBox.all({ ...box, limit }).map(({ id }) => id);
      if (ids.length < limit) counted.set(box, ids);
      return ids.length;
    },
    inBox: (filters, box) => {
      const ids = counted.get(box);
      return ids && !isFiltered(filters) ? read(ids) : lists.inBox(filters, box);
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
