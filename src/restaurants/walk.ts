import type { QueryFile } from '../storage/statements.ts';
import { type Filters, bindings, conditions } from './filters.ts';
import { type IndexedSort, type Kind, type Narrow, createShapes } from './kinds.ts';
import type { Position } from './order.ts';

/** The part of a walk that is wanted: after a position, and then so many further on. */
export interface WalkPage {
  readonly after: Position | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** How far a walk has come. */
export interface WalkSlice {
  readonly positions: readonly Position[];
  /** Where the walk goes on, with what is left of its part; undefined when the list has no more or the part is whole. */
  readonly rest: WalkPage | undefined;
}

/** Walks along the index of a sort, until it has as many as are wanted or its time is over. */
export type Walk = (filters: Filters, sort: IndexedSort, page: WalkPage) => WalkSlice;

/** Whether a filter leaves few; asked only of one that is set. */
export type IsFew = (filter: Narrow, filters: Filters) => boolean;

const SLICE_MS = 4;
// The clock is read once for so many rows.
const ROWS_A_LOOK = 64;
// Entries of an index are skipped at some 50 ns each.
const SKIPPED_AT_ONCE = 20_000;

interface WalkRow extends Position {
  /** Whether the filters leave it; absent where the walk is along nothing else. */
  readonly matches?: 0 | 1;
}

/**
 * A walk reads row by row, so that it can stop at any of them: a filter may leave one of 100,000 restaurants, and the next
 * one may be far.
 */
export function createWalk(sql: QueryFile, kind: Kind, isFew: IsFew): Walk {
  const shapes = createShapes<WalkRow>(sql);

  return (filters, sort, { after, limit, offset }) => {
    const walk = kind.walks[sort];
    const { from, checked } = route(filters, sort, kind, isFew);
    const statement = shapes([
      walk.select,
      ...(checked.length > 0 ? ['startMatches', ...checked, 'endMatches'] : []),
      ...from,
      ...(after ? [walk.after] : []),
      walk.order,
    ]);
    const bound = { ...bindings(filters), afterKey: after?.key ?? null, afterId: after?.id ?? 0 };
    if (checked.length > 0)
      return readSlice(statement.iterate({ ...bound, limit: -1, offset: 0 }), limit, offset);
    if (offset > SKIPPED_AT_ONCE) {
      const last = statement.get({ ...bound, limit: 1, offset: SKIPPED_AT_ONCE - 1 });
      return { positions: [], rest: last && { after: last, limit, offset: offset - SKIPPED_AT_ONCE } };
    }
    return { positions: statement.all({ ...bound, limit, offset }), rest: undefined };
  };
}

function readSlice(rows: IterableIterator<WalkRow>, limit: number, offset: number): WalkSlice {
  const until = performance.now() + SLICE_MS;
  const positions: Position[] = [];
  let toSkip = offset;
  let seen = 0;
  for (const { key, id, matches } of rows) {
    if (matches === 1) {
      if (toSkip > 0) toSkip -= 1;
      else positions.push({ key, id });
      if (positions.length === limit) return { positions, rest: undefined };
    }
    seen += 1;
    if (seen % ROWS_A_LOOK > 0 || performance.now() < until) continue;
    const left = { limit: limit - positions.length, offset: toSkip };
    return { positions, rest: { after: { key, id }, ...left } };
  }
  return { positions, rest: undefined };
}

interface Route {
  /** Where the rows come from, and what holds for all of them. */
  readonly from: readonly string[];
  /** What each row is checked for. */
  readonly checked: readonly string[];
}

const NARROW: readonly Narrow[] = ['foodTypeIds', 'categoryId', 'status', 'minRating'];

/** By way of the few rows that one filter leaves, which are sorted, or along the index of the sort. */
function route(filters: Filters, sort: IndexedSort, kind: Kind, isFew: IsFew): Route {
  const few = NARROW.find((filter) => filters[filter] !== undefined && isFew(filter, filters));
  if (few !== undefined && kind.narrow) {
    const others = few === 'foodTypeIds' ? { ...filters, foodTypeIds: undefined } : filters;
    return { from: [kind.narrow[few], 'whereTrue', ...conditions(others, kind)], checked: [] };
  }
  const checked = conditions(filters, kind);
  const indexed = indexedFilter(filters, sort);
  if (!indexed || !kind.narrow) return { from: [kind.walks[sort].from, 'whereTrue'], checked };
  const { filter, condition } = indexed;
  return {
    from: [kind.narrow[filter], 'whereTrue', condition],
    checked: checked.filter((name) => name !== condition),
  };
}

/** The filter that an index has in front of the order of the sort, if there is one. */
function indexedFilter(
  { categoryId, status, minRating }: Filters,
  sort: IndexedSort,
): { readonly filter: Narrow; readonly condition: string } | undefined {
  if (sort === 'newest' && categoryId !== undefined)
    return { filter: 'categoryId', condition: 'andCategory' };
  if (sort === 'newest' && status !== undefined) return { filter: 'status', condition: 'andStatus' };
  return sort === 'rating' && minRating !== undefined
    ? { filter: 'minRating', condition: 'andMinRating' }
    : undefined;
}
