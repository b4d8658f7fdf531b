import { bitsOf, count } from './bits.ts';
import { type Part, placesByDistance } from './distances.ts';
import { firstIndex, sortedPart } from './orders.ts';
import type { ListRequest, Page, PageRequest, Position, Sort } from './request.ts';
import type { Rows } from './rows.ts';
import { type Selection, passingPart } from './selection.ts';

type KeySort = Exclude<Sort, 'distance'>;

/** Ids per slice, which takes less than a millisecond. */
const SLICE = 1_000;
// Walking an order takes a millisecond; sorting more rows than this takes longer.
const FEW = 5_000;

/** A page of a list. */
export function pageOf({ sort, near, after, limit }: PageRequest, selection: Selection): Page {
  const { rows, passing, circle } = selection;
  const total = circle?.slots.length ?? (passing ? count(passing) : rows.size);
  const part = { after, offset: 0, limit };
  if (sort === 'distance')
    return { total, positions: placesByDistance(near, part, selection).positions(0, limit) };
  const positions = Array.from(sortedSlots(sort, part, selection), (slot) => positionOf(slot, sort, rows));
  return { total, positions };
}

/** The ids of a list, in slices of less than a millisecond. Later writes do not change them. */
export function idsOf(
  { sort, near, offset, limit = Infinity }: ListRequest,
  selection: Selection,
): Iterable<readonly number[]> {
  const part = { after: undefined, offset, limit };
  if (sort === 'distance') {
    const places = placesByDistance(near, part, selection);
    if (limit <= SLICE) return [places.positions(offset, offset + limit).map(({ id }) => id)];
    places.settle();
    return slices(offset, Math.min(offset + limit, places.length), (start, end) =>
      places.positions(start, end).map(({ id }) => id),
    );
  }
  const ids = selection.rows.idsAt(sortedSlots(sort, part, selection));
  return slices(0, ids.length, (start, end) => Array.from(ids.subarray(start, end)));
}

function* slices<Value>(
  from: number,
  to: number,
  read: (start: number, end: number) => Value,
): Generator<Value> {
  for (let start = from; start < to; start += SLICE) yield read(start, Math.min(start + SLICE, to));
}

/** The slots of a part of a list. */
function sortedSlots(
  sort: KeySort,
  { after, offset, limit }: Part,
  { rows, passing, circle }: Selection,
): Uint32Array {
  const isPast = after && behind(sort, after, rows);
  if (circle && circle.slots.length <= FEW) {
    const slots = isPast ? circle.slots.filter(isPast) : circle.slots;
    return sortedPart(slots, offset, offset + limit, rows.compare(sort));
  }
  const slots = rows.order(sort);
  const start = isPast ? firstIndex(slots, isPast) : 0;
  const passes = circle ? bitsOf(circle.slots, rows.capacity) : passing;
  const rest = slots.subarray(start);
  return passes ? passingPart(rest, passes, offset, limit) : rest.subarray(offset, offset + limit);
}

/** Returns a function that tests whether a slot comes after a position. */
function behind(sort: KeySort, { key, id: lastId }: Position, rows: Rows): (slot: number) => boolean {
  const { id, name } = rows;
  if (sort === 'name') {
    const last = String(key);
    return (slot) => {
      const own = name[slot] ?? '';
      return own === last ? (id[slot] ?? 0) > lastId : own > last;
    };
  }
  const isNewest = sort === 'newest';
  const keys = isNewest ? rows.created : rows.numbers('overall');
  const last = isNewest ? Date.parse(String(key)) : Number(key);
  return (slot) => {
    const own = keys[slot] ?? 0;
    return own === last ? (id[slot] ?? 0) < lastId : own < last;
  };
}

function positionOf(slot: number, sort: KeySort, rows: Rows): Position {
  const id = rows.id[slot] ?? 0;
  switch (sort) {
    case 'newest':
      return { key: new Date(rows.created[slot] ?? 0).toISOString(), id };
    case 'rating':
      return { key: rows.numbers('overall')[slot] ?? 0, id };
    case 'name':
      return { key: rows.name[slot] ?? '', id };
  }
}
