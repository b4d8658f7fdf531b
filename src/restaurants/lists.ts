import { choose } from './chosen.ts';
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
  countMarks,
  positionOf,
} from './positions.ts';
import type { ListRequest } from './request.ts';
import type { Resident } from './resident.ts';

/** Finds what lists hold, in the rows in memory. */
export interface Lists {
  /** The part that is asked for, with the number of all. */
  readonly page: (request: ListRequest) => Promise<Listed>;
  /** The ids of the part that is asked for, in slices of a few milliseconds; the caller pauses between them. */
  readonly ids: (request: ListRequest) => AsyncGenerator<readonly number[]>;
}

/** Opens the lists. */
export function createLists(resident: Resident): Lists {
  return {
    page: async (request) => {
      const view = await choose(request, resident);
      const area = findNear(request, view);
      const positions = [...(area ?? walk(request, view)).parts].flat();
      const total = area?.total ?? count(view);
      view.close();
      return { positions, total };
    },
    ids: async function* (request) {
      const view = await choose(request, resident);
      const { parts } = findNear(request, view) ?? walk(request, view);
      for (const part of parts) yield part.map(({ id }) => id);
      view.close();
    },
  };
}

function count({ order, marks }: View): number {
  return marks ? countMarks(marks) : order('newest').length;
}

/** Along an order. Where all rows pass, any place of it is found at once. */
function walk(request: ListRequest, { columns, order, marks }: View): Parts {
  const { after, offset, limit = Infinity } = request;
  const sort = indexed(request.sort);
  const slots = order(sort);
  const start = after ? startBehind(slots, compareWith(sort, after, columns)) : 0;

  function* parts(): Generator<readonly Position[]> {
    let part: Position[] = [];
    let toSkip = marks ? offset : 0;
    let left = limit;
    for (let at = marks ? start : start + offset; at < slots.length && left > 0; at += 1) {
      const slot = slots[at] ?? 0;
      if (marks?.[slot] === 0) continue;
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
