import { type Box, type Point, boxesAround, kilometresFrom, squaredChord, unitVector } from './geo.ts';
import { firstBehind } from './orders.ts';
import type { View } from './positions.ts';
import type { Columns } from './rows.ts';

/** Rows with their distances from a point. */
export interface Found {
  readonly slots: Uint32Array;
  /** Squares of the chords of the unit sphere, in the order of the slots: they grow with the distance. */
  readonly chords: Float64Array;
}

// What the square of a chord may differ by when it is computed: for the square itself, and for the chord.
const ROUNDING = 1e-9;
const CHORD_ROUNDING = 1e-14;

/** The rows that pass and lie within so many kilometres. */
export function within({ columns, order, marks }: View, circle: Point & { readonly radius: number }): Found {
  const candidates = inBoxes(columns, order('latitude'), boxesAround(circle, circle.radius));
  const chordTo = chordsFrom(circle, columns);
  const isWithin = edgeTest(columns, circle);
  const edge = squaredChord(circle.radius);
  const rounding = edge * ROUNDING + Math.sqrt(edge) * CHORD_ROUNDING;
  const [inside, outside] = [edge - rounding, edge + rounding];
  const chords = new Float64Array(candidates.length);
  let count = 0;
  for (const slot of candidates) {
    if (marks?.[slot] === 0) continue;
    const chord = chordTo(slot);
    if (chord > outside || (chord > inside && !isWithin(slot))) continue;
    candidates[count] = slot;
    chords[count] = chord;
    count += 1;
  }
  return { slots: candidates.subarray(0, count), chords: chords.subarray(0, count) };
}

/** Whether a row lies within a circle by the distance that is answered. */
function edgeTest(
  { latitude, longitude }: Columns,
  circle: Point & { readonly radius: number },
): (slot: number) => boolean {
  const kilometresTo = kilometresFrom(circle);
  return (slot) => kilometresTo(latitude[slot] ?? NaN, longitude[slot] ?? NaN) <= circle.radius;
}

/** The rows in boxes that differ in their longitudes alone and do not meet: a copy, in the order of the latitudes. */
export function inBoxes(columns: Columns, byLatitude: Uint32Array, boxes: readonly Box[]): Uint32Array {
  const { longitude } = columns;
  const slots = band(columns, byLatitude, boxes);
  const found = new Uint32Array(slots.length);
  let count = 0;
  for (const { west, east } of boxes)
    for (const slot of slots) {
      const degrees = longitude[slot] ?? NaN;
      if (degrees < west || degrees > east) continue;
      found[count] = slot;
      count += 1;
    }
  return found.subarray(0, count);
}

/** Makes a function of the squared chord from a point to the row in a slot, which has coordinates. */
export function chordsFrom(from: Point, { vectors }: Columns): (slot: number) => number {
  const [x, y, z] = unitVector(from);
  return (slot) => {
    const at = 3 * slot;
    const [east, north, up] = [
      (vectors[at] ?? NaN) - x,
      (vectors[at + 1] ?? NaN) - y,
      (vectors[at + 2] ?? NaN) - z,
    ];
    return east * east + north * north + up * up;
  };
}

/** The rows with coordinates, and those without. */
export function located({ latitude }: Columns, byLatitude: Uint32Array): readonly [Uint32Array, Uint32Array] {
  const end = firstBehind(byLatitude, 0, (slot) => (Number.isNaN(latitude[slot]) ? 1 : -1));
  return [byLatitude.subarray(0, end), byLatitude.subarray(end)];
}

/** The slots between the latitudes of boxes, which differ in their longitudes alone. */
function band({ latitude }: Columns, byLatitude: Uint32Array, [box]: readonly Box[]): Uint32Array {
  if (!box) return byLatitude.subarray(0, 0);
  const start = firstBehind(byLatitude, 0, (slot) => ((latitude[slot] ?? NaN) < box.south ? -1 : 1));
  const end = firstBehind(byLatitude, start, (slot) => ((latitude[slot] ?? NaN) <= box.north ? -1 : 1));
  return byLatitude.subarray(start, end);
}
