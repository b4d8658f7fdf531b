import { passing, within } from './areas.ts';
import { type FilterContext, type Marks, markAmong } from './filters.ts';
import type { View } from './positions.ts';
import type { Choice } from './request.ts';
import type { Current, Resident } from './resident.ts';
import type { Rows } from './rows.ts';

/** The rows that are asked for. Use them at once: a write may change them in any later callback. */
export interface Chosen extends View {
  /** To be called when nothing uses it any longer. */
  readonly close: () => void;
}

// How long a test is applied before others have their turn. It takes up to some microseconds for a row.
const SLICE_MS = 8;
const CHECK_CLOCK_EVERY = 64;
const SMALL_RADIUS_KM = 50;

/**
 * Finds the rows that pass all filters, in the rows in memory; those outside a circle are still among them. A test that
 * takes long is applied in slices. A write may come between two of them: then all other filters are applied anew, and the
 * results of the test are used for the rows that have stayed the same.
 */
export async function choose(request: Choice, resident: Resident): Promise<Chosen> {
  const ids = request.match && (await request.match());
  const slow = request.filters.find(({ test }) => test !== undefined);
  if (!slow?.test) return chosen(request, ids, await inTurn(request, resident.current));
  const rest = { ...request, filters: request.filters.filter((filter) => filter !== slow) };
  // Most requests need no more than one slice, and nothing to remember results in: it would take longer than the rest.
  for (let results: Results | undefined; ; results ??= createResults()) {
    const current = await inTurn(request, resident.withHours);
    const view = chosen(rest, ids, current);
    const context = contextOf(request, current);
    const plain = slow.test(context);
    const test = results?.of(current.rows, plain) ?? plain;
    const radius = request.near?.radius ?? Infinity;
    if (request.near && radius <= SMALL_RADIUS_KM) {
      // It leaves fewer rows than any other filter.
      const found = within(view, { ...request.near, radius });
      if (testSome(found.slots, test)) return { ...view, found: passing(found, test) };
    } else {
      const marks = view.marks ?? current.rows.marks(true);
      const close = (): void => {
        current.rows.release(marks);
      };
      if (markSome(marks, test)) return { ...view, marks, close };
      if (!view.marks) close();
    }
    view.close();
    await request.work.pause();
  }
}

/** What is in memory, once this request may work with it. */
async function inTurn({ work }: Choice, read: () => Promise<Current>): Promise<Current> {
  for (;;) {
    const current = await read();
    const turn = work.turn();
    if (!turn) return current;
    await turn;
  }
}

type Test = (slot: number) => boolean;

/** Tests some of the slots, and returns whether these were all. */
function testSome(slots: Uint32Array, test: Test): boolean {
  const end = performance.now() + SLICE_MS;
  for (let at = 0; at < slots.length; at += 1) {
    test(slots[at] ?? 0);
    if ((at + 1) % CHECK_CLOCK_EVERY === 0 && performance.now() > end) return false;
  }
  return true;
}

/** Clears the marks of rows that do not pass, and returns whether all were tested. */
function markSome(marks: Marks, test: Test): boolean {
  const end = performance.now() + SLICE_MS;
  let tested = 0;
  for (let slot = 0; slot < marks.length; slot += 1) {
    if (marks[slot] === 0) continue;
    if (!test(slot)) marks[slot] = 0;
    tested += 1;
    if (tested % CHECK_CLOCK_EVERY === 0 && performance.now() > end) return false;
  }
  return true;
}

/** The results of a test, each remembered until the texts of its row are written. */
interface Results {
  readonly of: (rows: Rows, test: Test) => Test;
}

function createResults(): Results {
  let known = new Uint32Array(0);
  let knownRows: Rows | undefined;
  return {
    of: (rows, test) => {
      const { edit } = rows.columns();
      if (rows !== knownRows) known = new Uint32Array(edit.length);
      if (known.length < edit.length) {
        const longer = new Uint32Array(edit.length);
        longer.set(known);
        known = longer;
      }
      knownRows = rows;
      return (slot) => {
        // The first edit is 1: zero is none of these.
        const passed = 2 * (edit[slot] ?? 0) + 1;
        const result = known[slot];
        if (result === passed) return true;
        if (result === passed - 1) return false;
        const passes = test(slot);
        known[slot] = passes ? passed : passed - 1;
        return passes;
      };
    },
  };
}

function chosen(request: Choice, ids: readonly number[] | undefined, current: Current): Chosen {
  const { rows, order } = current;
  const marks = marksOf(request, ids, contextOf(request, current));
  const close = (): void => {
    if (marks) rows.release(marks);
  };
  return { columns: rows.columns(), order, marks, close };
}

function contextOf({ own, now }: Choice, { rows, lookups }: Current): FilterContext {
  return { rows, lookups, own, now };
}

/** Undefined when all rows pass. */
function marksOf(
  { filters, withPending }: Choice,
  ids: readonly number[] | undefined,
  context: FilterContext,
): Marks | undefined {
  const { rows } = context;
  if (filters.length === 0 && !ids && (withPending || !rows.hasPending())) return undefined;
  const marks = rows.marks(withPending);
  if (ids) markAmong(ids, true, marks, rows);
  for (const { apply } of filters) apply?.(marks, context);
  return marks;
}
