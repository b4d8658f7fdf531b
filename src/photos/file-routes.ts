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
  const range = method === 'GET' && condition === tag ? readRange(wanted, size) : undefined;
  const [start, end] = range ?? [0, size];
  const part = {
    'Content-Length': String(end - start),
    ...(range && { 'Content-Range': `bytes ${start}-${end - 1}/${size}` }),
  };
  return stream(range ? 206 : 200, { ...headers, ...part }, () => files.read(filename, start, end));
}

/**
 * The part that a Range header asks for (RFC 9110 section 14.2), from its start to before its end. Undefined for the
 * whole: there is no header, it is not understood, or it asks for several parts. Throws 416 when no byte of it exists.
 */
function readRange(header: string | undefined, size: number): readonly [number, number] | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  if (start >= size)
    throw new HttpError(416, 'Range is outside of the file', { 'Content-Range': `bytes */${size}` });
  return [start, first === '' || last === '' ? size : Math.min(size, Number(last) + 1)];
}
