import { parseJson } from '../kit/objects.ts';
import { type Chunks, type Found, MAX_RECORD, byteTexts, decodeMarked, extended } from './source.ts';

const BLANK = /[ \t\r\n]/;
const DEPTHS: ReadonlyMap<string, number> = new Map([
  ['{', 1],
  ['[', 1],
  ['}', -1],
  [']', -1],
]);
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
): AsyncGenerator<Found<unknown>> {
  const scanner = createScanner(key, isElement);
  for await (const text of byteTexts(chunks))
    for (const char of text) {
      const found = scanner.take(char);
      if (found.length > 0) yield* found;
    }
  yield* scanner.end();
}

/** A machine that is fed the file. */
function createScanner(key: string, isElement: (value: unknown) => boolean) {
  const isBareChar = createStringTracker();
  const isArrayOpening = createOpeningMatcher(key);
  let [line, startLine] = [1, 1];
  let element = '';
  let depth = 0;
  let state: 'before' | 'inside' | 'behind' | 'broken' = 'before';

  /** The element collected, if any; starts afresh. */
  function endElement(): readonly Found<unknown>[] {
    const found = element === '' ? [] : [parsed(startLine, element)];
    element = '';
    return found;
  }

  /** Blanks ahead of an element are no part of it. */
  function collect(char: string, isBare: boolean): void {
    if (element === '') startLine = line;
    if (element !== '' || !isBare || !BLANK.test(char)) element = extended(element, char);
  }

  function inside(char: string, isBare: boolean): readonly Found<unknown>[] {
    if (depth < ARRAY_DEPTH) {
      state = char === ']' ? 'behind' : 'broken';
      return state === 'behind' ? endElement() : [...endElement(), unmatched(line)];
    }
    if (depth === ARRAY_DEPTH && isBare && char === ',') return endElement();
    collect(char, isBare);
    return [];
  }

  function take(char: string): readonly Found<unknown>[] {
    if (char === '\n') line += 1;
    const isBare = isBareChar(char);
    if (isBare) depth += DEPTHS.get(char) ?? 0;
    if (state === 'inside') return inside(char, isBare);
    if (state !== 'before') return [];
    // What stands before the array is collected too: it may turn out to be an element itself.
    collect(char, isBare);
    if (!isArrayOpening(char, isBare) || depth !== ARRAY_DEPTH) return [];
    state = 'inside';
    element = '';
    return [];
  }

  function end(): readonly Found<unknown>[] {
    if (state === 'broken') return [];
    if (state === 'inside' || (state === 'behind' && depth > 0))
      return [{ line, fault: 'the file ends in the middle' }];
    if (state === 'behind') return depth < 0 ? [unmatched(line)] : [];
    const [whole] = endElement();
    return whole && 'value' in whole && isElement(whole.value)
      ? [whole]
      : [{ line, fault: `the file has no "${key}" array at its top level` }];
  }

  return { take, end };
}

function parsed(line: number, element: string): Found<unknown> {
  if (element.length > MAX_RECORD) return { line, fault: 'the element is longer than 1 MiB' };
  const value = parseJson(decodeMarked(element) ?? '');
  return value === undefined ? { line, fault: 'the element is not valid JSON in UTF-8' } : { line, value };
}

// Where brackets do not match, it is unknown what belongs to the array.
function unmatched(line: number): Found<unknown> {
  return { line, fault: 'a bracket does not match, the rest of the file is not read' };
}

/**
 * A check, to be fed each character in turn, of whether it opens the array under `key`. Only the last few are needed;
 * the one before the key distinguishes it from the end of a longer one with a quote in it.
 */
function createOpeningMatcher(key: string): (char: string, isBare: boolean) => boolean {
  const openings = [`{"${key}":[`, `,"${key}":[`];
  let tail = '';
  return (char, isBare) => {
    if (isBare && BLANK.test(char)) return false;
    tail = (tail + char).slice(-key.length - '{"":['.length);
    return isBare && openings.includes(tail);
  };
}

/** A check, to be fed each character in turn, of whether it stands outside of strings. */
function createStringTracker(): (char: string) => boolean {
  let inString = false;
  let escaped = false;
  return (char) => {
    if (!inString) {
      inString = char === '"';
      return !inString;
    }
    if (escaped) escaped = false;
    else if (char === '\\') escaped = true;
    else inString = char !== '"';
    return false;
  };
}
