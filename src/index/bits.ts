/** A set of slots, one bit each in 32-bit words. Sets of the same rows have the same length. */
export type Bits = Uint32Array<ArrayBuffer>;

export function hasBit(bits: Bits, slot: number): boolean {
  return (((bits[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
}

export function setBit(bits: Bits, slot: number, isSet: boolean): void {
  const word = bits[slot >>> 5] ?? 0;
  const bit = 1 << (slot & 31);
  bits[slot >>> 5] = isSet ? word | bit : word & ~bit;
}

/** Keeps the slots of `bits` that are also in `others`. */
export function intersect(bits: Bits, others: Bits): void {
  for (let at = 0; at < bits.length; at += 1) bits[at] = (bits[at] ?? 0) & (others[at] ?? 0);
}

/** Removes the slots in `others` from `bits`. */
export function subtract(bits: Bits, others: Bits): void {
  for (let at = 0; at < bits.length; at += 1) bits[at] = (bits[at] ?? 0) & ~(others[at] ?? 0);
}

/** Adds the slots in `others` to `bits`. */
export function unite(bits: Bits, others: Bits): void {
  for (let at = 0; at < bits.length; at += 1) bits[at] = (bits[at] ?? 0) | (others[at] ?? 0);
}

/** The number of slots in a set. */
export function count(bits: Bits): number {
  let total = 0;
  // eslint-disable-next-line @typescript-eslint/prefer-for-of -- which takes several times as long
  for (let at = 0; at < bits.length; at += 1) {
    // The sums of pairs of bits, then of groups of four, then of eight, and the top byte of all four bytes' sum.
    let word = bits[at] ?? 0;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    total += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return total;
}

/** The slots of a set, in ascending order. */
export function slotsOf(bits: Bits): Uint32Array {
  const slots = new Uint32Array(count(bits));
  let found = 0;
  for (let at = 0; at < bits.length; at += 1)
    for (let word = bits[at] ?? 0; word !== 0; word &= word - 1) {
      slots[found] = 32 * at + 31 - Math.clz32(word & -word);
      found += 1;
    }
  return slots;
}

/** The set of some slots, for rows with `capacity` slots. */
export function bitsOf(slots: Iterable<number>, capacity: number): Bits {
  const bits = new Uint32Array(capacity >>> 5);
  for (const slot of slots) setBit(bits, slot, true);
  return bits;
}

export type SlotTest = (slot: number) => boolean;

const MOST_BYTES = 4 * 1024 * 1024;

/** Sets of the slots that pass tests, updated slot by slot, so that a list need not test every row. */
export class TestedSlots {
  readonly #sets = new Map<string, { readonly test: SlotTest; readonly bits: Bits }>();

  /** The slots that pass the test with this name. `newTest` must return the same one for the same name. */
  of(name: string, capacity: number, newTest: () => SlotTest): Bits {
    const known = this.#sets.get(name);
    if (known) return known.bits;
    const bits = new Uint32Array(capacity >>> 5);
    const test = newTest();
    for (let slot = 0; slot < capacity; slot += 1) if (test(slot)) setBit(bits, slot, true);
    if ((this.#sets.size + 1) * bits.byteLength > MOST_BYTES) this.#sets.clear();
    this.#sets.set(name, { test, bits });
    return bits;
  }

  /** Call it when the row of a slot was written. */
  update(slot: number): void {
    for (const { test, bits } of this.#sets.values()) setBit(bits, slot, test(slot));
  }

  /** Call it when the tests no longer read the current values. */
  clear(): void {
    this.#sets.clear();
  }
}
