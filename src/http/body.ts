import type { IncomingHttpHeaders } from 'node:http';
import { badRequest, payloadTooLarge, unsupportedMediaType } from './errors.ts';

/** The largest request body, in bytes (SPEC, Limits). */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** The largest body of a request about accounts, in bytes: a few fields, which anyone may send without signing in. */
export const MAX_AUTH_BODY_BYTES = 64 * 1024;

const MAX_DEPTH = 32;
const MAX_STRUCTURAL_TOKENS = 20_000;
const MAX_BARE_RUN = 100;

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

/**
 * Refuses a media type other than JSON in UTF-8 (415). PATCH alone may come without one.
 */
export function requireJsonType(
  method: string,
  contentType: string | undefined,
  encoding: string | undefined,
): void {
  requireNoEncoding(encoding);
  if (contentType === undefined) {
    if (method === 'PATCH') return;
    throw unsupportedMediaType('Content-Type must be application/json');
  }
  const [type = '', ...parameters] = contentType.split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw unsupportedMediaType('Content-Type must be application/json');
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() !== 'charset') continue;
    if (value.trim().replaceAll('"', '').toLowerCase() !== 'utf-8')
      throw unsupportedMediaType('charset must be utf-8');
  }
}

/** Refuses a media type other than multipart/form-data (415), and a body that is known to be too large (413). */
export function requireMultipart(headers: IncomingHttpHeaders): void {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'multipart/form-data')
    throw unsupportedMediaType('Content-Type must be multipart/form-data');
  requireNoEncoding(headers['content-encoding']);
  refuseLarge(headers['content-length'], MAX_BODY_BYTES);
}

function requireNoEncoding(encoding: string | undefined): void {
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw unsupportedMediaType('Content-Encoding is not supported');
}

/** Refuses a body that its Content-Length says to be over `limit` bytes (413). */
export function refuseLarge(length: string | undefined, limit: number): void {
  if (Number(length ?? 0) > limit) throw payloadTooLarge(limit);
}

/** Bytes to a JSON object. Throws 400 for anything else, told by a scan before `JSON.parse` gets to see it. */
export function parseJsonObject(bytes: Buffer): object {
  refuseBombs(bytes);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest('Malformed JSON');
    throw badRequest('Request body is not valid UTF-8');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('Request body must be a JSON object');
  return value;
}

/**
 * Counts depth and structural tokens outside strings. Parsing first and looking afterwards is too late: 10 MB of
 * brackets hold the event loop for seconds. A bare run (a number) that is longer than any of use is refused likewise.
 */
function refuseBombs(bytes: Buffer): void {
  let depth = 0;
  let tokens = 0;
  let bare = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const kind = KINDS[bytes[index] ?? 0];
    if (kind === BARE) {
      bare += 1;
      if (bare > MAX_BARE_RUN) throw badRequest('Malformed JSON');
      continue;
    }
    bare = 0;
    if (kind === BLANK) continue;
    if (kind === STRING) {
      index = endOfString(bytes, index + 1);
      continue;
    }
    tokens += 1;
    if (kind === OPENING) depth += 1;
    else if (kind === CLOSING) depth -= 1;
    if (depth > MAX_DEPTH) throw badRequest(`JSON is nested deeper than ${String(MAX_DEPTH)} levels`);
    if (tokens > MAX_STRUCTURAL_TOKENS) throw badRequest('JSON has too many values');
  }
}

/** The index of the quote that ends the string, or the end of the bytes. */
function endOfString(bytes: Buffer, start: number): number {
  let from = start;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote === -1) return bytes.length;
    let slashes = 0;
    while (quote - 1 - slashes >= start && bytes[quote - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote;
    from = quote + 1;
  }
}
