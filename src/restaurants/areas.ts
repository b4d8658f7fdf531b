import { type Box, type Point, boxesAround, kilometresFrom } from './geo.ts';
import { firstBehind } from './orders.ts';
import type { View } from './positions.ts';
import type { Columns } from './rows.ts';

/** Rows with how far away they are. */
export interface Found {
  readonly slots: Uint32Array;
  /** Kilometres, in the order of the slots. */
  readonly distances: Float64Array;
}

/** The rows that pass and lie within so many kilometres. */
export function within({ columns, order, test }: View, circle: Point & { readonly radius: number }): Found {
  const candidates = inBoxes(columns, order('latitude'), boxesAround(circle, circle.radius));
  const distanceTo = distancesFrom(circle, columns);
  const distances = new Float64Array(candidates.length);
  let count = 0;
  for (const slot of candidates) {
    if (test?.(slot) === false) continue;
    const distance = distanceTo(slot);
    if (distance > circle.radius) continue;
    candidates[count] = slot;
    distances[count] = distance;
    count += 1;
  }
  return { slots: candidates.subarray(0, count), distances: distances.subarray(0, count) };
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

/** Makes a function of the kilometres from a point to the row in a slot, which has coordinates. */
export function distancesFrom(from: Point, { latitude, longitude }: Columns): (slot: number) => number {
  const kilometresTo = kilometresFrom(from);
  return (slot) => kilometresTo(latitude[slot] ?? NaN, longitude[slot] ?? NaN);
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
