import { type Found, count, only, within } from './circles.ts';
import type { Columns } from './columns.ts';
import { MAX_DISTANCE_KM, kilometresOf } from './geo.ts';
import { compareSlots, firstIndex } from './orders.ts';
import { partByKey, select, takeFirst } from './ranked.ts';
import type { Choice, ListRequest, Page, PageRequest, Position, Sort } from './request.ts';
import type { Marks, Rows } from './rows.ts';

/** The rows that pass; valid until the next write. */
export interface Selection {
  readonly rows: Rows;
  /** Undefined when all rows pass. */
  readonly marks: Marks | undefined;
  /** The rows in the circle of the request, if already computed. */
  readonly found: Found | undefined;
}

type KeySort = Exclude<Sort, 'distance'>;

/** The part of a list after a position, or from an offset. */
interface Part {
  readonly after: Position | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Ids per slice, which takes less than a millisecond. */
const PART = 1_000;
const FIRST_RADIUS_KM = 0.5;
const RADIUS_GROWTH = 4;
// Above this many places, a circle saves no time over all rows, and sorting none over walking an order.
const FEW = 5_000;
const NONE: Found = { slots: new Uint32Array(0), chords: new Float64Array(0) };

/** A page of a list. */
export function pageOf(request: PageRequest, selection: Selection): Page {
  const { sort, after, limit } = request;
  const { columns } = selection.rows;
  const circle = circleOf(request, selection);
  const total = circle?.slots.length ?? sizeOf(selection);
  const part = { after, offset: 0, limit };
  if (sort === 'distance')
    return { total, positions: byDistance(request, part, selection, circle).positions(0, limit) };
  const slots = sorted(sort, part, selection, circle);
  return { total, positions: Array.from(slots, (slot) => positionOf(slot, sort, columns)) };
}

/** The ids of a list, in slices of less than a millisecond. Later writes do not change them. */
export function idsOf(request: ListRequest, selection: Selection): Iterable<readonly number[]> {
  const { sort, offset, limit = Infinity } = request;
  const circle = circleOf(request, selection);
  const part = { after: undefined, offset, limit };
  if (sort === 'distance') {
    const places = byDistance(request, part, selection, circle);
    return parts(offset, Math.min(offset + limit, places.length), (start, end) =>
      places.positions(start, end).map(({ id }) => id),
    );
  }
  const ids = idsAt(sorted(sort, part, selection, circle), selection.rows.columns);
  return parts(0, ids.length, (start, end) => Array.from(ids.subarray(start, end)));
}

function* parts<Value>(
  from: number,
  to: number,
  read: (start: number, end: number) => Value,
): Generator<Value> {
  for (let start = from; start < to; start += PART) yield read(start, Math.min(start + PART, to));
}

/** The rows in the circle of a request; undefined without a radius. */
export function circleOf({ near }: Choice, { rows, marks, found }: Selection): Found | undefined {
  if (near?.radius === undefined) return undefined;
  return found ?? within({ ...near, radius: near.radius }, rows, marks);
}

function sizeOf({ rows, marks }: Selection): number {
  return marks ? count(marks) : rows.order('newest').length;
}

/** The slots of a part of the list; with `circle`, only of rows in it. */
function sorted(
  sort: KeySort,
  { after, offset, limit }: Part,
  { rows, marks }: Selection,
  circle: Found | undefined,
): Uint32Array {
  const { columns } = rows;
  const isPast = after && behind(sort, after, columns);
  if (circle && circle.slots.length <= FEW) {
    const slots = isPast ? circle.slots.filter(isPast) : circle.slots;
    const compare = compareSlots(sort, columns);
    select(slots, offset, compare);
    return takeFirst(slots.subarray(offset), limit, compare);
  }
  // Walking an order takes a millisecond; sorting that many rows takes about twenty.
  return walk(rows.order(sort), { isPast, offset, limit }, circle ? marksOf(circle, columns) : marks);
}

/** Walks an order; if all rows pass, it slices instead. */
function walk(
  slots: Uint32Array,
  part: Omit<Part, 'after'> & { readonly isPast: ((slot: number) => boolean) | undefined },
  marks: Marks | undefined,
): Uint32Array {
  const { isPast, offset, limit } = part;
  const start = isPast ? firstIndex(slots, isPast) : 0;
  if (!marks) return slots.subarray(start + offset, start + offset + limit);
  const found = new Uint32Array(Math.min(limit, slots.length - start));
  let total = 0;
  let toSkip = offset;
  for (let at = start; at < slots.length && total < found.length; at += 1) {
    const slot = slots[at] ?? 0;
    if (marks[slot] === 0) continue;
    if (toSkip > 0) {
      toSkip -= 1;
      continue;
    }
    found[total] = slot;
    total += 1;
  }
  return found.subarray(0, total);
}

function marksOf({ slots }: Found, { isRow }: Columns): Marks {
  const marks = new Uint8Array(isRow.length);
  for (const slot of slots) marks[slot] = 1;
  return marks;
}

/** Returns a function that tests whether a slot comes after a position. */
function behind(sort: KeySort, { key, id: lastId }: Position, columns: Columns): (slot: number) => boolean {
  const { id, name, created } = columns;
  if (sort === 'name') {
    const last = String(key);
    return (slot) => {
      const own = name[slot] ?? '';
      return own === last ? (id[slot] ?? 0) > lastId : own > last;
    };
  }
  const isNewest = sort === 'newest';
  const keys = isNewest ? created : columns.numbers('overall');
  const last = isNewest ? Date.parse(String(key)) : Number(key);
  return (slot) => {
    const own = keys[slot] ?? 0;
    return own === last ? (id[slot] ?? 0) < lastId : own < last;
  };
}

function positionOf(slot: number, sort: KeySort, columns: Columns): Position {
  const id = columns.id[slot] ?? 0;
  switch (sort) {
    case 'newest':
      return { key: new Date(columns.created[slot] ?? 0).toISOString(), id };
    case 'rating':
      return { key: columns.numbers('overall')[slot] ?? 0, id };
    case 'name':
      return { key: columns.name[slot] ?? '', id };
  }
}

/** Places by distance, then those without coordinates. A copy, so later writes do not change it. */
class Places {
  readonly #ids: Float64Array;
  readonly #chords: Float64Array;
  readonly #unlocated: Float64Array;

  constructor({ slots, chords }: Found, unlocated: Uint32Array, columns: Columns) {
    this.#ids = idsAt(slots, columns);
    this.#chords = chords;
    this.#unlocated = idsAt(unlocated, columns);
  }

  get length(): number {
    return this.#ids.length + this.#unlocated.length;
  }

  positions(start: number, end: number): readonly Position[] {
    const [ids, chords] = [this.#ids, this.#chords];
    const idOf = (item: number): number => ids[item] ?? 0;
    const located = Math.min(end, ids.length);
    const positions =
      start < located
        ? Array.from(
            partByKey(chords, start, located, (left, right) => idOf(right) - idOf(left)),
            (item): Position => ({ key: chords[item] ?? null, id: idOf(item) }),
          )
        : [];
    const others = this.#unlocated.subarray(Math.max(0, start - ids.length), Math.max(0, end - ids.length));
    for (const id of others) positions.push({ key: null, id });
    return positions;
  }
}

/** Places by distance, at least as many as the part needs. */
function byDistance(
  { near }: Choice,
  { after, offset, limit }: Part,
  { rows, marks }: Selection,
  circle: Found | undefined,
): Places {
  if (!near) throw new Error('distances need a centre');
  const { columns } = rows;
  const isPastPlaces = after?.key === null;
  const behindAfter = (found: Found): Found =>
    after ? only(found, (slot, chord) => isFurther(chord, columns.id[slot] ?? 0, after)) : found;
  if (circle) return new Places(behindAfter(circle), NONE.slots, columns);
  if (offset + limit <= FEW && !isPastPlaces) {
    const start = typeof after?.key === 'number' ? kilometresOf(after.key) : 0;
    // Grow a circle until it holds enough places.
    for (let radius = Math.max(FIRST_RADIUS_KM, start); radius < MAX_DISTANCE_KM; radius *= RADIUS_GROWTH) {
      const found = within({ ...near, radius }, rows, marks);
      const total = found.slots.length;
      const rest = behindAfter(found);
      if (rest.slots.length >= offset + limit) return new Places(rest, NONE.slots, columns);
      if (total > FEW) break;
    }
  }
  const found = isPastPlaces ? NONE : behindAfter(within({ ...near, radius: Infinity }, rows, marks));
  const latitude = columns.numbers('latitude');
  const byLatitude = rows.order('latitude');
  const unlocated = byLatitude
    .subarray(firstIndex(byLatitude, (slot) => Number.isNaN(latitude[slot])))
    .filter((slot) => marks?.[slot] !== 0 && (!isPastPlaces || (columns.id[slot] ?? 0) < after.id));
  return new Places(found, unlocated, columns);
}

function isFurther(chord: number, id: number, { key, id: lastId }: Position): boolean {
  return typeof key === 'number' && (chord > key || (chord === key && id < lastId));
}

function idsAt(slots: Uint32Array, { id }: Columns): Float64Array {
  const ids = new Float64Array(slots.length);
  for (let at = 0; at < slots.length; at += 1) ids[at] = id[slots[at] ?? 0] ?? 0;
  return ids;
}
