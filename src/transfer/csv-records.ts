import { faultAt } from './faults.ts';
import { type Chunks, type Found, MAX_RECORD, byteTexts, decodeText } from './source.ts';

type CsvRecord = Found<readonly string[]>;

// More than any real table has, and little enough for memory.
const MAX_CELLS = 10_000;
const DELIMITERS = [',', ';', '\t', '|'] as const;
// Enough to find the header, even after a few lines of prose.
const HEAD_SIZE = 64 * 1024;
const HEAD_LINES = 8;
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/**
 * Reads the records of a CSV file (RFC 4180) as it arrives. Quoted cells may hold delimiters, doubled quotes and line
 * breaks. The delimiter is the one that makes `isHeader` accept one of the first lines, else the most frequent one in
 * the first line. Records with only empty cells are skipped.
 */
export async function* readCsvRecords(
  chunks: Chunks,
  isHeader: (cells: readonly string[]) => boolean,
): AsyncGenerator<CsvRecord> {
  let scanner: Scanner | undefined;
  let head = '';
  const start = (): Iterable<CsvRecord> => {
    const text = head.replace(BYTE_ORDER_MARK, '');
    scanner = new Scanner(findDelimiter(text, isHeader));
    return scanner.feed(text);
  };
  for await (const text of byteTexts(chunks)) {
    if (scanner) yield* scanner.feed(text);
    else {
      head += text;
      if (head.length >= HEAD_SIZE) yield* start();
    }
  }
  if (!scanner) yield* start();
  const last = scanner?.end();
  if (last) yield last;
}

/**
 * The cells of CSV inside a cell, a list, also over several lines. Text with an unclosed quote is not CSV, and is split
 * at the delimiters.
 */
export function splitCells(text: string, delimiter = ','): readonly string[] {
  const scanner = new Scanner(delimiter);
  const records = [...scanner.feed(Buffer.from(text).toString('latin1')), scanner.end()];
  if (records.some((record) => record && 'fault' in record)) return text.split(delimiter);
  return records.flatMap((record) => (record && 'value' in record ? record.value : []));
}

function findDelimiter(head: string, isHeader: (cells: readonly string[]) => boolean): string {
  const lines = head.split(/[\r\n]+/, HEAD_LINES);
  for (const line of lines) {
    const delimiters = DELIMITERS.filter((delimiter) => isHeader(splitCells(line, delimiter)));
    if (delimiters.length > 0) return mostFrequent(line, delimiters);
  }
  return mostFrequent(lines[0] ?? '', DELIMITERS);
}

function mostFrequent(line: string, delimiters: readonly string[]): string {
  const count = (delimiter: string): number => line.split(delimiter).length;
  return delimiters.reduce((best, candidate) => (count(candidate) > count(best) ? candidate : best));
}

/** The record of these cells; undefined when all of them are blank. */
function recordOf(line: number, size: number, cells: readonly string[]): CsvRecord | undefined {
  if (size > MAX_RECORD) return faultAt(line, 'too_long');
  if (cells.length > MAX_CELLS) return faultAt(line, 'many_cells');
  const value = cells.map((cell) => decodeText(cell, false)).filter((cell) => cell !== undefined);
  if (value.length < cells.length) return faultAt(line, 'bad_bytes');
  return value.every((cell) => cell.trim() === '') ? undefined : { line, value };
}

const [QUOTE, RETURN, NEWLINE] = ['"', '\r', '\n'].map((char) => char.charCodeAt(0));

/** Reads text that may be cut anywhere: bare cells, and cells in quotes, in which two quotes stand for one. */
class Scanner {
  readonly #delimiter: number;
  readonly #end: RegExp;
  #state: 'start' | 'bare' | 'quoted' | 'quote' = 'start';
  #line = 1;
  #startLine = 1;
  #size = 0;
  #isAfterReturn = false;
  #cells: string[] = [];
  #cell = '';

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
    // The end of a bare cell.
    this.#end = new RegExp(`[\\r\\n${delimiter === '|' ? '\\|' : delimiter}]`, 'g');
  }

  *feed(text: string): Generator<CsvRecord> {
    for (let at = 0; at < text.length;) {
      const code = text.charCodeAt(at);
      // CR LF is one line break, within quotes as between records.
      if (this.#isAfterReturn && code === NEWLINE) {
        this.#isAfterReturn = false;
        if (this.#state === 'quoted') this.#add('\n');
        at += 1;
        continue;
      }
      this.#isAfterReturn = code === RETURN;
      const isBreak = code === NEWLINE || code === RETURN;
      if (isBreak) this.#line += 1;
      if (this.#state === 'quoted') {
        if (code === QUOTE) this.#state = 'quote';
        else if (isBreak) this.#add(text.charAt(at));
        else {
          const end = endOf(/["\r\n]/g, text, at);
          this.#add(text.slice(at, end));
          at = end;
          continue;
        }
      } else if (isBreak) {
        const record = this.#endRecord();
        if (record) yield record;
      } else if (code === this.#delimiter) this.#endCell();
      else if (code === QUOTE && this.#state !== 'bare') {
        // A quote opens a cell; two quotes within quotes stand for one.
        if (this.#state === 'quote') this.#add('"');
        this.#state = 'quoted';
      } else {
        if (this.#state === 'start') this.#state = 'bare';
        const end = this.#state === 'bare' ? endOf(this.#end, text, at + 1) : at + 1;
        this.#add(text.slice(at, end));
        at = end;
        continue;
      }
      at += 1;
    }
  }

  /** The last record, which may have no line break after it. */
  end(): CsvRecord | undefined {
    return this.#state === 'quoted' ? faultAt(this.#startLine, 'open_quote') : this.#endRecord();
  }

  #add(part: string): void {
    this.#size += part.length;
    if (this.#size <= MAX_RECORD) this.#cell += part;
  }

  #endCell(): void {
    if (this.#cells.length <= MAX_CELLS) this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'start';
  }

  #endRecord(): CsvRecord | undefined {
    this.#endCell();
    const found = recordOf(this.#startLine, this.#size, this.#cells);
    this.#startLine = this.#line;
    this.#size = 0;
    this.#cells = [];
    return found;
  }
}

/** Where the first match begins from `at` on; the end of the text without one. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.index ?? text.length;
}
