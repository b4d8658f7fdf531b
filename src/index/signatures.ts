import { type Bits, intersect } from './bits.ts';

// A text of 100 characters sets a sixth of them.
export const TEXT_BITS = 512;
// A name of 25 characters sets a third of them.
export const NAME_BITS = 64;
const TRIGRAM = 3;
// Of cached sets.
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * For every row, a Bloom filter of the trigrams in its text. It rules out nearly all texts that lack a word without reading
 * them, however common the word is. The same bit of all rows is contiguous, so that a search reads little memory.
 */
export class Signatures {
  readonly #bitCount: number;
  // 32-bit numbers per bit of the signature; each covers 32 slots.
  #length = 0;
  #bits = new Uint32Array(0);
  #isLearned = new Uint8Array(0);
  readonly #unknown = new Set<number>();
  readonly #byWord = new Map<string, Bits>();

  /** `bitCount` must be a power of two. */
  constructor(bitCount: number) {
    this.#bitCount = bitCount;
  }

  /** `slots` must be a power of two. */
  grow(slots: number): void {
    const [before, lengthBefore] = [this.#bits, this.#length];
    const isLearned = this.#isLearned;
    this.#byWord.clear();
    this.#isLearned = new Uint8Array(slots);
    this.#isLearned.set(isLearned);
    this.#length = slots >>> 5;
    this.#bits = new Uint32Array(this.#bitCount * this.#length);
    for (let bit = 0; bit < this.#bitCount; bit += 1)
      this.#bits.set(before.subarray(bit * lengthBefore, (bit + 1) * lengthBefore), bit * this.#length);
  }

  /** Call it when the text of a slot may have changed. */
  forget(slot: number): void {
    this.#unknown.add(slot);
  }

  /** Call it when the row of a slot was removed. */
  drop(slot: number): void {
    this.#unknown.delete(slot);
  }

  /** Up to `most` slots that need `learn`. */
  unknown(most: number): readonly number[] {
    return this.#unknown.values().take(most).toArray();
  }

  learn(slot: number, text: string): void {
    const [at, mask] = [slot >>> 5, 1 << (slot & 31)];
    const set = (bit: number, isSet: boolean): void => {
      const index = bit * this.#length + at;
      const bits = this.#bits[index] ?? 0;
      this.#bits[index] = isSet ? bits | mask : bits & ~mask;
    };
    if (this.#isLearned[slot] === 1) for (let bit = 0; bit < this.#bitCount; bit += 1) set(bit, false);
    for (const bit of this.#bitsOf(text)) set(bit, true);
    this.#isLearned[slot] = 1;
    this.#byWord.clear();
    this.#unknown.delete(slot);
  }

  /** One bit per slot: set if the text of the row may have all of these words. */
  matching(words: readonly string[]): Bits {
    const found = new Uint32Array(this.#length).fill(0xffffffff);
    for (const word of words) intersect(found, this.#having(word));
    return found;
  }

  /** The slots whose texts may have a word, cached until a text changes. */
  #having(word: string): Bits {
    const known = this.#byWord.get(word);
    if (known) return known;
    const found = new Uint32Array(this.#length).fill(0xffffffff);
    for (const bit of new Set(this.#bitsOf(word)))
      intersect(found, this.#bits.subarray(bit * this.#length, (bit + 1) * this.#length));
    if ((this.#byWord.size + 1) * found.byteLength > MOST_BYTES) this.#byWord.clear();
    this.#byWord.set(word, found);
    return found;
  }

  *#bitsOf(text: string): Generator<number> {
    const shift = Math.clz32(this.#bitCount) + 1;
    for (let at = 0; at + TRIGRAM <= text.length; at += 1) {
      const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
      // Fibonacci hashing: multiplying by a large odd number makes the highest bits depend on all others.
      yield Math.imul((first * 31 + second) * 31 + third, 0x9e3779b1) >>> shift;
    }
  }
}
