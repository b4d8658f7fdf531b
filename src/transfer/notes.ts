import { firstCharacters } from '../kit/input/fields.ts';
import type { RefusalCode } from './faults.ts';

/** A value that was left out, shortened, or read by a guess: of which field, why, how often, and where first. */
export interface Noted {
  readonly field: string;
  /** A short, stable word. */
  readonly reason: string;
  count: number;
  readonly line: number;
  readonly example: string;
}

interface NamedNote {
  readonly name: string;
  count: number;
  readonly example: string;
}

/** A file of an archive: how it was read, or why it was not. */
export interface FileNote {
  readonly name: string;
  readonly read_as: string | null;
  readonly code: RefusalCode | null;
  readonly reason: string | null;
}

/** An encoding that a file may have, with texts of the file in it. */
export interface EncodingChoice {
  readonly encoding: string;
  readonly examples: readonly string[];
}

/** A question that the importing person must answer before anything is stored. */
export type Question = 'encoding' | 'swap_coordinates';

// No real file has as many; an answer stays small.
const MOST_NOTES = 200;
const MAX_EXAMPLE = 100;
const MAX_NAME = 255;

/** Notes as the answer of an import has them. */
export interface NotesJson {
  readonly read_as: string | null;
  readonly files: readonly FileNote[];
  readonly needs: readonly Question[];
  readonly encoding: Notes['encoding'];
  readonly swapped: { readonly count: number; readonly line: number; readonly example: string } | null;
  readonly left_out: readonly Noted[];
  readonly guessed: readonly Noted[];
  readonly taken: readonly { readonly name: string; readonly field: string }[];
  readonly ignored: readonly NamedNote[];
  readonly not_places: number;
}

/** All that the reader of a file notices, which HTTP, the app and the command show alike. */
export class Notes {
  /** What the file was taken for. */
  readAs: string | null = null;
  /** The encoding that was used, and those that the bytes allow; null where there is no doubt. */
  encoding: { readonly used: string; readonly choices: readonly EncodingChoice[] } | null = null;
  readonly files: FileNote[] = [];
  readonly questions = new Set<Question>();
  notPlaces = 0;
  readonly #leftOut = new Map<string, Noted>();
  readonly #guessed = new Map<string, Noted>();
  readonly #ignored = new Map<string, NamedNote>();
  readonly #taken = new Map<string, string>();
  #swapped: { count: number; readonly line: number; readonly example: string } | null = null;

  /** A value that was left out or shortened. */
  leftOut(field: string, reason: string, line: number, value: unknown): void {
    note(this.#leftOut, field, reason, line, value);
  }

  /** A value that was read by a guess. */
  guessed(field: string, reason: string, line: number, value: unknown): void {
    note(this.#guessed, field, reason, line, value);
  }

  /** A column or property that no field reads, and its value. */
  ignored(name: string, value: unknown): void {
    const same = this.#ignored.get(name);
    if (same) same.count += 1;
    else if (this.#ignored.size < MOST_NOTES)
      this.#ignored.set(name, { name: firstCharacters(name, MAX_NAME), count: 1, example: exampleOf(value) });
  }

  /** A column or property of another name that was read as this field. */
  taken(name: string, field: string): void {
    if (this.#taken.has(name)) return;
    if (this.#taken.size < MOST_NOTES) this.#taken.set(firstCharacters(name, MAX_NAME), field);
  }

  /** A position that is possible only with latitude and longitude swapped. */
  swapped(line: number, example: string): void {
    if (this.#swapped) this.#swapped.count += 1;
    else this.#swapped = { count: 1, line, example };
  }

  get isSwapped(): boolean {
    return this.#swapped !== null;
  }

  /** As the answer of an import has it. */
  json(): NotesJson {
    return {
      read_as: this.readAs,
      files: this.files,
      needs: [...this.questions],
      encoding: this.encoding,
      swapped: this.#swapped,
      left_out: [...this.#leftOut.values()],
      guessed: [...this.#guessed.values()],
      taken: Array.from(this.#taken, ([name, field]) => ({ name, field })),
      ignored: [...this.#ignored.values()],
      not_places: this.notPlaces,
    };
  }
}

function note(notes: Map<string, Noted>, field: string, reason: string, line: number, value: unknown): void {
  const key = `${field} ${reason}`;
  const same = notes.get(key);
  if (same) same.count += 1;
  else if (notes.size < MOST_NOTES)
    notes.set(key, { field, reason, count: 1, line, example: exampleOf(value) });
}

function exampleOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return firstCharacters(text.trim(), MAX_EXAMPLE);
}
