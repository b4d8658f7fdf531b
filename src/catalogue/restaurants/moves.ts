import type { QueryFile } from '../../storage/statements.ts';

/** A restaurant into which another one was merged, and when. */
interface Merge {
  readonly into_id: number;
  readonly at: string;
}

/** More records than that are moved in a separate thread, so that other requests do not wait. */
export const MOST_MOVES = 1_000;

// About the size of a row, with its index.
const MOVED_BYTES = 40;
// Sorts after every time.
const ANY_TIME = '~';

/**
 * Moves what belongs to a restaurant to another one into which it is merged, and back: ratings, photos, visits, suggestions
 * and items of lists, those of deleted lists as well. Two items of one list become one, with the earlier place and both
 * notes. Must run inside a transaction, while both restaurants exist.
 */
export class Moves {
  readonly #sql;

  /** `sql` is moves.sql. */
  constructor(sql: QueryFile) {
    const swapPlaces = sql.prepare('swapPlaces');
    const moves = [
      sql.prepare('moveRatings'),
      sql.prepare('movePhotos'),
      sql.prepare('moveVisits'),
      sql.prepare('moveSuggestions'),
      sql.prepare('moveItems'),
    ];
    this.#sql = {
      recordMoved: sql.prepare('recordMoved'),
      recordUnited: sql.prepare<number>('recordUnited').pluck(),
      merge: [sql.prepare('recordMerge'), swapPlaces, sql.prepare('joinNotes'), ...moves],
      separate: [
        sql.prepare('copyItems'),
        sql.prepare('deleteUnitedItems'),
        swapPlaces,
        sql.prepare('separateNotes'),
        ...moves,
        sql.prepare('forgetMoved'),
        sql.prepare('forgetUnited'),
        sql.prepare('forgetMerge'),
      ],
      find: sql.prepare<Merge>('findMerge'),
      findTarget: sql.prepare<number>('findTarget').pluck(),
      count: sql.prepare<number>('countMoves').pluck(),
    };
  }

  /** Returns how many bytes it records, so that all can go back. */
  move(from: number, into: number, at: string): number {
    const bindings = { from, into, at, source: from, target: into, upTo: ANY_TIME };
    let bytes = this.#sql.recordMoved.run(bindings).changes * MOVED_BYTES;
    for (const length of this.#sql.recordUnited.all(bindings)) bytes += length + MOVED_BYTES;
    for (const statement of this.#sql.merge) statement.run(bindings);
    return bytes;
  }

  /** Moves back everything that still exists. Returns the restaurant into which this one was merged; undefined if it was not. */
  back(from: number): number | undefined {
    const merge = this.#sql.find.get({ from });
    if (!merge) return undefined;
    const { into_id: into, at: upTo } = merge;
    for (const statement of this.#sql.separate)
      statement.run({ from, into, source: into, target: from, upTo });
    return into;
  }

  /** The existing restaurant into which a deleted one was merged, directly or through other merges. */
  target(from: number): number | undefined {
    return this.#sql.findTarget.get({ from });
  }

  /** How many records a merge of these restaurants moves, or the revert of their merge. */
  count(ids: readonly number[]): number {
    return this.#sql.count.get({ ids: JSON.stringify(ids) }) ?? 0;
  }
}
