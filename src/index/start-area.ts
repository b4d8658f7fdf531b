import { count } from './bits.ts';
import { applyCondition } from './conditions.ts';
import { type Box, DOUBLINGS } from './geo.ts';
import type { Lookups } from './lookups.ts';
import type { StartArea } from './request.ts';
import type { Rows } from './rows.ts';
import { passingPart } from './selection.ts';

// A catalogue of at most this many places is shown as a whole.
const FEW_PLACES = 30;
// Places within this many degrees of each other are shown all at once.
const REGION = 3;
// Half the side of a start area.
const HALF = 0.15;
// Squares of 0.35 degrees are compared, 1,024 around the world; and how many of the finest cells one has on a side.
const SQUARES_DOUBLINGS = 10;
const SQUARE_DOUBLINGS = DOUBLINGS - SQUARES_DOUBLINGS;
// With fewer, an order by rating says nothing.
const FEW_RATED = 3;
// The median of more places is that of a sample.
const SAMPLE = 2_048;

/** The area at which the list of all restaurants begins. Looks at each of them once. */
export function startAreaOf(rows: Rows, lookups: Lookups): StartArea {
  const latitude = rows.numbers('latitude');
  const listed = rows.all(false);
  const placed = passingPart(rows.order('grid'), listed).filter((slot) => !Number.isNaN(latitude[slot]));
  const isWhole = placed.length <= FEW_PLACES || isRegion(placed, rows);
  const box = isWhole ? undefined : boxAroundMedian(densestSquare(placed, rows), rows);
  if (box) applyCondition({ box }, listed, rows, lookups);
  applyCondition({ column: 'overall', atLeast: 1 }, listed, rows, lookups);
  return { box, isRated: count(listed) >= FEW_RATED };
}

/** True if all places are in one region, which may lie across the antimeridian. */
function isRegion(slots: Uint32Array, rows: Rows): boolean {
  const [latitude, longitude] = [rows.numbers('latitude'), rows.numbers('longitude')];
  let [south, north, west, east, shiftedWest, shiftedEast] = [90, -90, 180, -180, 360, 0];
  for (const slot of slots) {
    const [y, x] = [latitude[slot] ?? NaN, longitude[slot] ?? NaN];
    const shifted = x < 0 ? x + 360 : x;
    south = Math.min(south, y);
    north = Math.max(north, y);
    west = Math.min(west, x);
    east = Math.max(east, x);
    shiftedWest = Math.min(shiftedWest, shifted);
    shiftedEast = Math.max(shiftedEast, shifted);
    if (north - south > REGION || Math.min(east - west, shiftedEast - shiftedWest) > REGION) return false;
  }
  return true;
}

/** The places in the square that has most of them. `slots` are in the order `grid`, in which a square is one piece. */
function densestSquare(slots: Uint32Array, { cellX, cellY }: Rows): Uint32Array {
  let [densest, most, start, current] = [0, 0, 0, -1];
  for (let at = 0; at < slots.length; at += 1) {
    const slot = slots[at] ?? 0;
    const square =
      (((cellX[slot] ?? 0) >>> SQUARE_DOUBLINGS) << SQUARES_DOUBLINGS) |
      ((cellY[slot] ?? 0) >>> SQUARE_DOUBLINGS);
    if (square !== current) start = at;
    current = square;
    if (at - start < most) continue;
    [densest, most] = [start, at - start + 1];
  }
  return slots.subarray(densest, densest + most);
}

function boxAroundMedian(slots: Uint32Array, rows: Rows): Box {
  const step = Math.ceil(slots.length / SAMPLE);
  const sample = slots.filter((_, at) => at % step === 0);
  const medianOf = (name: string): number => {
    const column = rows.numbers(name);
    const values = Float64Array.from(sample, (slot) => column[slot] ?? NaN).sort();
    return values[values.length >>> 1] ?? NaN;
  };
  const [latitude, longitude] = [medianOf('latitude'), medianOf('longitude')];
  const [west, east] = [longitude - HALF, longitude + HALF];
  return {
    west: west < -180 ? west + 360 : west,
    south: Math.max(-90, latitude - HALF),
    east: east > 180 ? east - 360 : east,
    north: Math.min(90, latitude + HALF),
  };
}
