import { bitsOf, count } from './bits.ts';
import { type Part, placesByDistance } from './distances.ts';
import { firstIndex, sortedPart } from './orders.ts';
import { byRank, ranking } from './ranks.ts';
import type { ListRequest, Page, PageRequest, ListPosition, Sort } from './request.ts';
import type { Rows } from './rows.ts';
import { type Selection, byRating, passingPart } from './selection.ts';

type KeySort = Exclude<Sort, 'distance'>;

/** Ids per slice, which takes less than a millisecond. */
const SLICE = 1_000;
// Walking an order takes a millisecond; sorting more rows than this takes longer.
const FEW = 5_000;

/** A page of a list. */
export function pageOf({ sort, near, words, after, limit }: PageRequest, selection: Selection): Page {
  const { rows, passing, circle } = selection;
  const total = circle?.slots.length ?? (passing ? count(passing) : rows.size);
  const part = { after, offset: 0, limit };
  if (sort === 'distance')
    return { total, positions: placesByDistance(near, part, selection).positions(0, limit) };
  const order = orderOf(sort, words, rows);
  const positions = Array.from(sortedSlots(order, part, selection), (slot) => ({
    key: order.keyOf(slot),
    id: rows.id[slot] ?? 0,
  }));
  return { total, positions };
}

/** The ids of a list, in slices of less than a millisecond. Later writes do not change them. */
export function idsOf(
  { sort, near, words, offset, limit = Infinity }: ListRequest,
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
  const ids = selection.rows.idsAt(sortedSlots(orderOf(sort, words, selection.rows), part, selection));
  return slices(0, ids.length, (start, end) => Array.from(ids.subarray(start, end)));
}

function* slices<Value>(
  from: number,
  to: number,
  read: (start: number, end: number) => Value,
): Generator<Value> {
  for (let start = from; start < to; start += SLICE) yield read(start, Math.min(start + SLICE, to));
}

/** The order of a list. */
interface ListOrder {
  readonly sort: KeySort;
  readonly keyOf: (slot: number) => string | readonly number[];
  /** The rank of a slot, for `match`. */
  readonly rankOf: (slot: number) => number;
}

function orderOf(sort: KeySort, words: string | undefined, rows: Rows): ListOrder {
  const { created, name } = rows;
  const overall = rows.numbers('overall');
  const rank = ranking(words ?? '');
  const rankOf = (slot: number): number => rank(name[slot] ?? '');
  const newest = (slot: number): number => created[slot] ?? 0;
  const rating = (slot: number): number => overall[slot] ?? 0;
  switch (sort) {
    case 'newest':
      return { sort, rankOf, keyOf: (slot) => [newest(slot)] };
    case 'rating':
      return { sort, rankOf, keyOf: (slot) => [rating(slot), newest(slot)] };
    case 'match':
      return { sort, rankOf, keyOf: (slot) => [-rankOf(slot), rating(slot), newest(slot)] };
    case 'name':
      return { sort, rankOf, keyOf: (slot) => name[slot] ?? '' };
  }
}

/** The slots of a part of a list. */
function sortedSlots(
  order: ListOrder,
  { after, offset, limit }: Part,
  { rows, passing, circle }: Selection,
): Uint32Array {
  const { sort, rankOf } = order;
  const isPast = after && behind(order, after, rows);
  const from = (slots: Uint32Array): Uint32Array => slots.subarray(isPast ? firstIndex(slots, isPast) : 0);
  if (sort !== 'match' && circle && circle.slots.length <= FEW) {
    const slots = isPast ? circle.slots.filter(isPast) : circle.slots;
    return sortedPart(slots, offset, offset + limit, rows.compare(sort));
  }
  const passes = circle ? bitsOf(circle.slots, rows.capacity) : passing;
  if (sort === 'match') {
    const ranked = joined(byRank(byRating(passes ?? rows.isRow, rows), rankOf));
    return from(ranked).subarray(offset, offset + limit);
  }
  const rest = from(rows.order(sort));
  return passes ? passingPart(rest, passes, offset, limit) : rest.subarray(offset, offset + limit);
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((length, part) => length + part.length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}

/** Returns a function that tests whether a slot comes after a position. */
function behind(
  { keyOf }: ListOrder,
  { key, id: lastId }: ListPosition,
  { id }: Rows,
): (slot: number) => boolean {
  return (slot) => {
    const own = keyOf(slot);
    if (typeof own === 'string') return own === key ? (id[slot] ?? 0) > lastId : own > String(key);
    const last: readonly number[] = Array.isArray(key) ? key : [];
    const at = own.findIndex((number, index) => number !== last[index]);
    return at === -1 ? (id[slot] ?? 0) < lastId : (own[at] ?? 0) < (last[at] ?? 0);
  };
}
