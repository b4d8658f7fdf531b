import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  ClientGoneError,
  HttpError,
  badRequest,
  payloadTooLarge,
  requestTimeout,
  unavailable,
} from './errors.ts';
import { createJsonReader } from './json.ts';
import type { Route } from './router.ts';

export const MAX_BODY_BYTES = 10 * 1024 * 1024;
const RETRY_SECONDS = 5;
// Up to this size a body is read without a pause.
const READ_AT_ONCE = 256 * 1024;

/** The slowest acceptable arrival of a body: `leastBytes` per window. */
export interface Pace {
  readonly windowMs: number;
  readonly leastBytes: number;
}

/** A phone on a bad connection sends forty times as much. */
export const PACE: Pace = { windowMs: 20_000, leastBytes: 10 * 1024 };

/** One body's part of the shared memory. */
interface Share {
  bytes: number;
  readonly refuse: () => void;
}

/**
 * Reads all request bodies within `memory` bytes, refusing those slower than `pace`. When memory runs out, the largest
 * body still arriving is refused first, so that a few large bodies do not crowd out many small ones.
 *
 * A body counts from its arrival until its handler is done. Parsing takes several times its size, but large bodies are
 * parsed one at a time, and afterwards only the values remain.
 */
export class BodyReader {
  readonly #memory: number;
  readonly #pace: Pace;
  readonly #readJson = createJsonReader();
  readonly #arriving = new Set<Share>();
  #used = 0;

  constructor(memory: number, pace: Pace = PACE) {
    this.#memory = memory;
    this.#pace = pace;
  }

  /**
   * Calls `handle` with the parsed JSON (an empty object on routes without it) and the bytes of the body, and resolves
   * to its result. A multipart body is not read here, being too large for memory. Rejects with 400, 408, 413, 415 or
   * 503, also for a broken body on a route that takes none. Calls `inviteBody` once only the content can still be
   * wrong, and `pause` between slices of a large body.
   */
  async read<Result>(
    request: IncomingMessage,
    route: Route,
    { inviteBody, pause }: { readonly inviteBody: () => void; readonly pause: () => Promise<void> },
    handle: (body: object, blocks: readonly Buffer[]) => Result | Promise<Result>,
  ): Promise<Result> {
    const failure = failures.get(request);
    if (failure) throw failure;
    const limit = limitOfJson(route, request.headers);
    if (limit === undefined) return handle({}, []);
    inviteBody();
    const { blocks, release } = await this.#gather(request, limit, pause);
    try {
      if (blocks.length > 0) return await handle(await this.#readJson(blocks, pause), blocks);
      if (route.body !== 'jsonOrEmpty') throw badRequest('Request body is required');
      return await handle({}, blocks);
    } finally {
      release();
    }
  }

  /** Watches a body that its handler reads itself; see `watchArrival`. */
  watch(request: IncomingMessage, { largeBodies }: Route, fail: (error: Error) => void): () => void {
    return watchArrival(request, MAX_BODY_BYTES, this.#pace, fail, largeBodies);
  }

  /** Bytes of JSON bodies that are arriving or being handled. */
  bytes(): number {
    return this.#used;
  }

  /** Reads a whole body of at most `limit` bytes. Rejects with the reason if it does not arrive. */
  #gather(
    request: IncomingMessage,
    limit: number,
    pause: () => Promise<void>,
  ): Promise<{ readonly blocks: readonly Buffer[]; readonly release: () => void }> {
    return new Promise((resolve, reject) => {
      const blocks = new Blocks();
      const release = (): void => {
        this.#arriving.delete(share);
        this.#used -= share.bytes;
        share.bytes = 0;
      };
      const fail = (error: Error): void => {
        stop();
        request.off('data', add).off('end', finish).resume();
        release();
        reject(error);
      };
      const share: Share = {
        bytes: 0,
        refuse: () => {
          fail(unavailable('Too many large requests at once. Please try again.', RETRY_SECONDS));
        },
      };
      const add = (chunk: Buffer): void => {
        // The chunk that exceeds the limit still arrives here.
        if (!this.#arriving.has(share)) return;
        blocks.add(chunk);
        share.bytes += chunk.length;
        this.#used += chunk.length;
        while (this.#used > this.#memory && this.#arriving.size > 0)
          [...this.#arriving].reduce((one, other) => (other.bytes > one.bytes ? other : one)).refuse();
        if (share.bytes > READ_AT_ONCE) pauseBody(request, pause);
      };
      const finish = (): void => {
        this.#arriving.delete(share);
        resolve({ blocks: blocks.all(), release });
      };
      this.#arriving.add(share);
      const stop = watchArrival(request, limit, this.#pace, fail);
      request.on('data', add).on('end', finish);
    });
  }
}

/** Reads the rest of a body and throws it away. */
export function discardBody(request: IncomingMessage, pause: () => Promise<void>): void {
  request.on('data', () => {
    pauseBody(request, pause);
  });
  request.resume();
}

/** Stops reading until others had their turn: Node reads up to two megabytes of every connection before it looks for more. */
function pauseBody(request: IncomingMessage, pause: () => Promise<void>): void {
  const resume = (): void => {
    request.resume();
  };
  request.pause();
  pause().then(resume, resume);
}

/**
 * The byte limit for a request's JSON; undefined if its route does not read any. Throws 415 for an unsupported media
 * type or coding, 413 if Content-Length is over the limit.
 */
function limitOfJson(
  { method, body, maxBody = MAX_BODY_BYTES, largeBodies }: Route,
  headers: IncomingHttpHeaders,
) {
  const sent = headers['content-type'];
  const [type, ...parameters] = (sent ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (body === 'multipart' && type !== 'multipart/form-data')
    throw new HttpError(415, 'Content-Type must be multipart/form-data');
  // Routes without a body ignore its media type, except DELETE, which has one rule for all its bodies.
  if (body !== 'none' || method === 'DELETE') {
    if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
      throw new HttpError(415, 'Content-Encoding is not supported');
    const isOmitted = sent === undefined && (method === 'PATCH' || method === 'DELETE');
    if (body !== 'multipart' && !isOmitted) {
      if (type !== 'application/json') throw new HttpError(415, 'Content-Type must be application/json');
      const isForeign = parameters.some((parameter) => {
        const [name, value = ''] = parameter.split('=').map((part) => part.trim().replaceAll('"', ''));
        return name === 'charset' && value !== 'utf-8';
      });
      if (isForeign) throw new HttpError(415, 'charset must be utf-8');
    }
  }
  if (body === 'none') return undefined;
  if (Number(headers['content-length'] ?? 0) > maxBody) throw payloadTooLarge(maxBody, largeBodies);
  return body === 'multipart' ? undefined : maxBody;
}

const failures = new WeakMap<IncomingMessage, HttpError>();

/** Makes the reader of a body fail, whether it is already reading or starts later. */
export function failBody(request: IncomingMessage, failure: HttpError): void {
  failures.set(request, failure);
  if (request.listenerCount('error') > 0) request.emit('error', failure);
}

/**
 * Calls `fail` at most once, never synchronously, with the reason why a body does not arrive: 413, with `advice`, as
 * soon as it exceeds `limit` bytes; 408 if it is too slow; the fault of a broken body; or a ClientGoneError. The rest
 * of the body is then discarded. Returns a function that stops watching; the end of the body stops it too.
 */
export function watchArrival(
  request: IncomingMessage,
  limit: number,
  { windowMs, leastBytes }: Pace,
  fail: (error: Error) => void,
  advice?: string,
): () => void {
  let size = 0;
  let sizeBefore = 0;
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    clearInterval(timer);
    request.off('data', count).off('end', stop).off('error', end).off('close', leave);
  };
  const end = (error: Error): void => {
    stop();
    request.resume();
    fail(error);
  };
  const count = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > limit) end(payloadTooLarge(limit, advice));
  };
  const leave = (): void => {
    end(new ClientGoneError());
  };
  const timer = setInterval(() => {
    // A slow consumer, such as a slow disk, is not the client's fault.
    if (size - sizeBefore < leastBytes && !request.isPaused()) end(requestTimeout());
    sizeBefore = size;
  }, windowMs);
  request.on('data', count).on('end', stop).on('error', end).on('close', leave);
  // The body may have failed, or the client left, before these listeners were added.
  queueMicrotask(() => {
    const failure = failures.get(request);
    if (isOver) return;
    if (failure) end(failure);
    else if (request.destroyed) leave();
  });
  return stop;
}

const BLOCK = 64 * 1024;
const SMALL = BLOCK / 4;

/**
 * Collects chunks without joining them all, which would copy megabytes at once. Small chunks are joined: a million
 * one-byte chunks would take a hundred times their size.
 */
class Blocks {
  readonly #blocks: Buffer[] = [];
  #open: Buffer = Buffer.alloc(0);
  #used = 0;

  add(chunk: Buffer): void {
    // Most bodies are one small chunk, which need not be copied.
    const isWhole = chunk.length > SMALL || this.#open.length === 0;
    if (isWhole || this.#used + chunk.length > this.#open.length) {
      this.#close();
      this.#open = isWhole ? chunk : Buffer.allocUnsafeSlow(BLOCK);
    }
    this.#used += isWhole ? chunk.length : chunk.copy(this.#open, this.#used);
  }

  all(): readonly Buffer[] {
    this.#close();
    return this.#blocks;
  }

  #close(): void {
    if (this.#used > 0) this.#blocks.push(this.#open.subarray(0, this.#used));
    this.#used = 0;
  }
}
