import { copied } from '../kit/objects.ts';
import { type Bits, hasBit } from './bits.ts';

/** Compares two slots. */
export type Compare = (left: number, right: number) => number;

/**
 * The slots of all rows in an order, updated on the next read: one pass removes all slots that moved, and a second one
 * inserts them in their new positions. Both take a millisecond for a million rows, however many moved.
 */
export class Order {
  #slots = new Uint32Array(0);
  #length = 0;
  readonly #moved = new Set<number>();
  // Whether a slot that is already in the order may have moved.
  #hasMoved = false;

  /** Call it when a row may have a new position, or was removed. */
  moved(slot: number): void {
    this.#moved.add(slot);
    this.#hasMoved = true;
  }

  /** Call it when a row was added. */
  added(slot: number): void {
    this.#moved.add(slot);
  }

  /** The current order. The next update changes the array. */
  slots(isRow: Bits, compare: () => Compare): Uint32Array {
    if (this.#hasMoved) this.#removeMoved(32 * isRow.length);
    if (this.#moved.size > 0) this.#insertMoved(isRow, compare());
    return this.#slots.subarray(0, this.#length);
  }

  #removeMoved(capacity: number): void {
    const slots = this.#slots;
    const isMoved = new Uint8Array(capacity);
    for (const slot of this.#moved) isMoved[slot] = 1;
    let stayed = 0;
    for (let at = 0; at < this.#length; at += 1) {
      const slot = slots[at] ?? 0;
      slots[stayed] = slot;
      if (isMoved[slot] === 0) stayed += 1;
    }
    this.#length = stayed;
    this.#hasMoved = false;
  }

  #insertMoved(isRow: Bits, compare: Compare): void {
    const inserted = Uint32Array.from([...this.#moved].filter((slot) => hasBit(isRow, slot))).sort(compare);
    const length = this.#length + inserted.length;
    if (length > this.#slots.length) this.#slots = copied(this.#slots, new Uint32Array(32 * isRow.length));
    const slots = this.#slots;
    // From the last one, so that every slot is shifted once.
    let end = this.#length;
    for (let left = inserted.length - 1; left >= 0; left -= 1) {
      const slot = inserted[left] ?? 0;
      const at = firstIndex(slots.subarray(0, end), (other) => compare(other, slot) >= 0);
      slots.copyWithin(at + left + 1, at, end);
      slots[at + left] = slot;
      end = at;
    }
    this.#length = length;
    this.#moved.clear();
  }
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

/** The values from `start` to `end` of a sort, in order. Reorders `values`. */
export function sortedPart(values: Uint32Array, start: number, end: number, compare: Compare): Uint32Array {
  select(values, start, compare);
  const rest = values.subarray(start);
  select(rest, end - start, compare);
  return rest.subarray(0, end - start).sort(compare);
}

/** Moves the first `count` values of a sort to the front (Hoare's selection). */
function select(values: Uint32Array, count: number, compare: Compare): void {
  let [low, high] = [0, values.length - 1];
  while (low < high && count > low && count <= high) {
    const pivot = values[(low + high) >> 1] ?? 0;
    let [left, right] = [low, high];
    while (left <= right) {
      while (compare(values[left] ?? 0, pivot) < 0) left += 1;
      while (compare(values[right] ?? 0, pivot) > 0) right -= 1;
      if (left > right) break;
      const moved = values[left] ?? 0;
      values[left] = values[right] ?? 0;
      values[right] = moved;
      left += 1;
      right -= 1;
    }
    if (count <= right) high = right;
    else if (count >= left) low = left;
    else return;
  }
}
