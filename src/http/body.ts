import type { IncomingHttpHeaders } from 'node:http';
import { payloadTooLarge, unsupportedMediaType } from './errors.ts';
import type { Route } from './router.ts';

/** The largest request body, in bytes (SPEC, Limits). */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
// Of a request about accounts: a few fields, which anyone may send without signing in.
const MAX_AUTH_BODY_BYTES = 64 * 1024;

/**
 * How many bytes of JSON a request may send at most; undefined where its route reads none itself. Throws 415 for another
 * media type or coding than its route takes, 413 for a body that is known to be too large.
 */
export function limitOfJson(route: Route, headers: IncomingHttpHeaders): number | undefined {
  if (route.body === 'none') {
    // What such a route ignores it need not understand; but DELETE has one rule for its bodies.
    if (route.method === 'DELETE') requireJsonType(route.method, headers);
    return undefined;
  }
  if (route.body === 'multipart') requireMultipart(headers);
  else requireJsonType(route.method, headers);
  const limit = route.limit === 'auth' ? MAX_AUTH_BODY_BYTES : MAX_BODY_BYTES;
  if (Number(headers['content-length'] ?? 0) > limit) throw payloadTooLarge(limit, route.largeBodies);
  return route.body === 'multipart' ? undefined : limit;
}

/** PATCH and DELETE alone may come without a media type. */
function requireJsonType(method: string, headers: IncomingHttpHeaders): void {
  requireNoEncoding(headers);
  if (headers['content-type'] === undefined && (method === 'PATCH' || method === 'DELETE')) return;
  const { type, charset } = mediaTypeOf(headers);
  if (type !== 'application/json') throw unsupportedMediaType('Content-Type must be application/json');
  if (charset !== 'utf-8') throw unsupportedMediaType('charset must be utf-8');
}

function requireMultipart(headers: IncomingHttpHeaders): void {
  if (mediaTypeOf(headers).type !== 'multipart/form-data')
    throw unsupportedMediaType('Content-Type must be multipart/form-data');
  requireNoEncoding(headers);
}

function mediaTypeOf({ 'content-type': given = '' }: IncomingHttpHeaders) {
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  const charsets = parameters
    .map((parameter) => parameter.split('=').map((part) => part.trim().replaceAll('"', '')))
    .filter(([name]) => name === 'charset')
    .map(([, value = '']) => value);
  return { type, charset: charsets.find((charset) => charset !== 'utf-8') ?? 'utf-8' };
}

function requireNoEncoding({ 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders): void {
  if (encoding.toLowerCase() !== 'identity') throw unsupportedMediaType('Content-Encoding is not supported');
}
