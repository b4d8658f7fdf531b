import { unlocated, within } from './areas.ts';
import type { Marks } from './filters.ts';
import { MAX_DISTANCE_KM, type Point, kilometresOf } from './geo.ts';
import { compareSlots } from './orders.ts';
import {
  type Found,
  PART,
  type Parts,
  type Position,
  type Sort,
  type View,
  compareWith,
  positionOf,
} from './positions.ts';
import { partByKey, select, takeFirst } from './ranked.ts';
import type { ListRequest } from './request.ts';
import type { Columns } from './rows.ts';
import { walk } from './walk.ts';

const FIRST_RADIUS_KM = 0.5;
const RADIUS_GROWTH = 4;
// A circle with more places than this is no faster than all of them, nor is sorting them.
const FEW = 5_000;
const NONE: Found = { slots: new Uint32Array(0), chords: new Float64Array(0) };

/** A list in a circle, or one by distance; undefined for any other. */
export function findNear(request: ListRequest, view: View): Parts | undefined {
  const { near, sort } = request;
  if (near?.radius !== undefined) {
    const found = view.found ?? within(view, { ...near, radius: near.radius });
    const total = found.slots.length;
    if (sort === 'distance' || total <= FEW) return { parts: inOrder(request, view.columns, found), total };
    return { parts: walk(request, { ...view, marks: marksOf(found, view) }).parts, total };
  }
  if (!near || sort !== 'distance') return undefined;
  const few = nearest(request, near, view);
  return { parts: few ? [few] : ofAll(request, near, view) };
}

/** To walk along an order that is there takes a millisecond, to sort as many rows again and again some twenty. */
function marksOf({ slots }: Found, { columns }: View): Marks {
  const marks = new Uint8Array(columns.isRow.length);
  for (const slot of slots) marks[slot] = 1;
  return marks;
}

/** The part of what was found that is asked for. */
function* inOrder(request: ListRequest, columns: Columns, all: Found): Generator<readonly Position[]> {
  const { sort, after, offset, limit = Infinity } = request;
  const found = after ? only(all, behind(sort, after, all, columns)) : all;
  const { slots, chords } = found;
  const end = Math.min(slots.length, offset + limit);
  const part = partReader(sort, found, columns);
  for (let at = offset; at < end; at += PART)
    yield Array.from(part(at, Math.min(end, at + PART)), (item) => {
      const slot = slots[item] ?? 0;
      if (sort !== 'distance') return positionOf(slot, sort, columns);
      return { key: chords[item] ?? null, id: columns.id[slot] ?? 0 };
    });
}

function only({ slots, chords }: Found, isWanted: (item: number) => boolean): Found {
  return {
    slots: slots.filter((_, item) => isWanted(item)),
    chords: chords.filter((_, item) => isWanted(item)),
  };
}

/** Returns the items from one rank up to another, by their indexes. Call it from the front on. */
function partReader(
  sort: Sort,
  { slots, chords }: Found,
  columns: Columns,
): (start: number, end: number) => Uint32Array {
  if (sort === 'distance') {
    const idOf = (item: number): number => columns.id[slots[item] ?? 0] ?? 0;
    return (start, end) => partByKey(chords, start, end, (left, right) => idOf(right) - idOf(left));
  }
  const items = Uint32Array.from(slots, (_, item) => item);
  const bySlot = compareSlots(sort, columns);
  const compare = (left: number, right: number): number => bySlot(slots[left] ?? 0, slots[right] ?? 0);
  return (start, end) => {
    select(items, start, compare);
    return takeFirst(items.subarray(start), end - start, compare);
  };
}

/** Whether an item comes behind a position. */
function behind(
  sort: Sort,
  after: Position,
  { slots, chords }: Found,
  columns: Columns,
): (item: number) => boolean {
  if (sort !== 'distance') {
    const compare = compareWith(sort, after, columns);
    return (item) => compare(slots[item] ?? 0) > 0;
  }
  const { key, id } = after;
  if (typeof key !== 'number') return () => false;
  return (item) => {
    const chord = chords[item] ?? 0;
    return chord > key || (chord === key && (columns.id[slots[item] ?? 0] ?? 0) < id);
  };
}

/** In the smallest of some growing circles that holds as many as are needed; undefined when no small one does. */
function nearest(request: ListRequest, centre: Point, view: View): readonly Position[] | undefined {
  const { after, offset, limit = Infinity } = request;
  if (offset + limit > FEW || after?.key === null) return undefined;
  const start =
    typeof after?.key === 'number' ? Math.max(FIRST_RADIUS_KM, kilometresOf(after.key)) : FIRST_RADIUS_KM;
  for (let radius = start; radius < MAX_DISTANCE_KM; radius *= RADIUS_GROWTH) {
    const found = within(view, { ...centre, radius });
    const positions = [...inOrder(request, view.columns, found)].flat();
    if (positions.length === limit) return positions;
    if (found.slots.length > FEW) return undefined;
  }
  return undefined;
}

/** Those with coordinates by distance, then those without. */
function* ofAll(request: ListRequest, centre: Point, view: View): Generator<readonly Position[]> {
  const { after, offset, limit = Infinity } = request;
  const { columns, marks } = view;
  const isPastPlaces = after?.key === null;
  const found = isPastPlaces ? NONE : within(view, { ...centre, radius: Infinity });
  let seen = 0;
  for (const part of inOrder(request, columns, found)) {
    seen += part.length;
    yield part;
  }
  if (seen === limit) return;
  const before = after ? only(found, behind('distance', after, found, columns)) : found;
  const toSkip = Math.max(0, offset - before.slots.length);
  const idOf = (slot: number): number => columns.id[slot] ?? 0;
  const isLeft = (slot: number): boolean => marks?.[slot] !== 0 && (!isPastPlaces || idOf(slot) < after.id);
  const far = unlocated(view)
    .filter(isLeft)
    .subarray(toSkip, toSkip + limit - seen);
  for (let at = 0; at < far.length; at += PART)
    yield Array.from(far.subarray(at, at + PART), (slot) => ({ key: null, id: idOf(slot) }));
}
