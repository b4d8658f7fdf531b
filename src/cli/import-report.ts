import { closeSync, openSync, writeSync } from 'node:fs';
import { describeFailure } from '../kit/system-error.ts';
import { counted } from '../kit/sentences.ts';
import { writtenCell } from '../transfer/cells.ts';
import type { ImportFault } from '../transfer/importer.ts';
import { CommandError } from './command.ts';
import type { Progress } from './terminal.ts';

const MOST_PRINTED = 20;
const MOST_REASONS = 200;
// The parts in which similar faults differ.
const PARTICULARS = /\(.*\)|-?\d[\d.,]*/gs;

/**
 * Prints the first 20 faults of an import on standard error as they occur, and finally a count per reason. With a
 * `file`, all faults are written to it as CSV: line, name and reason.
 */
export class FaultReport {
  readonly #file: string | undefined;
  readonly #list: number | undefined;
  readonly #progress: Progress;
  readonly #reasons = new Map<string, { text: string; rows: number }>();
  #count = 0;

  /** Throws a CommandError when the file cannot be written. */
  constructor(file: string | undefined, progress: Progress) {
    this.#file = file;
    this.#progress = progress;
    if (file === undefined) return;
    try {
      // For its owner only, as it quotes the import.
      this.#list = openSync(file, 'w', 0o600);
    } catch (error) {
      throw new CommandError(`cannot write ${describeFailure(error)}`);
    }
    writeSync(this.#list, 'line,name,reason\r\n');
  }

  add({ line, name = '', reason }: ImportFault): void {
    this.#count += 1;
    if (this.#list !== undefined)
      writeSync(this.#list, `${[String(line), name, reason].map(writtenCell).join(',')}\r\n`);
    for (const one of reason.split('; ')) this.#countReason(one);
    if (this.#count > MOST_PRINTED) return;
    this.#progress.complain(`line ${line}: ${reason}`);
  }

  /** Prints how many faults there are for each reason, unless all were printed. */
  close(): void {
    if (this.#list !== undefined) closeSync(this.#list);
    if (this.#count <= MOST_PRINTED) return;
    const advice = this.#file === undefined ? 'to list them all: --faults FILE' : `all are in ${this.#file}`;
    this.#progress.complain(
      `${counted(this.#count, 'row')} failed, the first ${MOST_PRINTED} are above; ${advice}`,
    );
    const reasons = [...this.#reasons.values()].toSorted((left, right) => right.rows - left.rows);
    for (const { text, rows } of reasons) this.#progress.complain(`${String(rows).padStart(8)}  ${text}`);
  }

  /** Counts reasons that differ only in numbers or in parentheses as one, in which these become an ellipsis. */
  #countReason(reason: string): void {
    const general = reason.replace(PARTICULARS, '…');
    const isCounted = this.#reasons.has(general) || this.#reasons.size < MOST_REASONS;
    const key = isCounted ? general : 'other reasons';
    const same = this.#reasons.get(key) ?? { text: isCounted ? reason : key, rows: 0 };
    same.rows += 1;
    if (same.text !== reason) same.text = key;
    this.#reasons.set(key, same);
  }
}
