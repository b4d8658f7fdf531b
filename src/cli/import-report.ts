import { closeSync, openSync, writeSync } from 'node:fs';
import { describeFailure } from '../kit/system-error.ts';
import { counted } from '../kit/sentences.ts';
import { writtenCell } from '../transfer/cells.ts';
import type { ImportFault } from '../transfer/importer.ts';
import type { Noted, NotesJson } from '../transfer/notes.ts';
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

// The reasons of notes in words.
const REASONS: Readonly<Record<string, string>> = {
  too_long: 'too long, and shortened or left out',
  too_many: 'too many, the rest was left out',
  not_a_text: 'not a text',
  not_a_number: 'not a number',
  out_of_range: 'out of range',
  not_a_position: 'not a position',
  no_position: 'without a position',
  not_a_moment: 'not a date',
  two_readings: 'a date that can be read in two ways',
  not_a_link: 'not a web address',
  not_a_choice: 'not one of the values that are known',
  not_a_name: 'not a name',
  not_valid: 'not valid',
  unknown_hours: 'stored, but not understood',
  incomplete: 'a rating needs three scores',
  without_user: 'left out: it is private, and goes on a list with --user',
  people: 'left out: only a backup restores lists and visits',
  decimal_comma: 'read with a decimal comma',
  rounded: 'rounded',
};

/** What the reader of a file noticed, as lines. */
export function noteLines(notes: NotesJson): readonly string[] {
  const noted = ({ field, reason, count, line, example }: Noted): string =>
    `${field}: ${REASONS[reason] ?? reason}, in ${counted(count, 'row')} ` +
    `(first on line ${line}${example === '' ? '' : `: ${example}`})`;
  const { encoding, swapped } = notes;
  return [
    ...(notes.read_as === null ? [] : [readAs(notes.read_as)]),
    ...notes.files.map(({ name, read_as, reason }) => `${name}: ${reason ?? readAs(read_as)}`),
    ...(encoding
      ? [`the file is read as ${encoding.used}, by a guess; --encoding names another one of:`]
      : []),
    ...(encoding?.choices ?? []).map(({ encoding: one, examples }) => `  ${one}: ${examples.join(' | ')}`),
    ...(swapped ? [`latitude and longitude seem to be swapped in ${counted(swapped.count, 'row')}`] : []),
    ...listLine(
      'columns taken for fields',
      notes.taken.map(({ name, field }) => `${name} (${field})`),
    ),
    ...notes.guessed.map(noted),
    ...notes.left_out.map(noted),
    ...listLine(
      'columns left out',
      notes.ignored.map(({ name, count }) => `${name} (${counted(count, 'row')})`),
    ),
    ...(notes.not_places > 0 ? [`no places, left out: ${counted(notes.not_places, 'row')}`] : []),
  ];
}

function readAs(kind: string | null): string {
  return `read as ${kind?.replaceAll('_', ' ') ?? 'nothing'}`;
}

function listLine(title: string, texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? [] : [`${title}: ${texts.join(', ')}`];
}
