import { isNamed } from './conditional.ts';
import type { RequestContext } from './context.ts';
import { HttpError } from './errors.ts';
import { type Reply, notModified, stream } from './reply.ts';

type Headers = Readonly<Record<string, string>>;

/** A file served from disk. */
export interface ServedFile {
  /** In bytes. */
  readonly size: number;
  /** A strong entity tag. */
  readonly tag: string;
  /** Cache-Control of every response. */
  readonly caching: string;
  /** Other headers of responses with a body, including its type. */
  readonly headers: Headers;
  /** The bytes from `start` up to but excluding `end`. */
  readonly read: (start: number, end: number) => AsyncIterable<Buffer>;
}

/**
 * The reply to a read of a file: the whole file, the one part that `Range` requests (206), or 304 if the client has
 * it. Throws 416 if the part is outside the file.
 */
export function fileReply(
  { method, request: { headers: asked } }: Pick<RequestContext, 'method' | 'request'>,
  { size, tag, caching, headers, read }: ServedFile,
): Reply {
  const lasting = { ETag: tag, 'Cache-Control': caching };
  if (isNamed(tag, asked['if-none-match'])) return notModified(lasting);
  const { range: wanted, 'if-range': condition = tag } = asked;
  const range = method === 'GET' && condition === tag ? readRange(wanted, size) : undefined;
  const [start, end] = range ?? [0, size];
  const part = {
    'Accept-Ranges': 'bytes',
    'Content-Length': String(end - start),
    ...(range && { 'Content-Range': `bytes ${start}-${end - 1}/${size}` }),
  };
  return stream(range ? 206 : 200, { ...lasting, ...headers, ...part }, () => read(start, end));
}

/**
 * The part that a Range header requests (RFC 9110 section 14.2): its start, and its end, exclusive. Undefined for the
 * whole file: the header is missing, invalid, or requests several parts. Throws 416 if the part is outside the file.
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
