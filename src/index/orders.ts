import type { Columns, OrderName } from './columns.ts';

/** Compares two slots; 0 only for equal ones. */
export type Compare = (left: number, right: number) => number;

/** Returns a comparison by the current columns; do not use it after a write. */
export function compareSlots(order: OrderName, columns: Columns): Compare {
  const { id, created, name } = columns;
  const at = (values: Float64Array, slot: number): number => values[slot] ?? 0;
  const newerId = (left: number, right: number): number => at(id, right) - at(id, left);
  switch (order) {
    case 'newest':
      return (left, right) => at(created, right) - at(created, left) || newerId(left, right);
    case 'rating': {
      const overall = columns.numbers('overall');
      return (left, right) => at(overall, right) - at(overall, left) || newerId(left, right);
    }
    case 'name':
      return (left, right) => {
        const [mine, other] = [name[left] ?? '', name[right] ?? ''];
        return mine < other ? -1 : mine > other ? 1 : at(id, left) - at(id, right);
      };
    case 'latitude': {
      const latitude = columns.numbers('latitude');
      return (left, right) => {
        const [mine, other] = [at(latitude, left), at(latitude, right)];
        if (mine === other || (Number.isNaN(mine) && Number.isNaN(other))) return newerId(left, right);
        return mine < other || Number.isNaN(other) ? -1 : 1;
      };
    }
    case 'grid': {
      const byCell = compareCells(columns);
      return (left, right) => byCell(left, right) || newerId(left, right);
    }
  }
}

/** Compares cells along a Morton curve, which visits all of a grid square, of any size, before it leaves it. */
function compareCells({ cellX, cellY }: Columns): Compare {
  const at = (values: Uint32Array, slot: number): number => values[slot] ?? 0;
  return (left, right) => {
    const [x, y] = [at(cellX, left) ^ at(cellX, right), at(cellY, left) ^ at(cellY, right)];
    // The highest differing bit decides (Chan, "Closest-point problems simplified on the RAM").
    const isByY = x < y && x < (x ^ y);
    return isByY ? at(cellY, left) - at(cellY, right) : at(cellX, left) - at(cellX, right);
  };
}

/**
 * The slots of all rows in an order, updated on the next read: one pass removes all slots that moved and merges them back
 * in, which takes a millisecond for a million rows, however many moved. Scratch arrays are reused, because allocating large
 * ones costs more than the pass.
 */
export class Order {
  readonly #name: OrderName;
  readonly #columns: Columns;
  #slots = new Uint32Array(0);
  #stayed = new Uint32Array(0);
  #isMoved = new Uint8Array(0);
  readonly #moved = new Set<number>();
  // Whether a slot that is already in the order may have moved.
  #hasMoved = false;

  constructor(name: OrderName, columns: Columns) {
    this.#name = name;
    this.#columns = columns;
  }

  /** Call it when a row may have a new position, or was removed. */
  moved(slot: number): void {
    this.#moved.add(slot);
    this.#hasMoved = true;
  }

  /** Call it when a row was added. */
  added(slot: number): void {
    this.#moved.add(slot);
  }

  /** The current order; the returned array never changes. */
  slots(): Uint32Array {
    if (this.#moved.size > 0) this.#update();
    return this.#slots;
  }

  #update(): void {
    const { id } = this.#columns;
    const compare = compareSlots(this.#name, this.#columns);
    const added = Uint32Array.from([...this.#moved].filter((slot) => id[slot] !== 0)).sort(compare);
    this.#slots = merged(this.#hasMoved ? this.#withoutMoved() : this.#slots, added, compare);
    this.#moved.clear();
    this.#hasMoved = false;
  }

  #withoutMoved(): Uint32Array {
    const { capacity } = this.#columns;
    if (this.#isMoved.length < capacity) this.#isMoved = new Uint8Array(capacity);
    if (this.#stayed.length < this.#slots.length) this.#stayed = new Uint32Array(capacity);
    const [slots, isMoved, stayed] = [this.#slots, this.#isMoved, this.#stayed];
    for (const slot of this.#moved) isMoved[slot] = 1;
    let count = 0;
    // eslint-disable-next-line @typescript-eslint/prefer-for-of -- which takes twice as long
    for (let at = 0; at < slots.length; at += 1) {
      const slot = slots[at] ?? 0;
      stayed[count] = slot;
      if (isMoved[slot] === 0) count += 1;
    }
    for (const slot of this.#moved) isMoved[slot] = 0;
    return stayed.subarray(0, count);
  }
}

function merged(left: Uint32Array, right: Uint32Array, compare: Compare): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(left.length + right.length);
  let [at, mine] = [0, 0];
  for (const other of right) {
    const end = firstIndex(left, (slot) => compare(slot, other) >= 0, mine);
    all.set(left.subarray(mine, end), at);
    at += end - mine;
    all[at] = other;
    at += 1;
    mine = end;
  }
  all.set(left.subarray(mine), at);
  return all;
}

/** The first index from `from` whose slot passes (binary search: all later slots must pass too). */
export function firstIndex(slots: Uint32Array, passes: (slot: number) => boolean, from = 0): number {
  let [low, high] = [from, slots.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(slots[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}
