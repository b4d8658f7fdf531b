import { IMMUTABLE, isNamed } from '../http/conditional.ts';
import type { RequestContext } from '../http/context.ts';
import { HttpError, notFound } from '../http/errors.ts';
import { type Reply, notModified, stream } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { type PhotoFiles, isPhotoName } from './files.ts';
import type { PhotoStore } from './store.ts';

export interface PhotoFileRouteOptions {
  readonly files: Pick<PhotoFiles, 'sizeOf' | 'read'>;
  readonly store: Pick<PhotoStore, 'typeOf'>;
}

/** `/api/uploads/menu_photos`. */
export function photoFileRoutes(options: PhotoFileRouteOptions): readonly Route[] {
  return [
    {
      method: 'GET',
      pattern: '/api/uploads/menu_photos/:filename',
      access: 'public',
      body: 'none',
      limit: 'files',
      operationId: 'getPhotoFile',
      handle: (context) => serve(context, options),
    },
  ];
}

/** The row decides what there is: a deleted photo is gone at once, though its file stays for a while. */
async function serve(
  { method, parameters, request }: RequestContext,
  { files, store }: PhotoFileRouteOptions,
): Promise<Reply> {
  const filename = parameters.get('filename') ?? '';
  const type = isPhotoName(filename) ? store.typeOf(filename) : undefined;
  const size = type === undefined ? undefined : await files.sizeOf(filename);
  if (type === undefined || size === undefined) throw notFound('Photo');
  // What has this name never changes.
  const tag = `"${filename}"`;
  const lasting = { ETag: tag, 'Cache-Control': IMMUTABLE };
  if (isNamed(tag, request.headers['if-none-match'])) return notModified(lasting);
  const headers = {
    ...lasting,
    'Content-Type': type,
    'Content-Disposition': `inline; filename="${filename}"`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Accept-Ranges': 'bytes',
  };
  const { range: wanted, 'if-range': condition = tag } = request.headers;
  const range = method === 'GET' && condition === tag ? readRange(wanted, size) : 'none';
  if (range === 'outside')
    throw new HttpError(416, 'Range is outside of the file', { 'Content-Range': `bytes */${size}` });
  const { start, end } = range === 'none' ? { start: 0, end: size } : range;
  const part = { 'Content-Length': String(end - start) };
  const chunks = (): AsyncGenerator<Buffer> => files.read(filename, start, end);
  if (range === 'none') return stream(200, { ...headers, ...part }, chunks);
  const place = { 'Content-Range': `bytes ${start}-${end - 1}/${size}` };
  return stream(206, { ...headers, ...part, ...place }, chunks);
}

/** A part of a file, from `start` to before `end`. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The part that a Range header asks for (RFC 9110 section 14.2). `none`: send the whole, since there is no header, it is
 * not understood, or it asks for several parts; `outside`: no byte of it exists.
 */
function readRange(header: string | undefined, size: number): ByteRange | 'none' | 'outside' {
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'none';
  if (first === '') {
    const wanted = Number(last);
    return wanted === 0 || size === 0 ? 'outside' : { start: Math.max(0, size - wanted), end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'none';
  if (start >= size) return 'outside';
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) };
}
