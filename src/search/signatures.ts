import type { Columns, Rows } from '../restaurants/rows.ts';

/**
 * For every row, which three characters in a row its text has: a bit for each, of a few hundred that they share. So nearly
 * all texts that lack a word are passed over without reading them, however common the word is.
 */
export interface Signatures {
  /** Those of the slots whose rows' texts may have everything in the pattern; so may texts that are not known. */
  readonly matching: (slots: Uint32Array, pattern: Pattern) => Uint32Array;
  /** Those of the slots whose rows' texts are not known. */
  readonly unknown: (slots: Uint32Array) => Uint32Array;
  /** Notes the text of a row, as it is now. */
  readonly learn: (slot: number, text: string) => void;
}

/** The numbers of a signature that are not 0, by their indexes. */
export type Pattern = readonly { readonly index: number; readonly bits: number }[];

// 512 bits: a text of 100 characters sets a sixth of them.
const NUMBERS = 16;
const SHIFT = 32 - Math.log2(32 * NUMBERS);
const TRIGRAM = 3;

/** Makes the signatures of the rows, none of them known. */
export function createSignatures(rows: Rows): Signatures {
  let signatures = new Uint32Array(0);
  // The number of edits after which each was made.
  let edits = new Uint32Array(0);

  function grow({ edit }: Columns): void {
    const [before, editsBefore] = [signatures, edits];
    signatures = new Uint32Array(NUMBERS * edit.length);
    edits = new Uint32Array(edit.length);
    signatures.set(before);
    edits.set(editsBefore);
  }

  function select(slots: Uint32Array, isWanted: (slot: number) => boolean): Uint32Array {
    const selected = new Uint32Array(slots.length);
    let count = 0;
    // eslint-disable-next-line @typescript-eslint/prefer-for-of -- which takes ten times as long
    for (let at = 0; at < slots.length; at += 1) {
      const slot = slots[at] ?? 0;
      if (!isWanted(slot)) continue;
      selected[count] = slot;
      count += 1;
    }
    return selected.subarray(0, count);
  }

  return {
    matching: (slots, pattern) => {
      const { edit } = rows.columns();
      return select(slots, (slot) => {
        const start = NUMBERS * slot;
        for (const { index, bits } of pattern)
          if (((signatures[start + index] ?? 0) & bits) !== bits) return edits[slot] !== edit[slot];
        return true;
      });
    },
    unknown: (slots) => {
      const { edit } = rows.columns();
      return select(slots, (slot) => edits[slot] !== edit[slot]);
    },
    learn: (slot, text) => {
      const columns = rows.columns();
      if (edits.length < columns.edit.length) grow(columns);
      const signature = signatures.subarray(NUMBERS * slot, NUMBERS * (slot + 1));
      signature.fill(0);
      addBits(signature, text);
      edits[slot] = columns.edit[slot] ?? 0;
    },
  };
}

/** What the signature of every text has that has all of these. */
export function patternOf(texts: readonly string[]): Pattern {
  const signature = new Uint32Array(NUMBERS);
  for (const text of texts) addBits(signature, text);
  return [...signature.entries()].flatMap(([index, bits]) => (bits === 0 ? [] : { index, bits: bits | 0 }));
}

function addBits(signature: Uint32Array, text: string): void {
  for (let at = 0; at + TRIGRAM <= text.length; at += 1) {
    const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
    // Multiplied by a large odd number, the highest bits depend on all others (Fibonacci hashing).
    const bit = Math.imul((first * 31 + second) * 31 + third, 0x9e3779b1) >>> SHIFT;
    signature[bit >>> 5] = (signature[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }
}
