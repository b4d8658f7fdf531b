import type { IncomingMessage } from 'node:http';
import { percentDecoded } from '../kit/objects.ts';
import { badRequest } from './errors.ts';
import { headerValues } from './negotiation.ts';

/** A request target: raw path, percent-decoded segments, raw query. */
export interface RequestTarget {
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: string;
}

/**
 * Throws 400 unless a request uses HTTP/1.x and has exactly one Host header (RFC 9112 section 3.2). The parser accepts
 * a request line without a version as HTTP/0.9.
 */
export function requireSoundHead({ httpVersionMajor, rawHeaders }: IncomingMessage): void {
  if (httpVersionMajor !== 1) throw badRequest('HTTP version must be 1.0 or 1.1');
  if (headerValues(rawHeaders, 'host').length !== 1) throw badRequest('Exactly one Host header is required');
}

/**
 * Splits and decodes an origin-form target. Throws 400 for other forms, for invalid percent-encoding, and for
 * characters that file systems and proxies interpret differently and the service's paths never contain.
 */
export function readTarget(url: string): RequestTarget {
  if (!url.startsWith('/')) throw badRequest('Request target must be a path');
  const path = pathOf(url);
  return { path, segments: segmentsOf(path).map(decoded), query: url.slice(path.length + 1) };
}

/** The raw path of a target, without its query. */
export function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

/** The segments of a path; ignores one trailing slash. */
export function segmentsOf(path: string): string[] {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  return trimmed.split('/');
}

function decoded(segment: string): string {
  const text = segment.includes('%') ? percentDecoded(segment) : segment;
  if (text === undefined) throw badRequest('Path is not valid percent-encoded UTF-8');
  if (text.includes('\0') || text.includes('\\')) throw badRequest('Path holds a forbidden character');
  return text;
}

// A proxy in front may limit headers to 4 KB in total.
const LONGEST = 2_000;
// Characters that paths and queries must not contain (RFC 3986 section 3), such as those that would end the reference
// or the header.
const FOREIGN = /[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%]/g;

/**
 * The Link header to a list's next page (RFC 8288): the path and query as sent, with a new cursor. Undefined if it
 * would be longer than proxies accept.
 */
export function nextLink(path: string, query: string, cursor: string): string | undefined {
  const nameOf = (pair: string): string | undefined => percentDecoded(pair.split('=', 1)[0] ?? '');
  const pairs = query === '' ? [] : query.split('&').filter((pair) => nameOf(pair) !== 'cursor');
  const target = `${path}?${[...pairs, `cursor=${encodeURIComponent(cursor)}`].join('&')}`;
  const link = `<${target.replace(FOREIGN, escaped)}>; rel="next"`;
  return link.length <= LONGEST ? link : undefined;
}

/** Node decodes each byte of a request target as one character. */
function escaped(character: string): string {
  return `%${Buffer.from(character, 'latin1').toString('hex').toUpperCase()}`;
}
