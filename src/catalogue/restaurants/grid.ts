import type { Point } from './geo.ts';

/** Columns of the rows in memory: the cell of each row in the finest grid. */
export interface Cells {
  readonly cellX: Uint32Array;
  readonly cellY: Uint32Array;
}

/** Rows on a map: each alone, or together with those next to it. */
export interface Gathered {
  readonly alone: Uint32Array;
  readonly groups: readonly Uint32Array[];
}

/** The greatest zoom of a map, whose world is 256 x 2^zoom pixels wide. */
export const FINEST_ZOOM = 22;
/** No more rows than this are alone, and so many are not put into groups at all. */
export const MOST_ALONE = 1_000;
/** There are no more groups than this. */
export const MOST_GROUPS = 400;

// Cells are 64 pixels wide, so that the finest grid has 2^24 of them in a row; when they have doubled so often, there is one.
const DOUBLINGS = FINEST_ZOOM + 2;
const NEVER = DOUBLINGS + 1;
const CELLS = 2 ** DOUBLINGS;

/** The cell of a point in the finest grid of Web Mercator, counted from the west and from the north; what lies beyond its edges is in the outermost cells. */
export function finestCell({ latitude, longitude }: Point): readonly [x: number, y: number] {
  const sine = Math.sin((latitude * Math.PI) / 180);
  return [cellAt(longitude / 360 + 0.5), cellAt(0.5 - Math.atanh(sine) / (2 * Math.PI))];
}

function cellAt(share: number): number {
  return Math.min(CELLS - 1, Math.max(0, Math.floor(share * CELLS)));
}

/** Compares two cells by a curve that leaves a square of the grid, of any size, only when it has been everywhere in it (Morton). */
export function compareCells({ cellX, cellY }: Cells): (left: number, right: number) => number {
  const at = (values: Uint32Array, slot: number): number => values[slot] ?? 0;
  return (left, right) => {
    const [x, y] = [at(cellX, left) ^ at(cellX, right), at(cellY, left) ^ at(cellY, right)];
    // The highest bit in which they differ decides (Chan, "Closest-point problems simplified on the RAM").
    const isByY = x < y && x < (x ^ y);
    return isByY ? at(cellY, left) - at(cellY, right) : at(cellX, left) - at(cellX, right);
  };
}

/**
 * Puts rows that share a cell into groups, once there are too many to be all alone. The cells are those of the zoom, or so
 * many times as wide that neither too many groups nor too many single rows remain. Takes the slots in the order `grid`, in
 * which those of a cell of any size follow one another: one pass counts the groups of all sizes.
 */
export function gather(slots: Uint32Array, cells: Cells, zoom: number): Gathered {
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
function joinsOf(slots: Uint32Array, { cellX, cellY }: Cells): Uint8Array {
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
