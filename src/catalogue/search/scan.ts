import type { Current } from '../restaurants/resident.ts';
import type { Rows } from '../restaurants/rows.ts';
import { type Signatures, createSignatures } from './signatures.ts';
import { type Term, hasLookups, lookupTest } from './terms.ts';

/** To be awaited between slices of work. */
export type Pause = () => Promise<void>;

/**
 * Finds the slots of the rows that may have all the terms, the newest first, in slices of some milliseconds. They are to
 * be used at once.
 */
export type Scan = (
  terms: readonly Term[],
  current: Current,
  pause: Pause,
) => AsyncGenerator<readonly number[]>;

/** Reads the texts of some ids. */
export type TextReader = (ids: readonly number[]) => ReadonlyMap<number, string>;

// Each takes about a millisecond.
const SCANNED_AT_ONCE = 50_000;
const READ_AT_ONCE = 200;
// A word in the name of a category or food type takes a millisecond, and there may be a hundred.
const SLICE_MS = 5;

/** Makes a scan by signatures, which reads the texts of rows without one. */
export function createScan(read: TextReader): Scan {
  const signaturesByRows = new WeakMap<Rows, Signatures>();

  function signaturesOf(rows: Rows): Signatures {
    const signatures = signaturesByRows.get(rows) ?? createSignatures(rows);
    signaturesByRows.set(rows, signatures);
    return signatures;
  }

  return async function* (terms, { rows, order }, pause) {
    const signatures = signaturesOf(rows);
    const unknown = signatures.unknown();
    for (let at = 0; at < unknown.length; at += READ_AT_ONCE) {
      learn(unknown.slice(at, at + READ_AT_ONCE), signatures, rows, read);
      await pause();
    }
    const slots = order('newest');
    const passes = await matching(terms, rows, signatures, pause);
    for (let start = 0; start < slots.length; start += SCANNED_AT_ONCE) {
      if (start > 0) await pause();
      yield marked(slots.subarray(start, start + SCANNED_AT_ONCE), passes, rows);
    }
  };
}

function learn(slots: readonly number[], signatures: Signatures, rows: Rows, read: TextReader): void {
  const { id } = rows.columns();
  const texts = read(slots.map((slot) => id[slot] ?? 0));
  for (const slot of slots) signatures.learn(slot, texts.get(id[slot] ?? 0) ?? '');
}

/** By slots, a bit each: whether a row may have all the terms. */
async function matching(
  terms: readonly Term[],
  rows: Rows,
  signatures: Signatures,
  pause: Pause,
): Promise<Uint32Array> {
  let end = performance.now() + SLICE_MS;
  const inTexts = terms.filter((term) => !hasLookups(term));
  const found = signatures.matching(inTexts.map(({ text }) => text));
  for (const term of terms.filter(hasLookups)) {
    if (performance.now() > end) {
      await pause();
      end = performance.now() + SLICE_MS;
    }
    const either = signatures.matching([term.text]);
    const isNamed = lookupTest(term, rows);
    for (let slot = 0; slot < 32 * either.length; slot += 1)
      if (isNamed(slot)) either[slot >>> 5] = (either[slot >>> 5] ?? 0) | (1 << (slot & 31));
    for (let at = 0; at < found.length; at += 1) found[at] = (found[at] ?? 0) & (either[at] ?? 0);
  }
  return found;
}

function marked(slots: Uint32Array, passes: Uint32Array, rows: Rows): readonly number[] {
  const { isRow } = rows.columns();
  const found: number[] = [];
  // eslint-disable-next-line @typescript-eslint/prefer-for-of -- which takes twice as long
  for (let at = 0; at < slots.length; at += 1) {
    const slot = slots[at] ?? 0;
    if (isRow[slot] === 1 && (((passes[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1) found.push(slot);
  }
  return found;
}
