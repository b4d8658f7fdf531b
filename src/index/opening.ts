import { setBit, slotsOf } from './bits.ts';
import { OPEN, type OpenCondition, ROW_STATUSES, UNKNOWN } from './request.ts';
import type { Rows } from './rows.ts';
import { type Selection, only } from './selection.ts';

// The length of a slice of testing opening hours. A row takes up to a few microseconds.
const TEST_MS = 8;
const CHECK_CLOCK_EVERY = 64;
const ACTIVE = ROW_STATUSES.indexOf('active');

/** The open ones of the selected rows; undefined if one slice was not enough to test all. */
export function openOnly(
  { rows, passing, circle }: Selection,
  { openAt, isStrict }: OpenCondition,
  results: OpenResults | undefined,
): Selection | undefined {
  const stateOf = rows.timetables.at(openAt);
  const isOpen = (slot: number): boolean => {
    if (rows.status[slot] !== ACTIVE) return false;
    const state = stateOf(slot);
    return state === OPEN || (state === UNKNOWN && !isStrict);
  };
  // Most requests need only one slice, and caching results would take longer than the rest.
  const passes = results ? results.of(rows, isOpen) : isOpen;
  const until = performance.now() + TEST_MS;
  let count = 0;
  const slice = { isOver: false };
  const check = (slot: number): boolean => {
    if ((count += 1) % CHECK_CLOCK_EVERY === 0) slice.isOver ||= performance.now() > until;
    return !slice.isOver && passes(slot);
  };
  if (circle) {
    const open = only(circle, check);
    return slice.isOver ? undefined : { rows, passing, circle: open };
  }
  const open = passing ?? rows.all(true);
  for (const slot of slotsOf(open)) {
    if (!check(slot)) setBit(open, slot, false);
    if (slice.isOver) return undefined;
  }
  return { rows, passing: open, circle };
}

/** Caches results of an opening hours test by slot, each until the texts of its row change. */
export class OpenResults {
  #rows: Rows | undefined;
  #results = new Uint32Array(0);

  of(rows: Rows, test: (slot: number) => boolean): (slot: number) => boolean {
    const { edits } = rows;
    if (rows !== this.#rows || this.#results.length < edits.length) {
      const results = new Uint32Array(edits.length);
      if (rows === this.#rows) results.set(this.#results);
      this.#results = results;
    }
    this.#rows = rows;
    const results = this.#results;
    return (slot) => {
      // Edits count from 1, so 0 means not cached.
      const passed = 2 * (edits[slot] ?? 0) + 1;
      if (results[slot] !== passed && results[slot] !== passed - 1)
        results[slot] = test(slot) ? passed : passed - 1;
      return results[slot] === passed;
    };
  }
}
