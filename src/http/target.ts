import type { IncomingMessage } from 'node:http';
import { badRequest } from './errors.ts';
import { headerValues } from './negotiation.ts';

/** The path of a request as sent, its percent-decoded segments, and the query as sent. */
export interface Target {
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: string;
}

/**
 * Throws 400 unless a request uses HTTP/1.x, since the parser takes a line without a version for HTTP/0.9, and names exactly
 * one host (RFC 9112 section 3.2).
 */
export function requireSoundHead({ httpVersionMajor, rawHeaders }: IncomingMessage): void {
  if (httpVersionMajor !== 1) throw badRequest('HTTP version must be 1.0 or 1.1');
  if (headerValues(rawHeaders, 'host').length !== 1) throw badRequest('Exactly one Host header is required');
}

/**
 * Splits and decodes an origin-form target. Throws 400 for any other form, a bad percent-encoding, and for
 * characters that no path of the service has but that file systems and proxies interpret differently.
 */
export function readTarget(url: string): Target {
  if (!url.startsWith('/')) throw badRequest('Request target must be a path');
  const path = pathOf(url);
  return { path, segments: segmentsOf(path).map(decoded), query: url.slice(path.length + 1) };
}

/** The path of a target as it was sent, without its query. */
export function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

/** The segments of a path; one trailing slash does not count. */
export function segmentsOf(path: string): string[] {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  return trimmed.split('/');
}

function decoded(segment: string): string {
  let text = segment;
  if (segment.includes('%'))
    try {
      text = decodeURIComponent(segment);
    } catch {
      throw badRequest('Path is not valid percent-encoded UTF-8');
    }
  if (text.includes('\0') || text.includes('\\')) throw badRequest('Path holds a forbidden character');
  return text;
}

// A proxy in front may not accept more than 4 KB of headers in all.
const LONGEST = 2_000;
// Characters that a path or query must not contain (RFC 3986 section 3), such as those that end the reference or the header.
const FOREIGN = /[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%]/g;

/**
 * The Link header of a page for the next one (RFC 8288): the same path and query as sent, but with the cursor.
 * Undefined where it would get longer than proxies accept.
 */
export function nextLink(path: string, query: string, cursor: string): string | undefined {
  const pairs = query === '' ? [] : query.split('&').filter((pair) => nameOf(pair) !== 'cursor');
  const target = `${path}?${[...pairs, `cursor=${encodeURIComponent(cursor)}`].join('&')}`;
  const link = `<${target.replace(FOREIGN, escaped)}>; rel="next"`;
  return link.length <= LONGEST ? link : undefined;
}

function nameOf(pair: string): string | undefined {
  const name = pair.split('=', 1)[0] ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** Node decodes each byte of a request target as one character. */
function escaped(character: string): string {
  return `%${Buffer.from(character, 'latin1').toString('hex').toUpperCase()}`;
}
