import type { Current } from '../restaurants/resident.ts';
import type { Rows } from '../restaurants/rows.ts';
import { type Signatures, createSignatures, patternOf } from './signatures.ts';
import { type Term, hasLookups, lookupTest } from './terms.ts';

/** To be awaited between slices of work. */
export type Pause = () => Promise<void>;

/**
 * Finds the slots of the rows that may have all the terms, the newest first, in slices of some milliseconds. They are to
 * be used at once.
 */
export type Scan = (terms: readonly Term[], current: Current, pause: Pause) => AsyncGenerator<Uint32Array>;

/** Reads the texts of some ids. */
export type TextReader = (ids: readonly number[]) => ReadonlyMap<number, string>;

// Each takes about a millisecond.
const SCANNED_AT_ONCE = 20_000;
const READ_AT_ONCE = 200;

/** Makes a scan by signatures, which reads the texts of rows without one. */
export function createScan(read: TextReader): Scan {
  const signaturesByRows = new WeakMap<Rows, Signatures>();

  function signaturesOf(rows: Rows): Signatures {
    const signatures = signaturesByRows.get(rows) ?? createSignatures(rows);
    signaturesByRows.set(rows, signatures);
    return signatures;
  }

  return async function* (terms, { rows, order }, pause) {
    const slots = order('newest');
    const signatures = signaturesOf(rows);
    for (let start = 0; start < slots.length; start += SCANNED_AT_ONCE) {
      if (start > 0) await pause();
      const part = slots.subarray(start, start + SCANNED_AT_ONCE);
      const missing = signatures.unknown(part);
      for (let at = 0; at < missing.length; at += READ_AT_ONCE) {
        learn(missing.subarray(at, at + READ_AT_ONCE), signatures, rows, read);
        await pause();
      }
      yield matching(part, terms, rows, signatures);
    }
  };
}

function learn(slots: Uint32Array, signatures: Signatures, rows: Rows, read: TextReader): void {
  const { id } = rows.columns();
  const texts = read(Array.from(slots, (slot) => id[slot] ?? 0));
  for (const slot of slots) signatures.learn(slot, texts.get(id[slot] ?? 0) ?? '');
}

/** The slots of rows that may have all the terms. */
function matching(
  slots: Uint32Array,
  terms: readonly Term[],
  rows: Rows,
  signatures: Signatures,
): Uint32Array {
  const [inLookups, others] = [terms.filter(hasLookups), terms.filter((term) => !hasLookups(term))];
  const { isRow } = rows.columns();
  const patterned = signatures.matching(slots, patternOf(others.map(({ text }) => text)));
  let found = patterned.filter((slot) => isRow[slot] === 1);
  for (const term of inLookups) {
    const isNamed = lookupTest(term, rows);
    const inTexts = new Set(signatures.matching(found, patternOf([term.text])));
    found = found.filter((slot) => isNamed(slot) || inTexts.has(slot));
  }
  return found;
}
