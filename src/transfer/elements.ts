import { createByteCollector, decodeText } from './bytes.ts';
import { type Chunks, MAX_RECORD } from './source.ts';

/** One element of an array inside a JSON file, or why it could not be read. */
export type Element =
  { readonly line: number; readonly value: unknown } | { readonly line: number; readonly fault: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const ARRAY_CLOSER = 0x5d;
const OPENERS: readonly number[] = [0x7b, 0x5b];
const CLOSERS: readonly number[] = [0x7d, 0x5d];
const BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];
const ARRAY_DEPTH = 2;

/**
 * Elements of the array that the top-level object has under `key`, as the file arrives: one element is in memory at a
 * time, and of one over 1 MiB no more than that. A file that is itself what `isElement` knows is its only element; any
 * other without such an array gives one fault, as does one whose brackets do not match to its end.
 */
export async function* readElements(
  chunks: Chunks,
  key: string,
  isElement: (value: unknown) => boolean,
): AsyncGenerator<Element> {
  const scanner = createScanner(key, isElement);
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
function createScanner(key: string, isElement: (value: unknown) => boolean): Scanner {
  const element = createCollector();
  const isBareByte = createStringTracker();
  const isArrayOpening = createOpeningMatcher(key);
  let line = 1;
  let depth = 0;
  let state: 'before' | 'inside' | 'behind' | 'broken' = 'before';

  /** What stands before the array is kept too: it may turn out to be an element itself. */
  function before(byte: number, isBare: boolean): void {
    const isBlank = isBare && BLANKS.includes(byte);
    if (!isBlank || !element.isEmpty()) element.add(byte, line);
    if (isBlank || !isArrayOpening(byte) || !isBare || depth !== ARRAY_DEPTH) return;
    state = 'inside';
    element.clear();
  }

  function inside(byte: number, isBare: boolean): readonly Element[] {
    if (depth < ARRAY_DEPTH) {
      state = byte === ARRAY_CLOSER ? 'behind' : 'broken';
      return state === 'behind' ? element.take() : [...element.take(), unmatched(line)];
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

  function end(): readonly Element[] {
    if (state === 'broken') return [];
    if (state === 'inside' || (state === 'behind' && depth > 0))
      return [{ line, fault: 'the file ends in the middle' }];
    if (state === 'behind') return depth < 0 ? [unmatched(line)] : [];
    const [whole] = element.take();
    return whole && 'value' in whole && isElement(whole.value)
      ? [whole]
      : [{ line, fault: `the file has no "${key}" array at its top level` }];
  }

  return { take, end };
}

// Where brackets do not match, nobody can tell what belongs to the array.
function unmatched(line: number): Element {
  return { line, fault: 'a bracket does not match, the rest of the file is not read' };
}

/**
 * Tells of each byte but blanks whether it opens the array under `key`. Only the last few are needed; what stands
 * before the key tells it from the end of a longer one with a quote in it.
 */
function createOpeningMatcher(key: string): (byte: number) => boolean {
  const openings = [`{"${key}":[`, `,"${key}":[`];
  let tail = '';
  return (byte) => {
    tail = (tail + String.fromCharCode(byte)).slice(-key.length - '{"":['.length);
    return openings.includes(tail);
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
  readonly clear: () => void;
  /** The element collected, if any; begins afresh. */
  readonly take: () => readonly Element[];
}

function createCollector(): Collector {
  const bytes = createByteCollector();
  let began = 1;

  function element(): Element {
    if (bytes.size() > MAX_RECORD) return { line: began, fault: 'the element is longer than 1 MiB' };
    try {
      const text = decodeText(bytes.slice(0, bytes.size())) ?? '';
      const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
      return { line: began, value };
    } catch {
      return { line: began, fault: 'the element is not valid JSON in UTF-8' };
    }
  }

  return {
    isEmpty: () => bytes.size() === 0,
    add: (byte, line) => {
      if (bytes.size() === 0) began = line;
      bytes.add(byte);
    },
    clear: bytes.clear,
    take: () => {
      const found = bytes.size() === 0 ? [] : [element()];
      bytes.clear();
      return found;
    },
  };
}
