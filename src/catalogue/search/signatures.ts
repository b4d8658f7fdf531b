import type { Rows } from '../restaurants/rows.ts';

/**
 * For every row, which three characters in a row its text has: a bit for each, of a few hundred that they share. So nearly
 * all texts that lack a word are passed over without reading them, however common the word is.
 */
export interface Signatures {
  /** The slots of rows whose texts are not known as they are now. */
  readonly unknown: () => readonly number[];
  /** Notes the text of a row, as it is now. */
  readonly learn: (slot: number, text: string) => void;
  /** By slots, a bit each: whether the text of its row may have all of these. */
  readonly matching: (words: readonly string[]) => Uint32Array;
}

// A text of 100 characters sets a sixth of them.
const BITS = 512;
const SHIFT = 32 - Math.log2(BITS);
const TRIGRAM = 3;

/** Makes the signatures of the rows, none of them known. A bit of all rows lies together, so that few of them are read. */
export function createSignatures(rows: Rows): Signatures {
  let length = 0;
  let bits = new Uint32Array(0);
  // The number of edits of each slot when it was learned, and of all slots when none was unknown.
  let edits = new Uint32Array(0);
  let knownUpTo = -1;

  function grow(capacity: number): void {
    const [before, editsBefore, lengthBefore] = [bits, edits, length];
    length = capacity >>> 5;
    bits = new Uint32Array(BITS * length);
    edits = new Uint32Array(capacity);
    edits.set(editsBefore);
    for (let bit = 0; bit < BITS; bit += 1)
      bits.set(before.subarray(bit * lengthBefore, (bit + 1) * lengthBefore), bit * length);
  }

  function change(bit: number, slot: number, isSet: boolean): void {
    const at = bit * length + (slot >>> 5);
    const mask = 1 << (slot & 31);
    bits[at] = isSet ? (bits[at] ?? 0) | mask : (bits[at] ?? 0) & ~mask;
  }

  return {
    unknown: () => {
      const now = rows.edits();
      if (now === knownUpTo) return [];
      const { edit, isRow } = rows.columns();
      const unknown: number[] = [];
      for (let slot = 0; slot < edit.length; slot += 1)
        if (isRow[slot] === 1 && edits[slot] !== edit[slot]) unknown.push(slot);
      if (unknown.length === 0) knownUpTo = now;
      return unknown;
    },
    learn: (slot, text) => {
      const { edit } = rows.columns();
      if (edits.length < edit.length) grow(edit.length);
      if (edits[slot] !== 0) for (let bit = 0; bit < BITS; bit += 1) change(bit, slot, false);
      for (const bit of bitsOf(text)) change(bit, slot, true);
      edits[slot] = edit[slot] ?? 0;
    },
    matching: (words) => {
      const found = new Uint32Array(length).fill(0xffffffff);
      for (const bit of new Set(words.flatMap((word) => [...bitsOf(word)])))
        for (let at = 0; at < length; at += 1) found[at] = (found[at] ?? 0) & (bits[bit * length + at] ?? 0);
      return found;
    },
  };
}

function* bitsOf(text: string): Generator<number> {
  for (let at = 0; at + TRIGRAM <= text.length; at += 1) {
    const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
    // Multiplied by a large odd number, the highest bits depend on all others (Fibonacci hashing).
    yield Math.imul((first * 31 + second) * 31 + third, 0x9e3779b1) >>> SHIFT;
  }
}
