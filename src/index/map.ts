import type { Columns } from './columns.ts';
import { type Box, DOUBLINGS, FINEST_ZOOM } from './geo.ts';
import { type Selection, circleOf } from './lists.ts';
import { type MapGroup, type MapPoint, type MapRequest, type PlaceMap, STATUSES } from './request.ts';

/** Rows on a map: each alone, or together with those next to it. */
interface Gathered {
  readonly alone: Uint32Array;
  readonly groups: readonly Uint32Array[];
}

// No more rows than this are alone, and so many are not put into groups at all.
const MOST_ALONE = 1_000;
const MOST_GROUPS = 400;
const NEVER = DOUBLINGS + 1;
// Ten centimetres.
const DECIMALS = 1e6;

/** The map of a choice: points, and groups where there are many. */
export function mapOf(request: MapRequest, selection: Selection): PlaceMap {
  const { columns } = selection.rows;
  const slots = slotsOf(request, selection);
  const { alone, groups } = gather(slots, columns, request.zoom);
  return {
    total: slots.length,
    points: pointsOf(alone, columns),
    groups: groups
      .toSorted((left, right) => right.length - left.length)
      .map((group) => meanOf(group, columns, request.box)),
  };
}

/** The slots of the rows that pass, in the order of the grid. */
function slotsOf(request: MapRequest, selection: Selection): Uint32Array {
  const { rows } = selection;
  const { isRow } = rows.columns;
  const circle = circleOf(request, selection);
  let marks = selection.marks ?? isRow;
  if (circle) {
    marks = new Uint8Array(isRow.length);
    for (const slot of circle.slots) marks[slot] = 1;
  }
  const slots = rows.order('grid');
  const found = new Uint32Array(slots.length);
  let count = 0;
  // eslint-disable-next-line @typescript-eslint/prefer-for-of -- which takes twice as long
  for (let index = 0; index < slots.length; index += 1) {
    const slot = slots[index] ?? 0;
    found[count] = slot;
    if (marks[slot] === 1) count += 1;
  }
  return found.subarray(0, count);
}

function pointsOf(slots: Uint32Array, columns: Columns): readonly MapPoint[] {
  const { id, status } = columns;
  const [latitude, longitude] = [columns.numbers('latitude'), columns.numbers('longitude')];
  const overall = columns.numbers('overall');
  const points = Array.from(slots, (slot) => ({
    id: id[slot] ?? 0,
    latitude: latitude[slot] ?? 0,
    longitude: longitude[slot] ?? 0,
    overall: overall[slot] ?? 0,
    status: STATUSES[status[slot] ?? 0] ?? 'active',
  }));
  return points.sort((left, right) => left.id - right.id);
}

/** The mean of the places of a group, and their number. */
function meanOf(group: Uint32Array, columns: Columns, { west, east }: Box): MapGroup {
  const [latitude, longitude] = [columns.numbers('latitude'), columns.numbers('longitude')];
  const end = east < west ? east + 360 : east;
  let north = 0;
  let eastward = 0;
  // eslint-disable-next-line @typescript-eslint/prefer-for-of -- which takes three times as long
  for (let index = 0; index < group.length; index += 1) {
    const slot = group[index] ?? 0;
    const degrees = longitude[slot] ?? NaN;
    north += latitude[slot] ?? NaN;
    // All from the west edge on: two places at both sides of the antimeridian are next to each other.
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
 * Puts rows that share a cell into groups, once there are too many to be all alone. The cells are those of the zoom, or so
 * many times as wide that neither too many groups nor too many single rows remain. Takes the slots in the order `grid`, in
 * which those of a cell of any size follow one another: one pass counts the groups of all sizes.
 */
function gather(slots: Uint32Array, cells: Columns, zoom: number): Gathered {
  if (slots.length <= MOST_ALONE) return { alone: slots, groups: [] };
  const joins = joinsOf(slots, cells);
  const doublings = doublingsFrom(FINEST_ZOOM - zoom, joins);
  const alone: number[] = [];
  const groups: Uint32Array[] = [];
  let start = 0;
  for (let end = 1; end <= slots.length; end += 1) {
    if ((joins[end] ?? NEVER) <= doublings) continue;
    if (end === start + 1) alone.push(slots[start] ?? 0);
    else groups.push(slots.subarray(start, end));
    start = end;
  }
  return { alone: Uint32Array.from(alone), groups };
}

/** For each slot: after how many doublings of the finest grid it shares its cell with the one before. There is one at the end, too. */
function joinsOf(slots: Uint32Array, { cellX, cellY }: Columns): Uint8Array {
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

/** The first number of doublings, from some on, that leaves few groups and few that are alone. */
function doublingsFrom(first: number, joins: Uint8Array): number {
  // By doublings: how many cells, and how many with a single row, join another one then.
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
