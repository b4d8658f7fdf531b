import { parseJson } from '../kit/objects.ts';
import { type Chunks, type Found, MAX_RECORD, byteTexts, decodeText, extended } from './source.ts';

const BLANK = /[ \t\r\n]/;
const DEPTHS: ReadonlyMap<string, number> = new Map([
  ['{', 1],
  ['[', 1],
  ['}', -1],
  [']', -1],
]);
const ARRAY_DEPTH = 2;

/**
 * Reads the array at `key` of the top-level object as the file arrives. Only one element is in memory at a time, and at
 * most 1 MiB of it. A file that `isElement` accepts as a whole is its only element; any other
 * without such an array is one fault, as is one whose brackets do not match to its end.
 */
export async function* readElements(
  chunks: Chunks,
  key: string,
  isElement: (value: unknown) => boolean,
): AsyncGenerator<Found<unknown>> {
  const openings = [`{"${key}":[`, `,"${key}":[`];
  let state: 'before' | 'inside' | 'behind' = 'before';
  let [inString, isEscaped] = [false, false];
  let [line, startLine, depth] = [1, 1, 0];
  // The last characters, compared with the openings; the one before the key rules out a longer key with a quote in it.
  let tail = '';
  let element = '';
  for await (const text of byteTexts(chunks))
    for (const char of text) {
      if (char === '\n') line += 1;
      const isBare = !inString && char !== '"';
      if (!inString) inString = char === '"';
      else if (isEscaped) isEscaped = false;
      else if (char === '\\') isEscaped = true;
      else inString = char !== '"';
      if (isBare) depth += DEPTHS.get(char) ?? 0;
      if (state === 'behind') continue;

      const hasEnded = state === 'inside' && depth < ARRAY_DEPTH;
      if (hasEnded || (state === 'inside' && depth === ARRAY_DEPTH && isBare && char === ',')) {
        if (element !== '') yield parsed(startLine, element);
        element = '';
        if (hasEnded && char !== ']') {
          yield unmatched(line);
          return;
        }
        if (hasEnded) state = 'behind';
        continue;
      }

      // Blanks ahead of an element do not belong to it. Before the array, too: that may turn out to be an element itself.
      const isBlank = isBare && BLANK.test(char);
      if (element === '') startLine = line;
      if (element !== '' || !isBlank) element = extended(element, char);
      if (state === 'inside' || isBlank) continue;
      tail = (tail + char).slice(-key.length - '{"":['.length);
      if (!isBare || depth !== ARRAY_DEPTH || !openings.includes(tail)) continue;
      state = 'inside';
      element = '';
    }

  if (state === 'inside' || (state === 'behind' && depth > 0))
    yield { line, fault: 'the file ends in the middle' };
  else if (depth < 0 && state === 'behind') yield unmatched(line);
  else if (state === 'before') {
    const whole = element === '' ? undefined : parsed(startLine, element);
    if (whole && 'value' in whole && isElement(whole.value)) yield whole;
    else yield { line, fault: `the file has no "${key}" array at its top level` };
  }
}

function parsed(line: number, element: string): Found<unknown> {
  if (element.length > MAX_RECORD) return { line, fault: 'the element is longer than 1 MiB' };
  const value = parseJson(decodeText(element, true) ?? '');
  return value === undefined ? { line, fault: 'the element is not valid JSON in UTF-8' } : { line, value };
}

// Where brackets do not match, it is unknown which parts belong to the array.
function unmatched(line: number): Found<unknown> {
  return { line, fault: 'a bracket does not match, the rest of the file is not read' };
}
