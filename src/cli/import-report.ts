import { closeSync, openSync, writeSync } from 'node:fs';
import { counted } from '../operations/inspection/findings.ts';
import { writtenCell } from '../transfer/cells.ts';
import type { ImportOutcome } from '../transfer/import.ts';
import { CommandError } from './command.ts';
import { describeFailure } from '../kit/system-error.ts';
import { type Progress, bar, complain } from './terminal.ts';

/** The entries that an import could not store. */
export interface Faults {
  readonly add: (fault: Fault) => void;
  /** Prints what was not printed yet: how many there are for each reason. */
  readonly close: () => void;
}

type Fault = Extract<ImportOutcome, { readonly reason: string }>;

const MOST_PRINTED = 20;
const MOST_REASONS = 200;
// What differs between faults of one kind.
const PARTICULARS = /\(.*\)|-?\d[\d.,]*/gs;

/**
 * Prints the first 20 faults on standard error as they come, and at the end a count for each reason of all of them. With a
 * `file`, all are written to it as CSV: line, name and reason. Throws a CommandError when that cannot be written.
 */
export function createFaults(file: string | undefined, progress: Progress): Faults {
  const list = file === undefined ? undefined : openList(file);
  const reasons = createReasons();
  let count = 0;
  return {
    add: (fault) => {
      count += 1;
      list?.add(fault);
      reasons.add(fault.reason);
      if (count > MOST_PRINTED) return;
      progress.clear();
      complain(`line ${fault.line}: ${fault.reason}`);
    },
    close: () => {
      list?.close();
      if (count <= MOST_PRINTED) return;
      progress.clear();
      const advice = file === undefined ? 'to list them all: --faults FILE' : `all are in ${file}`;
      complain(`${counted(count, 'row')} failed, the first ${MOST_PRINTED} are above; ${advice}`);
      for (const [reason, rows] of reasons.all()) complain(`${String(rows).padStart(8)}  ${reason}`);
    },
  };
}

/** Counts reasons. Of several that differ in numbers or in parentheses alone, these become an ellipsis. */
function createReasons() {
  const found = new Map<string, { text: string; rows: number }>();
  const addOne = (reason: string): void => {
    const general = reason.replace(PARTICULARS, '…');
    const key = found.has(general) || found.size < MOST_REASONS ? general : 'other reasons';
    const same = found.get(key) ?? { text: key === general ? reason : key, rows: 0 };
    same.rows += 1;
    if (same.text !== reason) same.text = key;
    found.set(key, same);
  };
  return {
    add: (reason: string): void => {
      for (const one of reason.split('; ')) addOne(one);
    },
    all: (): readonly (readonly [string, number])[] =>
      [...found.values()]
        .toSorted((left, right) => right.rows - left.rows)
        .map(({ text, rows }) => [text, rows]),
  };
}

/** Opens a list of faults, which is its owner's alone as it quotes the file. */
function openList(file: string) {
  const descriptor = openForWriting(file);
  writeSync(descriptor, 'line,name,reason\r\n');
  return {
    add: ({ line, name = '', reason }: Fault): void => {
      writeSync(descriptor, `${[String(line), name, reason].map(writtenCell).join(',')}\r\n`);
    },
    close: (): void => {
      closeSync(descriptor);
    },
  };
}

function openForWriting(file: string): number {
  try {
    return openSync(file, 'w', 0o600);
  } catch (error) {
    throw new CommandError(`cannot write ${describeFailure(error)}`);
  }
}

/** Counts what became of the rows of an import. */
export interface Counts {
  readonly add: (outcomes: readonly ImportOutcome[]) => void;
  /** The number of rows, in words. */
  readonly total: () => string;
  /** All counts, in words. */
  readonly summary: () => string;
  readonly hasFailed: () => boolean;
}

/** Counts the outcomes of an import, hands on those that failed, and shows how far it has come. */
export function createCounts(
  progress: Progress,
  faults: Faults,
  readShare: () => number | undefined,
): Counts {
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const total = (): string =>
    counted(
      Object.values(counts).reduce((sum, count) => sum + count, 0),
      'row',
    );
  progress.follow(() => {
    const share = readShare();
    return `${share === undefined ? '' : `${bar(share)} `}${total()}`;
  });
  return {
    total,
    add: (outcomes) => {
      for (const outcome of outcomes) {
        counts['reason' in outcome ? 'failed' : outcome.result] += 1;
        if ('reason' in outcome) faults.add(outcome);
      }
    },
    summary: () => {
      const words = Object.entries(counts).map(([result, count]) => `${count} ${result}`);
      return `${total()}: ${words.join(', ')}`;
    },
    hasFailed: () => counts.failed > 0,
  };
}
