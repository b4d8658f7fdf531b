import { Readable, type Transform, pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib';
import { promisify } from 'node:util';
import { IMMUTABLE, weakened } from './conditional.ts';
import type { Coding } from './negotiation.ts';
import type { Reply } from './reply.ts';

/**
 * The reply in the coding, or as it is while too many others are being compressed. Without a body (HEAD) it only gets
 * the headers, as far as they are known before the work is done.
 */
export type Compressor = (reply: Reply, coding: Coding, withoutBody: boolean) => Reply | Promise<Reply>;

// Below this a body fits into one packet or two anyway.
const LEAST = 1_024;
// As much is compressed in 0.15 ms at most; the way to a thread and back takes longer.
const AT_ONCE_BYTES = 32 * 1_024;
// Of the pool's four threads, which files and host names need too, one is always left.
const MOST_UNDER_WAY = 3;

const TYPES = /^(?:text\/[a-z]+|application\/(?:json|yaml)|image\/svg\+xml)(?:;|$)/;

// Of JSON pages of this API: brotli of quality 3 is smaller than gzip and takes less time, 4 takes half as long again
// for 2 % less. Flushed at each piece, so that a slow list still arrives as it is read.
const GZIP = { level: 6, flush: constants.Z_SYNC_FLUSH };
const BROTLI = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  // A window of 256 KB instead of 4 MB bounds what a client costs.
  params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 },
};

// Of files that are compressed once for all clients: brotli of quality 11 takes twice as long as 10 for 3 % less.
const SMALLEST: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
};

interface Coder {
  readonly now: (body: Buffer) => Buffer;
  readonly stream: () => Transform;
}

const CODERS: Readonly<Record<Coding, Coder>> = {
  br: { now: (body) => brotliCompressSync(body, BROTLI), stream: () => createBrotliCompress(BROTLI) },
  gzip: { now: (body) => gzipSync(body, GZIP), stream: () => createGzip(GZIP) },
};

/** Whether a reply has another form for clients that want it compressed: text over 1 KB that a cache may change. */
export function isWorthCompressing(reply: Reply): boolean {
  if (reply.kind === 'empty' || (reply.kind === 'bytes' && reply.body.length <= LEAST)) return false;
  const { headers } = reply;
  // A stream that knows its length is a file that is read from the disk.
  if (reply.kind === 'stream' && headers['Content-Length'] !== undefined) return false;
  if (!TYPES.test(headers['Content-Type'] ?? '') || headers['Content-Encoding'] !== undefined) return false;
  return headers['Cache-Control']?.includes('no-transform') !== true;
}

/** A compressor with its own count of what is under way. */
export function createCompressor(): Compressor {
  // As long as the body is in memory: what is answered again and again is compressed once.
  const cached: Record<Coding, WeakMap<Buffer, Buffer>> = { br: new WeakMap(), gzip: new WeakMap() };
  const smallest = createSmallest();
  let underWay = 0;
  const done = (): void => {
    underWay -= 1;
  };

  return (reply, coding, withoutBody) => {
    if (reply.kind === 'empty') return reply;
    const { status } = reply;
    const { now, stream } = CODERS[coding];
    const headers = encodedHeaders(reply, coding);
    const known = reply.kind === 'bytes' ? cached[coding].get(reply.body) : undefined;
    if (!known && withoutBody) return { status, headers, kind: 'empty' };
    if (reply.kind === 'stream') {
      if (underWay >= MOST_UNDER_WAY) return reply;
      underWay += 1;
      return { ...reply, headers, chunks: () => encoded(reply.chunks, stream(), done) };
    }
    const finish = (body: Buffer): Reply => {
      cached[coding].set(reply.body, body);
      return { status, headers: { ...headers, 'Content-Length': String(body.length) }, kind: 'bytes', body };
    };
    if (!known && headers['Cache-Control'] === IMMUTABLE) return smallest(reply.body, coding).then(finish);
    if (known || reply.body.length <= AT_ONCE_BYTES) return finish(known ?? now(reply.body));
    if (underWay >= MOST_UNDER_WAY) return reply;
    underWay += 1;
    return buffer(stream().end(reply.body)).then(finish).finally(done);
  };
}

/**
 * Compresses one body after the other, each of them once: a browser asks for the files of a page all at once. Rejects
 * when there is no memory for it.
 */
function createSmallest(): (body: Buffer, coding: Coding) => Promise<Buffer> {
  const underWay: Record<Coding, WeakMap<Buffer, Promise<Buffer>>> = {
    br: new WeakMap(),
    gzip: new WeakMap(),
  };
  let last: Promise<unknown> = Promise.resolve();
  return (body, coding) => {
    const waiting = underWay[coding].get(body);
    if (waiting) return waiting;
    const made = last.then(() => SMALLEST[coding](body)).finally(() => underWay[coding].delete(body));
    last = made.catch(() => undefined);
    underWay[coding].set(body, made);
    return made;
  };
}

/** The headers of an encoded reply. A strong tag would say that its bytes are those of the reply as it was. */
function encodedHeaders({ headers }: Reply, coding: Coding): Readonly<Record<string, string>> {
  const { 'Content-Length': _, ETag: tag, ...others } = headers;
  return {
    ...others,
    ...(tag !== undefined && { ETag: weakened(tag) }),
    'Content-Encoding': coding,
  };
}

/** A stream in the coding, made as it is taken. `done` is called once it has ended, broken off or been abandoned. */
async function* encoded(
  chunks: () => AsyncIterable<string | Buffer>,
  encoder: Transform,
  done: () => void,
): AsyncGenerator<Buffer> {
  const pieces: AsyncIterable<unknown> = encoder;
  try {
    // Ends the one with the other; what the source throws comes out of the encoder.
    pipeline(Readable.from(chunks()), encoder, () => undefined);
    for await (const piece of pieces) if (Buffer.isBuffer(piece)) yield piece;
  } finally {
    encoder.destroy();
    done();
  }
}
