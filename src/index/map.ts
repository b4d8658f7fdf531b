import { bitsOf } from './bits.ts';
import { type Box, DOUBLINGS, FINEST_ZOOM } from './geo.ts';
import { type MapGroup, type MapPoint, type MapRequest, type PlaceMap, ROW_STATUSES } from './request.ts';
import type { Rows } from './rows.ts';
import { type Selection, passingPart } from './selection.ts';

// The most single points. Up to this many rows are not grouped at all.
const MOST_ALONE = 1_000;
const MOST_GROUPS = 400;
const NEVER = DOUBLINGS + 1;
// Rounds to ten centimetres.
const DECIMALS = 1e6;

/** The points and groups of a map. */
export function mapOf({ zoom, box }: MapRequest, { rows, passing, circle }: Selection): PlaceMap {
  const passes = circle ? bitsOf(circle.slots, rows.capacity) : (passing ?? rows.isRow);
  const slots = passingPart(rows.order('grid'), passes);
  const { alone, groups } = gather(slots, rows, zoom);
  const [latitude, longitude] = [rows.numbers('latitude'), rows.numbers('longitude')];
  const overall = rows.numbers('overall');
  const points = Array.from(alone, (slot): MapPoint => ({
    id: rows.id[slot] ?? 0,
    latitude: latitude[slot] ?? 0,
    longitude: longitude[slot] ?? 0,
    overall: overall[slot] ?? 0,
    status: ROW_STATUSES[rows.status[slot] ?? 0] ?? 'active',
  }));
  return {
    total: slots.length,
    points: points.sort((left, right) => left.id - right.id),
    groups: groups
      .toSorted((left, right) => right.length - left.length)
      .map((group) => meanOf(group, rows, box)),
  };
}

/** The mean of the places of a group, and their number. */
function meanOf(group: Uint32Array, rows: Rows, { west, east }: Box): MapGroup {
  const [latitude, longitude] = [rows.numbers('latitude'), rows.numbers('longitude')];
  const end = east < west ? east + 360 : east;
  let north = 0;
  let eastward = 0;
  // eslint-disable-next-line @typescript-eslint/prefer-for-of -- which takes three times as long
  for (let index = 0; index < group.length; index += 1) {
    const slot = group[index] ?? 0;
    const degrees = longitude[slot] ?? NaN;
    north += latitude[slot] ?? NaN;
    // Measured from the west edge, so that places on both sides of the antimeridian are close.
    eastward += degrees < west ? degrees + 360 : degrees > end ? degrees - 360 : degrees;
  }
  const mean = eastward / group.length;
  const onGlobe = mean > 180 ? mean - 360 : mean < -180 ? mean + 360 : mean;
  return [rounded(north / group.length), rounded(onGlobe), group.length];
}

function rounded(degrees: number): number {
  return Math.round(degrees * DECIMALS) / DECIMALS;
}

/**
 * Groups rows that share a cell, if there are too many for single points. Cells start at the size for the zoom and double
 * until there are few enough groups and single rows. The slots must be in the order `grid`, in which the rows of a cell of
 * any size are adjacent, so that one pass counts the groups for all sizes.
 */
function gather(slots: Uint32Array, rows: Rows, zoom: number) {
  const groups: Uint32Array[] = [];
  if (slots.length <= MOST_ALONE) return { alone: slots, groups };
  const joins = joinsOf(slots, rows);
  const doublings = doublingsFrom(FINEST_ZOOM - zoom, joins);
  const alone: number[] = [];
  let start = 0;
  for (let end = 1; end <= slots.length; end += 1) {
    if ((joins[end] ?? NEVER) <= doublings) continue;
    if (end === start + 1) alone.push(slots[start] ?? 0);
    else groups.push(slots.subarray(start, end));
    start = end;
  }
  return { alone: Uint32Array.from(alone), groups };
}

/** For each slot, the doublings of the finest cells after which it shares one with the previous slot. NEVER marks both ends. */
function joinsOf(slots: Uint32Array, { cellX, cellY }: Rows): Uint8Array {
  const joins = new Uint8Array(slots.length + 1);
  let x = 0;
  let y = 0;
  for (let index = 0; index < slots.length; index += 1) {
    const slot = slots[index] ?? 0;
    const nextX = cellX[slot] ?? 0;
    const nextY = cellY[slot] ?? 0;
    joins[index] = 32 - Math.clz32((x ^ nextX) | (y ^ nextY));
    x = nextX;
    y = nextY;
  }
  joins[0] = NEVER;
  joins[slots.length] = NEVER;
  return joins;
}

/** The lowest number of doublings, starting at `first`, that leaves few enough groups and single rows. */
function doublingsFrom(first: number, joins: Uint8Array): number {
  // Indexed by doublings: how many cells, and how many with a single row, merge into another one there.
  const cells = new Uint32Array(NEVER + 1);
  const single = new Uint32Array(NEVER + 1);
  for (let index = 0; index + 1 < joins.length; index += 1) {
    const before = joins[index] ?? NEVER;
    const sooner = Math.min(before, joins[index + 1] ?? NEVER);
    cells[before] = (cells[before] ?? 0) + 1;
    single[sooner] = (single[sooner] ?? 0) + 1;
  }
  const left = (counts: Uint32Array, doublings: number): number =>
    counts.subarray(doublings + 1).reduce((sum, count) => sum + count, 0);
  for (let doublings = first; doublings < DOUBLINGS; doublings += 1) {
    const alone = left(single, doublings);
    if (alone <= MOST_ALONE && left(cells, doublings) - alone <= MOST_GROUPS) return doublings;
  }
  return DOUBLINGS;
}
