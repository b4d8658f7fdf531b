import { type ChosenFilter, type FilterContext, type Marks, markAmong } from './filters.ts';
import { type View, countMarks } from './positions.ts';
import type { Choice } from './request.ts';
import type { Current, Resident } from './resident.ts';

/** The rows that are asked for. Use them at once: a write may change them in any later callback. */
export interface Chosen extends View {
  /** To be called when nothing uses it any longer. */
  readonly close: () => void;
}

// Of a test that takes up to some microseconds for a row.
const SLICE = 2_000;
const SMALL_RADIUS_KM = 50;

/**
 * Finds the rows that pass all filters, in the rows in memory; those outside a circle are still among them. A test that
 * takes long looks at many rows in slices first: it remembers its results, and then all filters are applied at once.
 */
export async function choose(request: Choice, resident: Resident): Promise<Chosen> {
  const ids = request.match && (await request.match());
  const slow = request.filters.find(({ test }) => test !== undefined);
  if (!slow?.test) return chosen(request, ids, await resident.current());
  const rest = { ...request, filters: request.filters.filter((filter) => filter !== slow) };
  const current = await resident.withHours();
  const view = chosen(rest, ids, current);
  // A small circle leaves fewer rows than any other filter.
  const radius = request.near?.radius ?? Infinity;
  if (radius <= SMALL_RADIUS_KM) return { ...view, test: slow.test(contextOf(request, current)) };
  if (view.marks && countMarks(view.marks) <= SLICE) {
    slow.apply(view.marks, contextOf(request, current));
    return view;
  }
  await tryOut(slow.test, view.marks ?? view.columns.isRow, contextOf(request, current), request.pause);
  view.close();
  return chosen(request, ids, await resident.current());
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
  for (const filter of filters) filter.apply(marks, context);
  return marks;
}

async function tryOut(
  test: NonNullable<ChosenFilter['test']>,
  marks: Marks,
  context: FilterContext,
  pause: Choice['pause'],
): Promise<void> {
  for (let slot = 0; slot < marks.length;) {
    // Made anew: it is to be used at once.
    const passes = test(context);
    for (let left = SLICE; slot < marks.length && left > 0; slot += 1) {
      if (marks[slot] === 0) continue;
      passes(slot);
      left -= 1;
    }
    await pause();
  }
}
