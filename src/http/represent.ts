import type { IncomingMessage } from 'node:http';
import { Readable, type Transform, pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib';
import { Queue } from '../kit/queue.ts';
import { IMMUTABLE, isNamed, tagged, weakened } from './conditional.ts';
import { type Coding, preferredCoding } from './negotiation.ts';
import { type Reply, notModified } from './reply.ts';

const JSON_TYPE = /^application\/json(?:;|$)/;
const COMPRESSIBLE = /^(?:text\/[a-z]+|application\/(?:json|yaml)|image\/svg\+xml)(?:;|$)/;
// Headers of a 304 that control the use of the cached response; the client has the rest.
const SENT_AGAIN = ['ETag', 'Cache-Control', 'Content-Security-Policy', 'Referrer-Policy', 'Vary'];

// Smaller bodies fit into one or two packets anyway.
const LEAST = 1_024;
// Compressed in 0.15 ms at most; a round trip to a thread takes longer.
const AT_ONCE_BYTES = 32 * 1_024;
// Leaves one of the pool's four threads, which files and DNS need too.
const MOST_UNDER_WAY = 3;

// For this API's JSON, brotli at quality 3 is smaller and faster than gzip; 4 takes half as long again for 2 % less.
// Flushed at each piece, so that a slow list still arrives as it is read.
const GZIP = { level: 6, flush: constants.Z_SYNC_FLUSH };
const BROTLI = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  // A window of 256 KB instead of 4 MB bounds the memory per client.
  params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 },
};

// `smallest` is for files, which are compressed once for all clients.
const CODERS = {
  br: {
    now: (body: Buffer) => brotliCompressSync(body, BROTLI),
    stream: () => createBrotliCompress(BROTLI),
    // Quality 11 takes twice as long as 10 for 3 % less.
    smallest: (body: Buffer) =>
      promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  },
  gzip: {
    now: (body: Buffer) => gzipSync(body, GZIP),
    stream: () => createGzip(GZIP),
    smallest: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
  },
};

/** Adapts replies to what clients ask for: 304, compression. */
export class Representer {
  // Compressed bodies, or the work on them: cached as long as the originals are in memory, and shared, since a browser
  // requests all files of a page at once.
  readonly #compressed = {
    br: new WeakMap<Buffer, Buffer | Promise<Buffer>>(),
    gzip: new WeakMap<Buffer, Buffer | Promise<Buffer>>(),
  };
  readonly #queue = new Queue({ atOnce: 1 });
  #underWay = 0;

  /**
   * The reply in the form that `request` asks for; `common` are the response's other headers. A successful read
   * becomes 304 if the client has it, for JSON by a tag computed from its body (RFC 9110 section 13), and is
   * compressed if the client accepts that (section 12.5.3). Not for answers with secrets. One that must not be stored
   * has no tag, but is compressed: it contains at most the caller's notes, which pages of other sites cannot request.
   */
  represent(
    { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
    original: Reply,
    common: Record<string, string>,
  ): Reply | Promise<Reply> {
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead || original.status !== 200 || original.kind === 'empty') return original;
    const { 'Cache-Control': own } = original.headers;
    const isTaggable = !forbidsStoring(own === undefined ? common : original.headers);
    const isJson = JSON_TYPE.test(original.headers['Content-Type'] ?? '');
    const whole = isTaggable && isJson ? tagged(original) : original;
    const varies = isWorthCompressing(whole);
    const reply = varies ? varyingByCoding(whole, common) : whole;
    const tag = isTaggable ? reply.headers['ETag'] : undefined;
    const coding = varies ? preferredCoding(headers['accept-encoding']) : undefined;
    if (tag !== undefined && isNamed(tag, headers['if-none-match'])) {
      const all = { ...reply.headers, ETag: coding === undefined ? tag : weakened(tag) };
      return notModified(
        Object.fromEntries(Object.entries(all).filter(([name]) => SENT_AGAIN.includes(name))),
      );
    }
    return coding === undefined ? reply : this.#compress(reply, coding, method === 'HEAD');
  }

  /**
   * The compressed reply, or the original while too many others are being compressed. Without a body (HEAD), only the
   * headers that are known before compressing.
   */
  #compress(reply: Reply, coding: Coding, withoutBody: boolean): Reply | Promise<Reply> {
    if (reply.kind === 'empty') return reply;
    const { status } = reply;
    const { 'Content-Length': _, ETag: tag, ...others } = reply.headers;
    // A strong tag would promise the bytes of the original.
    const ofTag = tag !== undefined && { ETag: weakened(tag) };
    const headers: Reply['headers'] = { ...others, ...ofTag, 'Content-Encoding': coding };
    const known = reply.kind === 'bytes' ? this.#compressed[coding].get(reply.body) : undefined;
    if (withoutBody && !Buffer.isBuffer(known)) return { status, headers, kind: 'empty' };
    if (reply.kind === 'stream') {
      if (this.#underWay >= MOST_UNDER_WAY) return reply;
      this.#underWay += 1;
      return { ...reply, headers, chunks: () => this.#encoded(reply.chunks, CODERS[coding].stream()) };
    }
    const finish = (body: Buffer): Reply => {
      return { status, headers: { ...headers, 'Content-Length': String(body.length) }, kind: 'bytes', body };
    };
    const isFile = headers['Cache-Control'] === IMMUTABLE;
    const body = known ?? this.#compressBody(reply.body, coding, isFile);
    if (body === undefined) return reply;
    return Buffer.isBuffer(body) ? finish(body) : body.then(finish);
  }

  /** Undefined while too many others are being compressed. Files are compressed one at a time. Rejects if memory runs out. */
  #compressBody(body: Buffer, coding: Coding, isFile: boolean): Buffer | Promise<Buffer> | undefined {
    const { now, stream, smallest } = CODERS[coding];
    const bodies = this.#compressed[coding];
    if (!isFile && body.length <= AT_ONCE_BYTES) {
      const done = now(body);
      bodies.set(body, done);
      return done;
    }
    if (!isFile && this.#underWay >= MOST_UNDER_WAY) return undefined;
    if (!isFile) this.#underWay += 1;
    const work = isFile ? this.#queue.run(() => smallest(body)) : buffer(stream().end(body));
    const made = work
      .then((done) => {
        bodies.set(body, done);
        return done;
      })
      .catch((error: unknown) => {
        bodies.delete(body);
        throw error;
      })
      .finally(() => {
        if (!isFile) this.#underWay -= 1;
      });
    bodies.set(body, made);
    return made;
  }

  /** Compresses a stream as it is consumed. */
  async *#encoded(chunks: () => AsyncIterable<string | Buffer>, encoder: Transform): AsyncGenerator<Buffer> {
    const pieces: AsyncIterable<unknown> = encoder;
    try {
      // Ends both together; an error of the source comes out of the encoder.
      pipeline(Readable.from(chunks()), encoder, () => undefined);
      for await (const piece of pieces) if (Buffer.isBuffer(piece)) yield piece;
    } finally {
      encoder.destroy();
      this.#underWay -= 1;
    }
  }
}

/** True if a reply has a compressed form for clients that accept it: text over 1 KB that caches may transform. */
function isWorthCompressing(reply: Reply): boolean {
  const { headers } = reply;
  if (reply.kind === 'empty' || (reply.kind === 'bytes' && reply.body.length <= LEAST)) return false;
  // A stream of known length is a file read from disk.
  if (reply.kind === 'stream' && headers['Content-Length'] !== undefined) return false;
  if (!COMPRESSIBLE.test(headers['Content-Type'] ?? '') || headers['Content-Encoding'] !== undefined)
    return false;
  return headers['Cache-Control']?.includes('no-transform') !== true;
}

function forbidsStoring(headers: Reply['headers']): boolean {
  return headers['Cache-Control']?.includes('no-store') === true;
}

/** One header for everything a response varies by, since a reply's own `Vary` would replace the common one. */
function varyingByCoding(reply: Reply, common: Record<string, string>): Reply {
  const [ofAll, own] = [common['Vary'], reply.headers['Vary']];
  common['Vary'] = ofAll === undefined ? 'Accept-Encoding' : `${ofAll}, Accept-Encoding`;
  if (own === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, Vary: `${own}, ${common['Vary']}` } };
}
