import { type FilterContext, type Test, allOf } from './filters.ts';
import { findNear } from './nearby.ts';
import { firstBehind } from './orders.ts';
import {
  type IndexedSort,
  type Listed,
  PART,
  type Parts,
  type Position,
  type Sort,
  type View,
  compareWith,
  positionOf,
} from './positions.ts';
import type { ListRequest } from './request.ts';
import type { Current } from './resident-index.ts';
import type { Resident } from './resident.ts';
import { PENDING_CODE, type Rows } from './rows.ts';

/** Finds what lists hold, in the rows in memory. */
export interface Lists {
  /** The part that is asked for, with the number of all. */
  readonly page: (request: ListRequest) => Promise<Listed>;
  /** The ids of the part that is asked for, in slices of a few milliseconds; the caller pauses between them. */
  readonly ids: (request: ListRequest) => AsyncGenerator<readonly number[]>;
}

/** Opens the lists. */
export function createLists(resident: Resident): Lists {
  const totalOf = createTotals();

  async function open(request: ListRequest): Promise<View & Pick<Current, 'version'>> {
    const ids = request.match && (await request.match());
    const { rows, lookups, order, version } = await resident.current();
    const columns = rows.columns();
    const context: FilterContext = { rows, lookups };
    const test = allOf([
      ...(request.withPending ? [] : notPending(rows)),
      ...request.filters.map((filter) => filter.test(context)),
      ...(ids ? [isAmong(ids, rows)] : []),
    ]);
    return { columns, order, version, test };
  }

  return {
    page: async (request) => {
      const view = await open(request);
      const area = findNear(request, view);
      const positions = [...(area ?? walk(request, view)).parts].flat();
      return { positions, total: area?.total ?? totalOf(request, view) };
    },
    ids: async function* (request) {
      const view = await open(request);
      const { parts } = findNear(request, view) ?? walk(request, view);
      for (const part of parts) yield part.map(({ id }) => id);
    },
  };
}

function notPending(rows: Rows): readonly Test[] {
  const { status } = rows.columns();
  return rows.counts[PENDING_CODE] === 0 ? [] : [(slot) => status[slot] !== PENDING_CODE];
}

function isAmong(ids: readonly number[], rows: Rows): Test {
  const marks = new Uint8Array(rows.columns().id.length);
  for (const id of ids) marks[rows.slotOf(id) ?? 0] = 1;
  return (slot) => marks[slot] === 1;
}

/** In the order of the slots, which is that of the memory. */
function count({ columns: { id }, order, test }: View): number {
  if (!test) return order('newest').length;
  let total = 0;
  for (let slot = 1; slot < id.length; slot += 1) if (id[slot] !== 0 && test(slot)) total += 1;
  return total;
}

const MOST_TOTALS = 1_000;

/** Counts what a request finds, and remembers totals until something changes. */
function createTotals(): (request: ListRequest, view: View & Pick<Current, 'version'>) => number {
  let known = 0;
  const totals = new Map<string, number>();
  return ({ match, withPending, filters }, view) => {
    if (match) return count(view);
    if (view.version !== known || totals.size > MOST_TOTALS) totals.clear();
    known = view.version;
    const key = [withPending, ...filters.map((filter) => filter.key)].join('&');
    const total = totals.get(key) ?? count(view);
    totals.set(key, total);
    return total;
  };
}

/** Along an order. Where all rows pass, any place of it is found at once. */
function walk(request: ListRequest, { columns, order, test }: View): Parts {
  const { after, offset, limit = Infinity } = request;
  const sort = indexed(request.sort);
  const slots = order(sort);
  const start = after ? startBehind(slots, compareWith(sort, after, columns)) : 0;

  function* parts(): Generator<readonly Position[]> {
    let part: Position[] = [];
    let toSkip = test ? offset : 0;
    let left = limit;
    for (let at = test ? start : start + offset; at < slots.length && left > 0; at += 1) {
      const slot = slots[at] ?? 0;
      if (test?.(slot) === false) continue;
      if (toSkip > 0) {
        toSkip -= 1;
        continue;
      }
      left -= 1;
      if (part.push(positionOf(slot, sort, columns)) < PART) continue;
      yield part;
      part = [];
    }
    if (part.length > 0) yield part;
  }

  return { parts: parts() };
}

function indexed(sort: Sort): IndexedSort {
  if (sort === 'distance') throw new Error('distances have no order of their own');
  return sort;
}

function startBehind(slots: Uint32Array, compare: (slot: number) => number): number {
  return firstBehind(slots, 0, (slot) => (compare(slot) <= 0 ? -1 : 1));
}
