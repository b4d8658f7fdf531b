import { createByteCollector, decodeText, withoutMark } from './bytes.ts';
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
 * other without such an array is one fault, as is one whose brackets do not match to its end.
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

/** A machine fed byte by byte. Bytes of UTF-8 beyond ASCII never look like JSON's own characters. */
function createScanner(key: string, isElement: (value: unknown) => boolean) {
  const element = createCollector();
  const isBareByte = createStringTracker();
  const isArrayOpening = createOpeningMatcher(key);
  let line = 1;
  let depth = 0;
  let state: 'before' | 'inside' | 'behind' | 'broken' = 'before';

  /** The bytes before the array are collected too: they may turn out to be an element themselves. */
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

// Where brackets do not match, it is unknown what belongs to the array.
function unmatched(line: number): Element {
  return { line, fault: 'a bracket does not match, the rest of the file is not read' };
}

/**
 * A check, to be fed each byte but blanks, of whether it opens the array under `key`. Only the last few are needed; the
 * sign before the key distinguishes it from the end of a longer one with a quote in it.
 */
function createOpeningMatcher(key: string): (byte: number) => boolean {
  const openings = [`{"${key}":[`, `,"${key}":[`];
  let tail = '';
  return (byte) => {
    tail = (tail + String.fromCharCode(byte)).slice(-key.length - '{"":['.length);
    return openings.includes(tail);
  };
}

/** A check, to be fed each byte in turn, of whether it stands outside of strings. */
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

/** Collects the bytes of one element. */
function createCollector() {
  const bytes = createByteCollector();
  let startLine = 1;

  function element(): Element {
    if (bytes.size() > MAX_RECORD) return { line: startLine, fault: 'the element is longer than 1 MiB' };
    try {
      const text = decodeText(bytes.slice(0, bytes.size())) ?? '';
      const value: unknown = JSON.parse(withoutMark(text));
      return { line: startLine, value };
    } catch {
      return { line: startLine, fault: 'the element is not valid JSON in UTF-8' };
    }
  }

  return {
    isEmpty: (): boolean => bytes.size() === 0,
    add: (byte: number, line: number): void => {
      if (bytes.size() === 0) startLine = line;
      bytes.add(byte);
    },
    clear: bytes.clear,
    /** The element collected, if any; starts afresh. */
    take: (): readonly Element[] => {
      const found = bytes.size() === 0 ? [] : [element()];
      bytes.clear();
      return found;
    },
  };
}
