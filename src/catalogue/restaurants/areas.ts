import { type Point, kilometresFrom, latitudesAround, squaredChord, unitVector } from './geo.ts';
import { firstBehind } from './orders.ts';
import { type Found, type View, countMarks } from './positions.ts';
import type { Columns } from './rows.ts';

/** All places within so many kilometres of a point. */
type Circle = Point & { readonly radius: number };

// What the square of a chord may differ by when it is computed: for the square itself, and for the chord.
const ROUNDING = 1e-9;
const CHORD_ROUNDING = 1e-14;
// All rows are faster than a part of them of one in so many.
const WIDE = 4;

/** The rows that pass and lie within so many kilometres, or, with an infinite radius, have coordinates. */
export function within({ columns, order, marks }: View, circle: Circle): Found {
  const { vectors, isRow } = columns;
  const passes = marks ?? isRow;
  const band = inBand(columns, order('latitude'), circle);
  // In their own order, the slots lie next to each other in memory, which takes a fifth of the time.
  const isWide = WIDE * band.length > isRow.length;
  const candidates = isWide ? isRow.length : band.length;
  const most = isWide && marks ? countMarks(marks) : candidates;
  const slots = new Uint32Array(most);
  const chords = new Float64Array(most);
  const [x, y, z] = unitVector(circle);
  const edge = squaredChord(circle.radius);
  const rounding = edge * ROUNDING + Math.sqrt(edge) * CHORD_ROUNDING;
  const [inside, outside] = [edge - rounding, edge + rounding];
  const isWithin = edgeTest(columns, circle);
  let count = 0;
  for (let index = 0; index < candidates; index += 1) {
    const slot = isWide ? index : (band[index] ?? 0);
    if (passes[slot] === 0) continue;
    const east = (vectors[3 * slot] ?? NaN) - x;
    const north = (vectors[3 * slot + 1] ?? NaN) - y;
    const up = (vectors[3 * slot + 2] ?? NaN) - z;
    const chord = east * east + north * north + up * up;
    // Without coordinates it is NaN.
    if (!(chord <= outside) || (chord > inside && !isWithin(slot))) continue;
    slots[count] = slot;
    chords[count] = chord;
    count += 1;
  }
  return { slots: slots.subarray(0, count), chords: chords.subarray(0, count) };
}

/** Those that pass a test, in the same arrays: functions that make new ones take three times as long. */
export function passing({ slots, chords }: Found, test: (slot: number) => boolean): Found {
  let count = 0;
  for (let item = 0; item < slots.length; item += 1) {
    const slot = slots[item] ?? 0;
    if (!test(slot)) continue;
    slots[count] = slot;
    chords[count] = chords[item] ?? NaN;
    count += 1;
  }
  return { slots: slots.subarray(0, count), chords: chords.subarray(0, count) };
}

/** Whether a row lies within a circle by the distance that is answered. */
function edgeTest({ latitude, longitude }: Columns, circle: Circle): (slot: number) => boolean {
  const kilometresTo = kilometresFrom(circle);
  return (slot) => kilometresTo(latitude[slot] ?? NaN, longitude[slot] ?? NaN) <= circle.radius;
}

/** The slots between the latitudes of a circle. */
function inBand({ latitude }: Columns, byLatitude: Uint32Array, circle: Circle): Uint32Array {
  const { south, north } = latitudesAround(circle, circle.radius);
  const start = firstBehind(byLatitude, 0, (slot) => ((latitude[slot] ?? NaN) < south ? -1 : 1));
  const end = firstBehind(byLatitude, start, (slot) => ((latitude[slot] ?? NaN) <= north ? -1 : 1));
  return byLatitude.subarray(start, end);
}

/** The rows without coordinates. */
export function unlocated({ columns: { latitude }, order }: View): Uint32Array {
  const byLatitude = order('latitude');
  return byLatitude.subarray(firstBehind(byLatitude, 0, (slot) => (Number.isNaN(latitude[slot]) ? 1 : -1)));
}
