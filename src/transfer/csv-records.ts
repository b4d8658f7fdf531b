import { type Chunks, type Found, MAX_RECORD, byteTexts, decodeText } from './source.ts';

type CsvRecord = Found<readonly string[]>;

// More than any real table has, and few enough to fit into memory.
const MAX_CELLS = 10_000;
const DELIMITERS = [',', ';', '\t'] as const;
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
  let scanner: ReturnType<typeof createScanner> | undefined;
  let head = '';
  const start = (): Iterable<CsvRecord> => {
    const text = head.replace(BYTE_ORDER_MARK, '');
    scanner = createScanner(findDelimiter(text, isHeader));
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
  const scanner = createScanner(delimiter);
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
  if (size > MAX_RECORD) return { line, fault: 'the record is longer than 1 MiB' };
  if (cells.length > MAX_CELLS) return { line, fault: `the record has more than ${MAX_CELLS} cells` };
  const value = cells.map((cell) => decodeText(cell, false)).filter((cell) => cell !== undefined);
  if (value.length < cells.length) return { line, fault: undecoded(cells) };
  return value.every((cell) => cell.trim() === '') ? undefined : { line, value };
}

/** UTF-16 with a lone surrogate arrives as the bytes that this would have in UTF-8. */
function undecoded(cells: readonly string[]): string {
  return cells.some((cell) => /\xed[\xa0-\xbf]/.test(cell))
    ? 'the record holds half a character'
    : 'the record is not valid UTF-8; try --encoding windows-1252';
}

/** A state machine: before a cell, in a bare cell, in quotes, after a quote in quotes. */
function createScanner(delimiter: string) {
  let state: 'start' | 'bare' | 'quoted' | 'quote' = 'start';
  let [line, startLine, size] = [1, 1, 0];
  let afterReturn = false;
  let cells: string[] = [];
  let cell = '';

  function add(char: string): void {
    size += 1;
    if (size <= MAX_RECORD) cell += char;
  }

  function endCell(): void {
    if (cells.length <= MAX_CELLS) cells.push(cell);
    cell = '';
    state = 'start';
  }

  function take(char: string): CsvRecord | undefined {
    const isBreak = char === '\n' || char === '\r';
    if (isBreak) line += 1;
    if (state === 'quoted') {
      if (char === '"') state = 'quote';
      else add(char);
    } else if (isBreak) {
      endCell();
      const found = recordOf(startLine, size, cells);
      [startLine, size, cells] = [line, 0, []];
      return found;
    } else if (char === delimiter) endCell();
    else if (char === '"' && state !== 'bare') {
      // A quote opens a cell; two quotes within quotes stand for one.
      if (state === 'quote') add(char);
      state = 'quoted';
    } else {
      if (state === 'start') state = 'bare';
      add(char);
    }
    return undefined;
  }

  return {
    *feed(text: string): Generator<CsvRecord> {
      for (const char of text) {
        // CR LF is one line break, within quotes as between records.
        const isSecondHalf = afterReturn && char === '\n';
        afterReturn = char === '\r';
        const record = isSecondHalf ? undefined : take(char);
        if (record) yield record;
        if (isSecondHalf && state === 'quoted') add(char);
      }
    },
    /** The last record, which may have no line break after it. */
    end: (): CsvRecord | undefined =>
      state === 'quoted' ? { line: startLine, fault: 'a quote is not closed' } : take('\n'),
  };
}
