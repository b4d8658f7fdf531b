import { type Box, type Point, boxesAround, kilometres } from './geo.ts';
import { firstBehind } from './orders.ts';
import type { View } from './positions.ts';
import type { Columns } from './rows.ts';
import type { Test } from './filters.ts';

/** Rows with how far away they are. */
export interface Found {
  readonly slots: Uint32Array;
  /** Kilometres, in the order of the slots. */
  readonly distances: Float64Array;
}

/** The rows that pass and lie within so many kilometres. */
export function within({ columns, order, test }: View, circle: Point & { readonly radius: number }): Found {
  const boxes = boxesAround(circle, circle.radius);
  const { longitude } = columns;
  const inBoxes: Test = (slot) => {
    const east = longitude[slot] ?? NaN;
    return boxes.some((box) => east >= box.west && east <= box.east);
  };
  const distanceTo = distancesFrom(circle, columns);
  const candidates = band(columns, order('latitude'), boxes);
  const slots = new Uint32Array(candidates.length);
  const distances = new Float64Array(candidates.length);
  let count = 0;
  for (const slot of candidates) {
    if (!inBoxes(slot) || (test && !test(slot))) continue;
    const distance = distanceTo(slot);
    if (distance > circle.radius) continue;
    slots[count] = slot;
    distances[count] = distance;
    count += 1;
  }
  return { slots: slots.subarray(0, count), distances: distances.subarray(0, count) };
}

/** Makes a function of the kilometres from a point to the row in a slot, which has coordinates. */
export function distancesFrom(from: Point, { latitude, longitude }: Columns): (slot: number) => number {
  return (slot) => kilometres(from.latitude, from.longitude, latitude[slot] ?? NaN, longitude[slot] ?? NaN);
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
