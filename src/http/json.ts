import { isUtf8 } from 'node:buffer';
import { isObject } from '../kit/objects.ts';
import { Queue } from '../kit/queue.ts';
import { Thread } from '../kit/threads.ts';
import { badRequest } from './errors.ts';

const MAX_DEPTH = 32;
const MAX_STRUCTURAL_TOKENS = 20_000;
const MAX_BARE_RUN = 100;
// Takes two milliseconds to scan and parse. Larger bodies are scanned in slices of this size and parsed in a thread.
const SLICE = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const [BARE, BLANK, STRING, OPENING, CLOSING, SEPARATOR] = [0, 1, 2, 3, 4, 5];
/**
 * Classifies each byte of JSON outside strings. For 10 MB of blanks, a table takes a fraction of the time of
 * comparisons.
 */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (' \t\n\r'.includes(character)) return BLANK;
  if ('[{'.includes(character)) return OPENING;
  if (']}'.includes(character)) return CLOSING;
  if (',:'.includes(character)) return SEPARATOR;
  return byte === QUOTE ? STRING : BARE;
});

/**
 * Returns a function that parses a body's blocks into a JSON object, calling `pause` between slices of a few
 * milliseconds; it rejects with 400 for anything else. Large bodies, which would block the event loop for up to 150
 * ms, are parsed in a thread, one at a time: parsing needs several times their size in memory.
 */
export function createJsonReader(): (
  blocks: readonly Buffer[],
  pause: () => Promise<void>,
) => Promise<object> {
  const thread = new Thread(PARSE, 'parses large bodies');
  const queue = new Queue({ atOnce: 1 });
  return async (blocks, pause) => {
    const scan = createScanner();
    let size = 0;
    let left = SLICE;
    for (const block of blocks) {
      scan(block);
      size += block.length;
      left -= block.length;
      if (left >= 0) continue;
      await pause();
      left = SLICE;
    }
    try {
      const value = size > SLICE ? await queue.run(() => thread.run(blocks)) : parse(blocks);
      if (value === undefined) throw badRequest('Request body is not valid UTF-8');
      if (!isObject(value)) throw badRequest('Request body must be a JSON object');
      return value;
    } catch (error) {
      if (error instanceof SyntaxError) throw badRequest('Malformed JSON');
      throw error;
    }
  };
}

/** Undefined if the bytes are not valid UTF-8. Throws a SyntaxError. */
function parse(blocks: readonly Uint8Array[]): unknown {
  const bytes = Buffer.concat(blocks);
  return isUtf8(bytes) ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
}

// `parse` for the thread.
const PARSE = `
  const { isUtf8 } = require('node:buffer');
  return (blocks) => {
    const bytes = Buffer.concat(blocks);
    return isUtf8(bytes) ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
  };
`;

/**
 * Returns a function that scans one block after another, counting depth and structural tokens outside strings. It
 * throws 400 for text that is too dangerous to parse: 10 MB of brackets block the event loop for seconds, so checking
 * the parsed value would be too late. It also refuses bare runs, such as numbers, longer than any useful one.
 */
function createScanner(): (bytes: Buffer) => void {
  let [depth, tokens, bare] = [0, 0, 0];
  let [isInString, isEscaped] = [false, false];

  /** The index after the closing quote, or past the end of the block. */
  function skipString(bytes: Buffer, start: number): number {
    let index = start;
    let escaped = isEscaped;
    for (; index < bytes.length; index += 1) {
      const byte = bytes[index];
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) break;
    }
    isEscaped = escaped;
    isInString = index === bytes.length;
    return index + 1;
  }

  return (bytes) => {
    let index = isInString ? skipString(bytes, 0) : 0;
    while (index < bytes.length) {
      const kind = KINDS[bytes[index] ?? 0] ?? BARE;
      index += 1;
      bare = kind === BARE ? bare + 1 : 0;
      if (bare > MAX_BARE_RUN) throw badRequest('Malformed JSON');
      if (kind === STRING) index = skipString(bytes, index);
      if (kind <= STRING) continue;
      tokens += 1;
      if (kind === OPENING) depth += 1;
      else if (kind === CLOSING) depth -= 1;
      if (depth > MAX_DEPTH) throw badRequest(`JSON is nested deeper than ${String(MAX_DEPTH)} levels`);
      if (tokens > MAX_STRUCTURAL_TOKENS) throw badRequest('JSON has too many values');
    }
  };
}
