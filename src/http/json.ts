import { createThreads } from '../threads.ts';
import { badRequest } from './errors.ts';

const MAX_DEPTH = 32;
const MAX_STRUCTURAL_TOKENS = 20_000;
const MAX_BARE_RUN = 100;
// Up to so many bytes are scanned and parsed in two milliseconds; more are scanned in slices of it, and parsed elsewhere.
const SLICE = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const [BARE, BLANK, STRING, OPENING, CLOSING, SEPARATOR] = [0, 1, 2, 3, 4, 5];
/** What each byte of JSON is outside strings. 10 MB of blanks are looked at in a fraction of the time that comparisons take. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (' \t\n\r'.includes(character)) return BLANK;
  if ('[{'.includes(character)) return OPENING;
  if (']}'.includes(character)) return CLOSING;
  if (',:'.includes(character)) return SEPARATOR;
  return byte === QUOTE ? STRING : BARE;
});

/** Turns bytes into a JSON object, and calls `pause` between slices of a few milliseconds. Throws 400 for anything else. */
export type JsonReader = (bytes: Buffer, pause: () => Promise<void>) => Promise<object>;

/**
 * Makes a reader with a thread for large bodies, which would hold the event loop for up to 150 ms. They are scanned before
 * they are parsed, and parsed one after the other: what they take in memory meanwhile is several times their size.
 */
export function createJsonReader(): JsonReader {
  const threads = createThreads({ code: PARSE, purpose: 'parses large bodies' });
  let last: Promise<unknown> = Promise.resolve();

  function parseInTurn(bytes: Buffer): Promise<unknown> {
    const parsed = last.then(() => threads.run(bytes));
    last = parsed.catch(() => undefined);
    return parsed;
  }

  return async (bytes, pause) => {
    const scan = createScanner();
    for (let at = 0; at < bytes.length; at += SLICE) {
      if (at > 0) await pause();
      scan(bytes.subarray(at, at + SLICE));
    }
    try {
      return requireObject(await (bytes.length > SLICE ? parseInTurn(bytes) : parse(bytes)));
    } catch (error) {
      if (error instanceof SyntaxError) throw badRequest('Malformed JSON');
      if (error instanceof TypeError) throw badRequest('Request body is not valid UTF-8');
      throw error;
    }
  };
}

/** Throws a SyntaxError, or a TypeError when the bytes are not valid UTF-8. */
function parse(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

// The same in a thread.
const PARSE = `return (bytes) => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));`;

function requireObject(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('Request body must be a JSON object');
  return value;
}

/**
 * A function that takes one slice after the other, and counts depth and structural tokens outside strings. Parsing first
 * and looking afterwards is too late: 10 MB of brackets hold the event loop for seconds. A bare run (a number) that is
 * longer than any of use is refused likewise.
 */
function createScanner(): (bytes: Buffer) => void {
  let [depth, tokens, bare] = [0, 0, 0];
  let [isInString, isEscaped] = [false, false];

  function lookAt(kind: number): void {
    if (kind === BARE) {
      bare += 1;
      if (bare > MAX_BARE_RUN) throw badRequest('Malformed JSON');
      return;
    }
    bare = 0;
    isInString = kind === STRING;
    if (kind === STRING) return;
    tokens += 1;
    if (kind === OPENING) depth += 1;
    else if (kind === CLOSING) depth -= 1;
    if (depth > MAX_DEPTH) throw badRequest(`JSON is nested deeper than ${String(MAX_DEPTH)} levels`);
    if (tokens > MAX_STRUCTURAL_TOKENS) throw badRequest('JSON has too many values');
  }

  return (bytes) => {
    for (const byte of bytes) {
      const kind = KINDS[byte];
      if (isEscaped) isEscaped = false;
      else if (isInString) {
        isEscaped = byte === BACKSLASH;
        isInString = byte !== QUOTE;
      } else if (kind === BLANK) bare = 0;
      else if (kind !== undefined) lookAt(kind);
    }
  };
}
