import { badRequest } from './errors.ts';

/** A request target taken apart: the path as sent, its percent-decoded segments, and the query as sent. */
export interface Target {
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: string;
}

/** Throws 400 for anything but HTTP/1.x; the parser lets a request line without a version pass as HTTP/0.9. */
export function requireVersionOne(major: number): void {
  if (major !== 1) throw badRequest('HTTP version must be 1.0 or 1.1');
}

/** Throws 400 unless the request names exactly one host (RFC 9112 section 3.2). `rawHeaders` alternates names and values. */
export function requireOneHost(rawHeaders: readonly string[]): void {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  if (hosts !== 1) throw badRequest('Exactly one Host header is required');
}

/**
 * Splits and decodes an origin-form target. Throws 400 for any other form, a bad percent-encoding, and for
 * characters that no path of the service holds but that file systems and proxies read in their own ways.
 */
export function readTarget(url: string): Target {
  if (!url.startsWith('/')) throw badRequest('Request target must be a path');
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const segments = segmentsOf(path).map(decoded);
  return { path, segments, query: mark === -1 ? '' : url.slice(mark + 1) };
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
