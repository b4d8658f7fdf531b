import { MAX_DISTANCE_KM, kilometresOf } from './geo.ts';
import { slotsOf } from './bits.ts';
import { type Compare, sortedPart } from './orders.ts';
import type { RowChoice, ListRequest, ListPosition } from './request.ts';
import type { Rows } from './rows.ts';
import { type MeasuredRows, type Selection, only, within } from './selection.ts';

/** The part of a list after a position, or from an offset. */
export interface Part {
  readonly after: ListPosition | undefined;
  readonly offset: number;
  readonly limit: number;
}

const FIRST_RADIUS_KM = 0.5;
const RADIUS_GROWTH = 4;
// With more places than this, a circle saves no time over all rows.
const FEW = 5_000;
const NONE = new Uint32Array(0);

/** Whether a list needs all places in its circle. The nearest few are found by circles that grow. */
export function needsCircle({ sort, offset, limit = Infinity, conditions }: ListRequest): boolean {
  return sort !== 'distance' || offset + limit > FEW || conditions.some((condition) => 'openAt' in condition);
}

/** Places by distance, then those without coordinates. */
class Places {
  readonly #chords: Float64Array;
  readonly #unlocated: Float64Array;
  readonly #slots: Uint32Array;
  readonly #rows: Rows;
  #ids: Float64Array | undefined;

  constructor({ slots, chords }: MeasuredRows, unlocated: Uint32Array, rows: Rows) {
    this.#slots = slots;
    this.#rows = rows;
    this.#chords = chords;
    this.#unlocated = rows.idsAt(unlocated);
  }

  get length(): number {
    return this.#slots.length + this.#unlocated.length;
  }

  /** Makes it independent of later writes. */
  settle(): void {
    this.#ids = this.#rows.idsAt(this.#slots);
  }

  positions(start: number, end: number): readonly ListPosition[] {
    const [ids, slots, chords] = [this.#ids, this.#slots, this.#chords];
    const { id } = this.#rows;
    const idOf = (item: number): number => (ids ? ids[item] : id[slots[item] ?? 0]) ?? 0;
    const located = Math.min(end, slots.length);
    const positions =
      start < located
        ? Array.from(
            partByKey(chords, start, located, (left, right) => idOf(right) - idOf(left)),
            (item): ListPosition => ({ key: chords[item] ?? null, id: idOf(item) }),
          )
        : [];
    const others = this.#unlocated.subarray(
      Math.max(0, start - slots.length),
      Math.max(0, end - slots.length),
    );
    for (const id of others) positions.push({ key: null, id });
    return positions;
  }
}

/** Places by distance, at least as many as the part needs. */
export function placesByDistance(
  near: RowChoice['near'],
  { after, offset, limit }: Part,
  { rows, passing, circle }: Selection,
): Places {
  if (!near) throw new Error('distances need a centre');
  const isPastPlaces = after?.key === null;
  const behindAfter = (found: MeasuredRows): MeasuredRows =>
    after ? only(found, (slot, chord) => isFurther(chord, rows.id[slot] ?? 0, after)) : found;
  if (circle) return new Places(behindAfter(circle), NONE, rows);
  const most = near.radius ?? MAX_DISTANCE_KM;
  if (offset + limit <= FEW && !isPastPlaces) {
    const start = typeof after?.key === 'number' ? kilometresOf(after.key) : 0;
    // Grow a circle until it holds enough places.
    for (let radius = Math.max(FIRST_RADIUS_KM, start); radius < most; radius *= RADIUS_GROWTH) {
      const found = within({ ...near, radius }, rows, passing);
      const total = found.slots.length;
      const rest = behindAfter(found);
      if (rest.slots.length >= offset + limit) return new Places(rest, NONE, rows);
      if (total > FEW) break;
    }
  }
  if (near.radius !== undefined)
    return new Places(behindAfter(within({ ...near, radius: most }, rows, passing)), NONE, rows);
  const located = behindAfter(within({ ...near, radius: Infinity }, rows, passing));
  const latitude = rows.numbers('latitude');
  const { id } = rows;
  const unlocated = slotsOf(passing ?? rows.isRow)
    .filter((slot) => Number.isNaN(latitude[slot]) && (!isPastPlaces || (id[slot] ?? 0) < after.id))
    .sort((left, right) => (id[right] ?? 0) - (id[left] ?? 0));
  return new Places(located, unlocated, rows);
}

/** False for all places after a position without coordinates. */
function isFurther(chord: number, id: number, { key, id: lastId }: ListPosition): boolean {
  return typeof key === 'number' && (chord > key || (chord === key && id < lastId));
}

// The sign, the exponent and eight bits of the mantissa of a double: 256 buckets for every doubling.
const BUCKET_SHIFT = 12;
// All keys below this share a bucket: as squared chords, distances of less than a few decimetres.
const LEAST_BUCKET = bucketsUpTo(2 ** -50);
const BUCKETS = bucketsUpTo(8) - LEAST_BUCKET;
// Below this many keys, sorting is faster than counting buckets.
const LEAST_COUNTED = 2_000;

function bucketsUpTo(key: number): number {
  return (new Uint32Array(Float64Array.of(key).buffer)[1] ?? 0) >>> BUCKET_SHIFT;
}

/**
 * The slice from `start` to `end` of all indexes sorted by key, then by `tie`. Keys must be at least 0 and below 8. Counts
 * keys in buckets of ascending ranges, and sorts only the buckets of the slice: a tenth of the time of sorting all.
 */
function partByKey(keys: Float64Array, start: number, end: number, tie: Compare): Uint32Array {
  const compare: Compare = (left, right) => (keys[left] ?? 0) - (keys[right] ?? 0) || tie(left, right);
  if (keys.length < LEAST_COUNTED) return sortedPart(Uint32Array.from(keys.keys()), start, end, compare);
  // Both halves of each double, the high one second on all of Node's platforms. High halves sort like the doubles.
  const halves = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
  const bucketOf = (index: number): number =>
    Math.max(0, ((halves[2 * index + 1] ?? 0) >>> BUCKET_SHIFT) - LEAST_BUCKET);
  const counts = new Uint32Array(BUCKETS);
  for (let index = 0; index < keys.length; index += 1) {
    const bucket = bucketOf(index);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  let [first, below] = [0, 0];
  for (; first < BUCKETS && below + (counts[first] ?? 0) <= start; first += 1) below += counts[first] ?? 0;
  let [last, upTo] = [first, below];
  for (; last < BUCKETS && upTo < end; last += 1) upTo += counts[last] ?? 0;
  const candidates = new Uint32Array(upTo - below);
  let count = 0;
  for (let index = 0; index < keys.length; index += 1) {
    const bucket = bucketOf(index);
    if (bucket < first || bucket >= last) continue;
    candidates[count] = index;
    count += 1;
  }
  // Many keys may be equal, so a bucket may hold far more than the slice.
  return sortedPart(candidates, start - below, end - below, compare);
}
