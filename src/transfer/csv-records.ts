import { createByteCollector, decodeText } from './bytes.ts';
import { type Chunks, MAX_RECORD } from './source.ts';

/** One record of a CSV file, or why it could not be read. */
export type CsvRecord =
  | { readonly line: number; readonly cells: readonly string[] }
  | { readonly line: number; readonly fault: string };

// More than any table has, fewer than fill the memory.
const MAX_CELLS = 10_000;
const DELIMITERS = [',', ';', '\t'] as const;
// Enough to find the header in; a few lines of prose may stand before it.
const HEAD_SIZE = 64 * 1024;
const HEAD_LINES = 8;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;

/**
 * Records of a CSV file (RFC 4180) as it arrives: quoted cells may hold delimiters, doubled quotes and line breaks. The
 * delimiter is the one with which `isHeader` knows one of the first lines, else the one that the first line has most
 * of. Records of empty cells alone are left out.
 */
export async function* readCsvRecords(
  chunks: Chunks,
  isHeader: (cells: readonly string[]) => boolean,
): AsyncGenerator<CsvRecord> {
  let scanner: Scanner | undefined;
  let head = Buffer.alloc(0);
  const start = (): Iterable<CsvRecord> => {
    scanner = createScanner(findDelimiter(head, isHeader));
    return scanner.feed(withoutMark(head));
  };
  for await (const chunk of chunks) {
    if (scanner) yield* scanner.feed(chunk);
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length >= HEAD_SIZE) yield* start();
    }
  }
  if (!scanner) yield* start();
  yield* scanner?.end() ?? [];
}

/**
 * The cells of CSV inside a cell, a list: also over several lines. Text whose quotes are not closed is no CSV
 * and split at the delimiters alone.
 */
export function splitCells(text: string, delimiter = ','): readonly string[] {
  const scanner = createScanner(delimiter);
  const records = [...scanner.feed(Buffer.from(text)), ...scanner.end()];
  if (records.some((record) => 'fault' in record)) return text.split(delimiter);
  return records.flatMap((record) => ('cells' in record ? record.cells : []));
}

function withoutMark(head: Buffer): Uint8Array {
  return head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? head.subarray(BYTE_ORDER_MARK.length)
    : head;
}

function findDelimiter(head: Buffer, isHeader: (cells: readonly string[]) => boolean): string {
  const text = Buffer.from(withoutMark(head)).toString('latin1');
  const lines = text.split(/[\r\n]+/, HEAD_LINES);
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

type Scanner = ReturnType<typeof createScanner>;

/** Collects the bytes of one record. */
function createCollector() {
  const bytes = createByteCollector();
  let startLine = 1;
  let ends: number[] = [];

  const endCell = (): void => {
    if (ends.length <= MAX_CELLS) ends.push(bytes.size());
  };

  function record(): CsvRecord | undefined {
    if (bytes.size() > MAX_RECORD) return { line: startLine, fault: 'the record is longer than 1 MiB' };
    if (ends.length > MAX_CELLS)
      return { line: startLine, fault: `the record has more than ${MAX_CELLS} cells` };
    const cells = ends.map((end, index) => decodeText(bytes.slice(ends[index - 1] ?? 0, end)));
    const valid = cells.filter((cell) => cell !== undefined);
    if (valid.length < cells.length) return { line: startLine, fault: 'the record is not valid UTF-8' };
    return valid.every((cell) => cell.trim() === '') ? undefined : { line: startLine, cells: valid };
  }

  return {
    add: bytes.add,
    endCell,
    /** The record collected, unless it is blank; starts afresh on `nextLine`. */
    endRecord: (nextLine: number): CsvRecord | undefined => {
      endCell();
      const read = record();
      startLine = nextLine;
      ends = [];
      bytes.clear();
      return read;
    },
    /** The line on which the record started. */
    startLine: (): number => startLine,
  };
}

/**
 * A machine of four states that is fed bytes: before a cell, in one, in quotes, behind a quote in quotes. Bytes of
 * UTF-8 beyond ASCII never look like CSV's own characters.
 */
function createScanner(delimiter: string) {
  const collector = createCollector();
  const delimiterByte = delimiter.charCodeAt(0);
  let state: 'start' | 'bare' | 'quoted' | 'quote' = 'start';
  let line = 1;
  let afterReturn = false;

  function take(byte: number): CsvRecord | undefined {
    const isBreak = byte === LINE_FEED || byte === CARRIAGE_RETURN;
    if (isBreak) line += 1;
    if (state === 'quoted') {
      if (byte === QUOTE) state = 'quote';
      else collector.add(byte);
    } else if (isBreak) {
      state = 'start';
      return collector.endRecord(line);
    } else if (byte === delimiterByte) {
      state = 'start';
      collector.endCell();
    } else if (byte === QUOTE && state !== 'bare') {
      // A quote opens a cell; behind a quote within quotes it is a quote itself.
      if (state === 'quote') collector.add(QUOTE);
      state = 'quoted';
    } else {
      if (state === 'start') state = 'bare';
      collector.add(byte);
    }
    return undefined;
  }

  return {
    *feed(bytes: Uint8Array): Generator<CsvRecord> {
      for (const byte of bytes) {
        // CR LF is one line break, within quotes as between records.
        const isSecondHalf = afterReturn && byte === LINE_FEED;
        afterReturn = byte === CARRIAGE_RETURN;
        const record = isSecondHalf ? undefined : take(byte);
        if (record) yield record;
        if (isSecondHalf && state === 'quoted') collector.add(LINE_FEED);
      }
    },
    end: (): readonly CsvRecord[] => {
      if (state === 'quoted') return [{ line: collector.startLine(), fault: 'a quote is not closed' }];
      const last = collector.endRecord(line);
      return last ? [last] : [];
    },
  };
}
