import { type Box, DOUBLINGS, compareCells, finestCell } from './geo.ts';
import { firstIndex } from './orders.ts';
import type { Rows } from './rows.ts';

// A box is covered by at most this many squares a side: more squares fit it better, but each is searched for.
const MOST_ACROSS = 5;
// Scanning all rows is faster than following an order through more than a quarter of them.
const WIDE = 4;
const CELLS = 2 ** DOUBLINGS;

/**
 * The slots of all rows in a box, and of some around it; undefined if that would be many. A box whose west is greater than
 * its east spans the antimeridian.
 */
export function slotsAround({ south, north, west, east }: Box, rows: Rows): Uint32Array | undefined {
  // One cell more on each side, for rounding, and because 180 and -180 degrees are the same meridian.
  const [left, top] = finestCell({ latitude: Math.min(north, 90), longitude: west });
  const [right, bottom] = finestCell({ latitude: Math.max(south, -90), longitude: east });
  const [fromX, toX] = [left - 1, right + 1 + (east < west ? CELLS : 0)];
  const [fromY, toY] = [Math.max(0, top - 1), Math.min(CELLS - 1, bottom + 1)];
  let doublings = 0;
  const across = (from: number, to: number): number =>
    Math.floor(to / 2 ** doublings) - Math.floor(from / 2 ** doublings) + 1;
  while (across(fromX, toX) > MOST_ACROSS || across(fromY, toY) > MOST_ACROSS) doublings += 1;
  const size = 2 ** doublings;
  const order = rows.order('grid');
  const parts = new Map<number, Uint32Array>();
  let length = 0;
  for (let y = Math.floor(fromY / size) * size; y <= toY; y += size)
    for (let column = Math.floor(fromX / size) * size; column <= toX; column += size) {
      const x = (column + CELLS) % CELLS;
      if (parts.has(y * CELLS + x)) continue;
      const part = rowsInSquare(x, y, size, order, rows);
      parts.set(y * CELLS + x, part);
      length += part.length;
      if (WIDE * length > rows.capacity) return undefined;
    }
  const slots = new Uint32Array(length);
  let at = 0;
  for (const part of parts.values()) {
    slots.set(part, at);
    at += part.length;
  }
  return slots;
}

/** The part of the order `grid` in the square whose north-west cell is given. */
function rowsInSquare(x: number, y: number, size: number, order: Uint32Array, rows: Rows): Uint32Array {
  const { cellX, cellY } = rows;
  const [lastX, lastY] = [x + size - 1, y + size - 1];
  const start = firstIndex(order, (slot) => compareCells(cellX[slot] ?? 0, cellY[slot] ?? 0, x, y) >= 0);
  const end = firstIndex(
    order,
    (slot) => compareCells(cellX[slot] ?? 0, cellY[slot] ?? 0, lastX, lastY) > 0,
    start,
  );
  return order.subarray(start, end);
}
