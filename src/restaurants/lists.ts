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
import type { ListRequest, Pacing } from './request.ts';
import type { Resident } from './resident.ts';
import { PENDING_CODE, type Rows } from './rows.ts';

/** Finds what lists hold, in the rows in memory. */
export interface Lists {
  /** The part that is asked for, with the number of all. */
  readonly page: (request: ListRequest, pacing: Pacing) => Promise<Listed>;
  /** The ids of the part that is asked for, in slices of a few milliseconds. */
  readonly ids: (request: ListRequest, pacing: Pacing) => AsyncGenerator<readonly number[]>;
}

/** Opens the lists. */
export function createLists(resident: Resident): Lists {
  const totalOf = createTotals();

  async function open(request: ListRequest, { pause }: Pacing): Promise<View> {
    const ids = request.match && (await request.match());
    await resident.catchUp(pause);
    const rows = resident.rows();
    const columns = rows.columns();
    const context: FilterContext = {
      ...{ columns, foodTypeSets: rows.foodTypeSets(), lookups: resident.lookups() },
    };
    const test = allOf([
      ...(request.withPending ? [] : notPending(rows)),
      ...request.filters.map((filter) => filter.test(context)),
      ...(ids ? [isAmong(ids, rows)] : []),
    ]);
    return { columns, order: resident.order, test };
  }

  function total(request: ListRequest, view: View): number {
    if (request.match) return count(view);
    const key = [request.withPending, ...request.filters.map((filter) => filter.key)].join('&');
    return totalOf(resident.version(), key, () => count(view));
  }

  return {
    page: async (request, pacing) => {
      const view = await open(request, pacing);
      const area = findNear(request, view);
      const positions = [...(area ?? walk(request, view)).parts].flat();
      return { positions, total: area?.total ?? total(request, view) };
    },
    ids: async function* (request, pacing) {
      const view = await open(request, pacing);
      const { parts } = findNear(request, view) ?? walk(request, view);
      for (const part of parts) {
        yield part.map(({ id }) => id);
        await pacing.pause();
      }
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

function count({ order, test }: View): number {
  const slots = order('newest');
  if (!test) return slots.length;
  let total = 0;
  for (const slot of slots) if (test(slot)) total += 1;
  return total;
}

const MOST_TOTALS = 1_000;

/** Remembers totals until something changes. */
function createTotals(): (version: number, key: string, make: () => number) => number {
  let known = 0;
  const totals = new Map<string, number>();
  return (version, key, make) => {
    if (version !== known || totals.size > MOST_TOTALS) totals.clear();
    known = version;
    const total = totals.get(key) ?? make();
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
