import { type Chunks, MAX_RECORD } from './source.ts';

/** One element of an array inside a JSON file, or why it could not be read. */
export type Element =
  { readonly line: number; readonly value: unknown } | { readonly line: number; readonly fault: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const OPENERS: readonly number[] = [0x7b, 0x5b];
const CLOSERS: readonly number[] = [0x7d, 0x5d];
const BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];
const ARRAY_DEPTH = 2;

/**
 * Elements of the array that the top-level object has under `key`, as the file arrives: one element is in memory at a
 * time, and of one over 1 MiB no more than that. A file whose top level holds no such array gives one fault.
 */
export async function* readElements(chunks: Chunks, key: string): AsyncGenerator<Element> {
  const scanner = createScanner(key);
  for await (const chunk of chunks)
    for (const byte of chunk) {
      const found = scanner.take(byte);
      if (found.length > 0) yield* found;
    }
  yield* scanner.end();
}

interface Scanner {
  readonly take: (byte: number) => readonly Element[];
  readonly end: () => readonly Element[];
}

/** A machine fed byte by byte. Bytes of UTF-8 beyond ASCII never look like JSON's own characters. */
function createScanner(key: string): Scanner {
  const element = createCollector();
  const isBareByte = createStringTracker();
  const opening = `"${key}":[`;
  let head = '';
  let line = 1;
  let depth = 0;
  let state: 'before' | 'inside' | 'behind' = 'before';

  /** Of what stands before the array only the last few characters are needed, to tell its key. */
  function before(byte: number, isBare: boolean): void {
    if (isBare && BLANKS.includes(byte)) return;
    head = (head + String.fromCharCode(byte)).slice(-opening.length);
    if (isBare && depth === ARRAY_DEPTH && head === opening) state = 'inside';
  }

  function inside(byte: number, isBare: boolean): readonly Element[] {
    if (depth < ARRAY_DEPTH) {
      state = 'behind';
      return element.take();
    }
    if (depth === ARRAY_DEPTH && isBare && byte === COMMA) return element.take();
    if (!element.isEmpty() || !BLANKS.includes(byte)) element.add(byte, line);
    return [];
  }

  function take(byte: number): readonly Element[] {
    if (byte === LINE_FEED) line += 1;
    const isBare = isBareByte(byte);
    if (isBare && OPENERS.includes(byte)) depth += 1;
    if (isBare && CLOSERS.includes(byte)) depth -= 1;
    if (state === 'inside') return inside(byte, isBare);
    if (state === 'before') before(byte, isBare);
    return [];
  }

  return {
    take,
    end: () => {
      if (state === 'behind') return [];
      const fault =
        state === 'inside'
          ? 'the file ends in the middle'
          : `the file has no "${key}" array at its top level`;
      return [{ line, fault }];
    },
  };
}

/** Tells of each byte in turn whether it stands outside of strings. */
function createStringTracker(): (byte: number) => boolean {
  let inString = false;
  let escaped = false;
  return (byte) => {
    if (!inString) {
      inString = byte === QUOTE;
      return !inString;
    }
    if (escaped) escaped = false;
    else if (byte === BACKSLASH) escaped = true;
    else inString = byte !== QUOTE;
    return false;
  };
}

interface Collector {
  readonly isEmpty: () => boolean;
  readonly add: (byte: number, line: number) => void;
  /** The element collected, if any; begins afresh. */
  readonly take: () => readonly Element[];
}

function createCollector(): Collector {
  let bytes = Buffer.alloc(64 * 1024);
  let size = 0;
  let began = 1;
  return {
    isEmpty: () => size === 0,
    add: (byte, line) => {
      if (size === 0) began = line;
      if (size >= bytes.length && bytes.length < MAX_RECORD) bytes = Buffer.concat([bytes], bytes.length * 2);
      if (size < bytes.length) bytes[size] = byte;
      size += 1;
    },
    take: () => {
      const length = size;
      size = 0;
      if (length === 0) return [];
      if (length > MAX_RECORD) return [{ line: began, fault: 'the element is longer than 1 MiB' }];
      try {
        const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length));
        const value: unknown = JSON.parse(text);
        return [{ line: began, value }];
      } catch {
        return [{ line: began, fault: 'the element is not valid JSON in UTF-8' }];
      }
    },
  };
}
