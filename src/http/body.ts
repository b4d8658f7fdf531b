import type { IncomingHttpHeaders } from 'node:http';
import { payloadTooLarge, unsupportedMediaType } from './errors.ts';

/** The largest request body, in bytes (SPEC, Limits). */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** The largest body of a request about accounts, in bytes: a few fields, which anyone may send without signing in. */
export const MAX_AUTH_BODY_BYTES = 64 * 1024;

/** Refuses a media type other than JSON in UTF-8 (415). PATCH alone may come without one. */
export function requireJsonType(method: string, headers: IncomingHttpHeaders): void {
  requireNoEncoding(headers);
  if (headers['content-type'] === undefined && method === 'PATCH') return;
  const { type, charset } = mediaTypeOf(headers);
  if (type !== 'application/json') throw unsupportedMediaType('Content-Type must be application/json');
  if (charset !== 'utf-8') throw unsupportedMediaType('charset must be utf-8');
}

/** Refuses a media type other than multipart/form-data (415), and a body that is known to be too large (413). */
export function requireMultipart(headers: IncomingHttpHeaders): void {
  if (mediaTypeOf(headers).type !== 'multipart/form-data')
    throw unsupportedMediaType('Content-Type must be multipart/form-data');
  requireNoEncoding(headers);
  refuseLarge(headers['content-length'], MAX_BODY_BYTES);
}

function mediaTypeOf({ 'content-type': given = '' }: IncomingHttpHeaders): {
  readonly type: string;
  readonly charset: string;
} {
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

/** Refuses a body that its Content-Length says to be over `limit` bytes (413). */
export function refuseLarge(length: string | undefined, limit: number): void {
  if (Number(length ?? 0) > limit) throw payloadTooLarge(limit);
}
