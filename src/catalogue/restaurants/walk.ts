import { firstBehind } from './orders.ts';
import {
  type IndexedSort,
  PART,
  type Parts,
  type Position,
  type Sort,
  type View,
  compareWith,
  positionOf,
} from './positions.ts';
import type { ListRequest } from './request.ts';

/** Along an order. Where all rows pass, any place of it is found at once. */
export function walk(request: ListRequest, { columns, order, marks }: View): Parts {
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
