import { type Chunks, MAX_RECORD } from './source.ts';

/** One record of a CSV file, or why it could not be read. */
export type CsvRecord =
  | { readonly line: number; readonly cells: readonly string[] }
  | { readonly line: number; readonly fault: string };

// More than any table has, fewer than fill the memory.
const MAX_CELLS = 10_000;
const DELIMITERS = [',', ';', '\t'] as const;

/**
 * Records of a CSV file (RFC 4180) as it arrives: quoted cells may hold delimiters, doubled quotes and line breaks; the
 * delimiter is the one that the first line has most of. Blank lines are left out.
 */
export async function* readCsvRecords(chunks: Chunks): AsyncGenerator<CsvRecord> {
  const decoder = new TextDecoder('utf-8');
  let scanner: Scanner | undefined;
  let head = '';
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    if (scanner) yield* scanner.feed(text);
    else if (/[\r\n]/.test((head += text)) || head.length > MAX_RECORD) {
      scanner = createScanner(likeliestDelimiter(head));
      yield* scanner.feed(head);
    }
  }
  const rest = decoder.decode();
  if (scanner) yield* scanner.feed(rest);
  else {
    scanner = createScanner(likeliestDelimiter(head));
    yield* scanner.feed(head + rest);
  }
  yield* scanner.end();
}

/** The cells of one line of CSV with commas, as stand inside a cell for a list. */
export function splitCells(text: string): readonly string[] {
  const scanner = createScanner(',');
  const [record] = [...scanner.feed(text), ...scanner.end()];
  return record && 'cells' in record ? record.cells : [];
}

function likeliestDelimiter(head: string): string {
  const line = head.split(/[\r\n]/, 1)[0] ?? '';
  const count = (delimiter: string): number => line.split(delimiter).length;
  return DELIMITERS.reduce((best, candidate) => (count(candidate) > count(best) ? candidate : best));
}

interface Scanner {
  readonly feed: (text: string) => Generator<CsvRecord>;
  readonly end: () => Generator<CsvRecord>;
}

interface Collector {
  readonly keep: (character: string) => void;
  readonly endCell: () => void;
  /** The record collected, unless it is a blank line; begins afresh on `nextLine`. */
  readonly endRecord: (nextLine: number) => readonly CsvRecord[];
  readonly isEmpty: () => boolean;
  /** The line on which the record began. */
  readonly began: () => number;
}

function createCollector(): Collector {
  let began = 1;
  let cells: string[] = [];
  let cell = '';
  let size = 0;
  return {
    keep: (character) => {
      size += 1;
      if (size <= MAX_RECORD) cell += character;
    },
    endCell: () => {
      if (cells.length <= MAX_CELLS) cells.push(cell);
      cell = '';
    },
    endRecord: (nextLine) => {
      const whole = [...cells, cell];
      const fault = faultOf(whole, size);
      const record = fault === undefined ? { line: began, cells: whole } : { line: began, fault };
      const isBlank = whole.length === 1 && cell.trim() === '';
      began = nextLine;
      cells = [];
      cell = '';
      size = 0;
      return isBlank ? [] : [record];
    },
    isEmpty: () => cells.length === 0 && cell === '',
    began: () => began,
  };
}

function faultOf(cells: readonly string[], size: number): string | undefined {
  if (size > MAX_RECORD || cells.length > MAX_CELLS) return 'the record is longer than 1 MiB';
  // What the decoder puts in the place of bytes that mean nothing.
  return cells.some((cell) => cell.includes('\ufffd')) ? 'the record is not valid UTF-8' : undefined;
}

/** A machine of four states that is fed text in pieces: before a cell, in one, in quotes, behind a quote in quotes. */
function createScanner(delimiter: string): Scanner {
  const collector = createCollector();
  let state: 'start' | 'bare' | 'quoted' | 'quote' = 'start';
  let line = 1;
  let afterReturn = false;

  function take(character: string): readonly CsvRecord[] {
    const isBreak = character === '\n' || character === '\r';
    if (isBreak) line += 1;
    if (state === 'quoted') {
      if (character === '"') state = 'quote';
      else collector.keep(character);
    } else if (isBreak) {
      state = 'start';
      return collector.endRecord(line);
    } else if (character === delimiter) {
      state = 'start';
      collector.endCell();
    } else if (character === '"' && state !== 'bare') {
      // A quote opens a cell; behind a quote within quotes it is a quote itself.
      if (state === 'quote') collector.keep('"');
      state = 'quoted';
    } else {
      if (state === 'start') state = 'bare';
      collector.keep(character);
    }
    return [];
  }

  return {
    *feed(text) {
      for (const character of text) {
        // CR LF is one line break, within quotes as between records.
        const isSecondHalf = afterReturn && character === '\n';
        afterReturn = character === '\r';
        if (!isSecondHalf) yield* take(character);
        else if (state === 'quoted') collector.keep('\n');
      }
    },
    *end() {
      if (state === 'quoted') yield { line: collector.began(), fault: 'a quote is not closed' };
      else if (!collector.isEmpty()) yield* collector.endRecord(line);
    },
  };
}
