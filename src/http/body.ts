import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  ClientGoneError,
  type HttpError,
  badRequest,
  payloadTooLarge,
  requestTimeout,
  unavailable,
  unsupportedMediaType,
} from './errors.ts';
import { createJsonReader } from './json.ts';
import type { Route } from './router.ts';

/** The largest request body, in bytes. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
// Requests about accounts have a few fields, and anyone may send them without signing in.
const MAX_AUTH_BODY_BYTES = 64 * 1024;
const RETRY_SECONDS = 5;

/** How slowly a body may arrive: at least `leastBytes` in each window. */
export interface Pace {
  readonly windowMs: number;
  readonly leastBytes: number;
}

/** A phone on a bad line sends forty times as much. */
export const PACE: Pace = { windowMs: 20_000, leastBytes: 10 * 1024 };

/** The part of one body in the memory that all bodies share. */
interface Share {
  bytes: number;
  readonly refuse: () => void;
}

/**
 * Reads the bodies of all requests within `memory` bytes, and no more slowly than `pace` allows. Where the memory does not
 * suffice, the largest of the bodies that still arrive is refused first, so that a few large ones do not shut out the many
 * small ones.
 *
 * A body counts with its bytes from their arrival until its handler is done. While it is parsed it takes several times as
 * much; but only one is parsed at a time, and afterwards only the values remain.
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
   * Calls `handle` with the JSON of a route that takes it, an empty object elsewhere, and the bytes of the body, and resolves
   * to its result. A multipart body stays unread: it is too large to be held in memory. Rejects with 400, 408, 413, 415 and
   * 503, also for a broken body that is not wanted. Calls `inviteBody` when only the content can still be at fault, and
   * `pause` between slices of a large one.
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
    const { blocks, release } = await this.#gather(request, limit);
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

  /** Bytes of JSON bodies that arrive or are being handled. */
  bytes(): number {
    return this.#used;
  }

  /** Reads a whole body of at most `limit` bytes. Rejects with the reason why it does not arrive. */
  #gather(
    request: IncomingMessage,
    limit: number,
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
        // The chunk that is over the limit arrives here as well.
        if (!this.#arriving.has(share)) return;
        blocks.add(chunk);
        share.bytes += chunk.length;
        this.#used += chunk.length;
        while (this.#used > this.#memory && this.#arriving.size > 0)
          [...this.#arriving].reduce((one, other) => (other.bytes > one.bytes ? other : one)).refuse();
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

/**
 * The limit in bytes for the JSON of a request; undefined where its route reads none itself. Throws 415 for another media
 * type or coding than the route takes, 413 for a body that is known to be too large.
 */
function limitOfJson({ method, body, limit, largeBodies }: Route, headers: IncomingHttpHeaders) {
  // A route without a body may ignore what it does not understand; but DELETE has one rule for its bodies.
  if (body === 'multipart') requireMultipart(headers);
  else if (body !== 'none' || method === 'DELETE') requireJsonType(method, headers);
  if (body === 'none') return undefined;
  const most = limit === 'auth' ? MAX_AUTH_BODY_BYTES : MAX_BODY_BYTES;
  if (Number(headers['content-length'] ?? 0) > most) throw payloadTooLarge(most, largeBodies);
  return body === 'multipart' ? undefined : most;
}

/** Only PATCH and DELETE may come without a media type. */
function requireJsonType(method: string, headers: IncomingHttpHeaders): void {
  requireNoEncoding(headers);
  if (headers['content-type'] === undefined && (method === 'PATCH' || method === 'DELETE')) return;
  const [type, ...parameters] = mediaTypeOf(headers);
  if (type !== 'application/json') throw unsupportedMediaType('Content-Type must be application/json');
  const isForeign = parameters.some((parameter) => {
    const [name, value = ''] = parameter.split('=').map((part) => part.trim().replaceAll('"', ''));
    return name === 'charset' && value !== 'utf-8';
  });
  if (isForeign) throw unsupportedMediaType('charset must be utf-8');
}

function requireMultipart(headers: IncomingHttpHeaders): void {
  if (mediaTypeOf(headers)[0] !== 'multipart/form-data')
    throw unsupportedMediaType('Content-Type must be multipart/form-data');
  requireNoEncoding(headers);
}

/** The media type and its parameters, in lower case. */
function mediaTypeOf({ 'content-type': type = '' }: IncomingHttpHeaders): string[] {
  return type.split(';').map((part) => part.trim().toLowerCase());
}

function requireNoEncoding({ 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders): void {
  if (encoding.toLowerCase() !== 'identity') throw unsupportedMediaType('Content-Encoding is not supported');
}

const failures = new WeakMap<IncomingMessage, HttpError>();

/** Reports to the reader of a body, now or later, that the body is broken. */
export function failBody(request: IncomingMessage, failure: HttpError): void {
  failures.set(request, failure);
  if (request.listenerCount('error') > 0) request.emit('error', failure);
}

/**
 * Calls `fail`, at most once and never before this returns, with the reason why a body does not arrive: 413, with `advice`,
 * as soon as it is known to be over `limit` bytes, 408 when it comes too slowly, the fault of a broken one, or a
 * ClientGoneError. The rest of it is dropped then. Returns the function that ends the watch, as the end of the body does.
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
    // A slow reader, such as a slow disk, is not the client's fault.
    if (size - sizeBefore < leastBytes && !request.isPaused()) end(requestTimeout());
    sizeBefore = size;
  }, windowMs);
  request.on('data', count).on('end', stop).on('error', end).on('close', leave);
  // The body may have failed, or the client gone, before this listened.
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
 * Collects chunks without joining all of them, which would copy megabytes at once. Small ones are joined: a million
 * chunks of one byte would take a hundred times their size.
 */
class Blocks {
  readonly #blocks: Buffer[] = [];
  #open: Buffer = Buffer.alloc(0);
  #used = 0;

  add(chunk: Buffer): void {
    // Most bodies are one small chunk, which is not copied.
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
