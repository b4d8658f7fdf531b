import { firstCharacters } from '../kit/input/fields.ts';
import type { ImportOutcome } from './import.ts';

/** What became of the entries of a file: how many there were of each kind, and the first that failed. */
export interface ImportSummary {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  /** The first 100, where they stand and why they failed; with the name of the restaurant, where it can be read. */
  readonly faults: readonly {
    readonly line: number;
    readonly name: string | null;
    readonly reason: string;
  }[];
}

/** Adds outcomes up. */
export interface Tally {
  readonly add: (outcomes: readonly ImportOutcome[]) => void;
  readonly summary: () => ImportSummary;
}

const MOST_FAULTS = 100;
// They quote the file, in which a cell may have a megabyte.
const MAX_NAME = 255;
const MAX_REASON = 2_000;

/** Counts the outcomes of an import. */
export function createTally(): Tally {
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const faults: ImportSummary['faults'][number][] = [];
  return {
    add: (outcomes) => {
      for (const outcome of outcomes) {
        const isFault = 'reason' in outcome;
        counts[isFault ? 'failed' : outcome.result] += 1;
        if (!isFault || faults.length === MOST_FAULTS) continue;
        const { line, name = null, reason } = outcome;
        faults.push({
          line,
          name: name === null ? null : firstCharacters(name, MAX_NAME),
          reason: firstCharacters(reason, MAX_REASON),
        });
      }
    },
    summary: () => ({ ...counts, faults }),
  };
}
