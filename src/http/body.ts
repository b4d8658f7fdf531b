import type { IncomingHttpHeaders } from 'node:http';
import { payloadTooLarge, unsupportedMediaType } from './errors.ts';

/** The largest request body, in bytes (SPEC, Limits). */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** The largest body of a request about accounts, in bytes: a few fields, which anyone may send without signing in. */
export const MAX_AUTH_BODY_BYTES = 64 * 1024;

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
