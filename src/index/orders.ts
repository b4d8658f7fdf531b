import { copied } from '../kit/objects.ts';

/** Compares two slots. */
export type Compare = (left: number, right: number) => number;

/** The slots of all rows in an order. */
export class Order {
  #slots = new Uint32Array(0);
  #length = 0;

  /** The next write changes the array. */
  slots(): Uint32Array {
    return this.#slots.subarray(0, this.#length);
  }

  /** Call it before anything changes that the slots are compared by. */
  remove(slots: Uint32Array, compare: Compare): void {
    const all = this.slots();
    const indexOf = (slot: number): number => {
      const at = firstIndex(all, (other) => compare(other, slot) >= 0);
      // A date that someone stored without a meaning compares with nothing.
      return all[at] === slot ? at : all.indexOf(slot);
    };
    // One that a failed write left out is in no order.
    const gaps = slots
      .map(indexOf)
      .filter((at) => at < all.length)
      .sort();
    // In one pass, so that every slot is shifted once.
    for (const [count, gap] of gaps.entries()) all.copyWithin(gap - count, gap + 1, gaps[count + 1]);
    this.#length -= gaps.length;
  }

  insert(slots: Uint32Array, compare: Compare): void {
    const inserted = slots.toSorted(compare);
    const length = this.#length + inserted.length;
    if (length > this.#slots.length) this.#slots = copied(this.#slots, new Uint32Array(2 * length));
    const all = this.#slots;
    // From the last one, again in one pass.
    let end = this.#length;
    for (let left = inserted.length - 1; left >= 0; left -= 1) {
      const slot = inserted[left] ?? 0;
      const at = firstIndex(all.subarray(0, end), (other) => compare(other, slot) >= 0);
      all.copyWithin(at + left + 1, at, end);
      all[at + left] = slot;
      end = at;
    }
    this.#length = length;
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
