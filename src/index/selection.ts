import { type Bits, count, hasBit, slotsOf } from './bits.ts';
import { type Point, boxAround, kilometresFrom, squaredChord, unitVector } from './geo.ts';
import { slotsAround } from './grid.ts';
import { sortedPart } from './orders.ts';
import type { Rows } from './rows.ts';

/** Rows with their distances from a point. */
export interface MeasuredRows {
  readonly slots: Uint32Array;
  /** Squared chord lengths on the unit sphere, in the order of the slots; they grow with the distance. */
  readonly chords: Float64Array;
}

/** The rows that pass; valid until the next write. */
export interface Selection {
  readonly rows: Rows;
  /** Undefined when all rows pass. */
  readonly passing: Bits | undefined;
  /** Those of them in the circle of the request; undefined without a radius. */
  readonly circle: MeasuredRows | undefined;
}

/** A radius in kilometres around a point; an infinite one includes every place with coordinates. */
export type Circle = Point & { readonly radius: number };

// Sorting at most this many rows is faster than walking the order of all.
const FEW = 1_000;
// Bounds of the rounding errors of a squared chord: relative to the square, and to the chord.
const ROUNDING = 1e-9;
const CHORD_ROUNDING = 1e-14;

/** The passing rows within a circle; without `passing`, all rows within it. */
export function within(circle: Circle, rows: Rows, passing: Bits | undefined): MeasuredRows {
  const { vectors, capacity } = rows;
  const [latitude, longitude] = [rows.numbers('latitude'), rows.numbers('longitude')];
  const passes = passing ?? rows.isRow;
  const candidates = slotsAround(boxAround(circle, circle.radius), rows);
  const length = candidates?.length ?? capacity;
  const most = candidates?.length ?? count(passes);
  const slots = new Uint32Array(most);
  const chords = new Float64Array(most);
  const [x, y, z] = unitVector(circle);
  const edge = squaredChord(circle.radius);
  const rounding = edge * ROUNDING + Math.sqrt(edge) * CHORD_ROUNDING;
  const [inside, outside] = [edge - rounding, edge + rounding];
  const kilometresTo = kilometresFrom(circle);
  let found = 0;
  for (let index = 0; index < length; index += 1) {
    const slot = candidates ? (candidates[index] ?? 0) : index;
    if (!hasBit(passes, slot)) continue;
    const east = (vectors[3 * slot] ?? NaN) - x;
    const north = (vectors[3 * slot + 1] ?? NaN) - y;
    const up = (vectors[3 * slot + 2] ?? NaN) - z;
    const chord = east * east + north * north + up * up;
    // NaN without coordinates.
    if (!(chord <= outside)) continue;
    // At the edge, decide by the distance that clients see.
    if (chord > inside && !(kilometresTo(latitude[slot] ?? NaN, longitude[slot] ?? NaN) <= circle.radius))
      continue;
    slots[found] = slot;
    chords[found] = chord;
    found += 1;
  }
  return { slots: slots.subarray(0, found), chords: chords.subarray(0, found) };
}

/** Filters in place: building new arrays takes three times as long. */
export function only(
  { slots, chords }: MeasuredRows,
  passes: (slot: number, chord: number) => boolean,
): MeasuredRows {
  let found = 0;
  for (let item = 0; item < slots.length; item += 1) {
    const [slot, chord] = [slots[item] ?? 0, chords[item] ?? NaN];
    if (!passes(slot, chord)) continue;
    slots[found] = slot;
    chords[found] = chord;
    found += 1;
  }
  return { slots: slots.subarray(0, found), chords: chords.subarray(0, found) };
}

/** At most `limit` of the passing slots, after the first `offset` of them. */
export function passingPart(slots: Uint32Array, passing: Bits, offset = 0, limit = Infinity): Uint32Array {
  const found = new Uint32Array(Math.min(limit, slots.length));
  let total = 0;
  let toSkip = offset;
  for (let at = 0; at < slots.length && total < found.length; at += 1) {
    const slot = slots[at] ?? 0;
    if (!hasBit(passing, slot)) continue;
    if (toSkip > 0) {
      toSkip -= 1;
      continue;
    }
    found[total] = slot;
    total += 1;
  }
  return found.subarray(0, total);
}

/** At most `limit` of the slots of a set by rating, the newest first, after the first `offset` of them. */
export function byRating(bits: Bits, rows: Rows, offset = 0, limit = Infinity): Uint32Array {
  return count(bits) > FEW
    ? passingPart(rows.order('rating'), bits, offset, limit)
    : sortedPart(slotsOf(bits), offset, offset + limit, rows.compare('rating'));
}
