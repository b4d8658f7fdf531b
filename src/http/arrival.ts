import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES, limitOfJson } from './body.ts';
import { BodyBudget } from './body-budget.ts';
import {
  ClientGoneError,
  type HttpError,
  badRequest,
  payloadTooLarge,
  requestTimeout,
  unavailable,
} from './errors.ts';
import { createJsonReader } from './json.ts';
import type { Route } from './router.ts';

/** How slowly a body may arrive. */
export interface Pace {
  readonly windowMs: number;
  /** Bytes that have to arrive in each window. */
  readonly leastBytes: number;
}

/** A phone on a bad line sends forty times as much. */
export const PACE: Pace = { windowMs: 20_000, leastBytes: 10 * 1024 };

/** How bodies are read. */
export interface BodyReader {
  /**
   * Calls `handle` with the JSON of a route that takes some, an empty object elsewhere, and the bytes that it was, and
   * resolves to what it returns. A multipart body stays unread: it is too large to be held in memory. Rejects with 400, 408, 413, 415 and 503, also for a
   * body that is broken and not wanted. `inviteBody` is called once nothing speaks against the body but its content, `pause`
   * between slices of a large one.
   */
  readonly read: <Result>(
    request: IncomingMessage,
    route: Route,
    hooks: { readonly inviteBody: () => void; readonly pause: () => Promise<void> },
    handle: (body: object, blocks: readonly Buffer[]) => Result | Promise<Result>,
  ) => Promise<Result>;
  /** Watches a body that its handler reads itself; see `watchArrival`. */
  readonly watch: (request: IncomingMessage, route: Route, fail: (error: Error) => void) => () => void;
  /** Bytes of JSON bodies that arrive or are being handled. */
  readonly bytes: () => number;
}

const RETRY_SECONDS = 5;

/** Reads bodies within `memory` bytes for all of them, and no more slowly than `pace` allows. */
export function createBodyReader(memory: number, pace: Pace = PACE): BodyReader {
  const budget = new BodyBudget(memory);
  const readJson = createJsonReader();
  return {
    read: async (request, route, { inviteBody, pause }, handle) => {
      const failure = failures.get(request);
      if (failure) throw failure;
      const limit = limitOfJson(route, request.headers);
      if (limit === undefined) return handle({}, []);
      inviteBody();
      const { blocks, release } = await gather(request, limit, budget, pace);
      try {
        return await handle(blocks.length > 0 ? await readJson(blocks, pause) : emptyBody(route), blocks);
      } finally {
        release();
      }
    },
    watch: (request, { largeBodies }, fail) => watchArrival(request, MAX_BODY_BYTES, pace, fail, largeBodies),
    bytes: () => budget.used,
  };
}

function emptyBody(route: Route): object {
  if (route.body === 'jsonOrEmpty') return {};
  throw badRequest('Request body is required');
}

/** Reads a whole body of at most `limit` bytes. Rejects with the reason why it does not arrive. */
function gather(
  request: IncomingMessage,
  limit: number,
  budget: BodyBudget,
  pace: Pace,
): Promise<{ readonly blocks: readonly Buffer[]; readonly release: () => void }> {
  return new Promise((resolve, reject) => {
    const blocks = createBlocks();
    const release = (): void => {
      budget.release(share);
    };
    const fail = (error: Error): void => {
      stop();
      request.off('data', add).off('end', finish).resume();
      release();
      reject(error);
    };
    const share = budget.open(() => {
      fail(unavailable('Too many large requests at once. Please try again.', RETRY_SECONDS));
    });
    const add = (chunk: Buffer): void => {
      blocks.add(chunk);
      budget.add(share, chunk.length);
    };
    const finish = (): void => {
      budget.complete(share);
      resolve({ blocks: blocks.all(), release });
    };
    const stop = watchArrival(request, limit, pace, fail);
    request.on('data', add).on('end', finish);
  });
}

/**
 * Calls `fail`, once at most and never before this returns, with the reason why a body does not arrive: 413 as soon as it is
 * known to be over `limit` bytes, with `advice`, 408 when it comes too slowly, the fault of a broken one, the going of the client. The
 * rest of it is dropped then. Returns the function that ends the watch, which the end of the body does as well.
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
    // A reader that takes its time, such as a slow disk, is no fault of the client.
    if (size - sizeBefore < leastBytes && !request.isPaused()) end(requestTimeout());
    sizeBefore = size;
  }, windowMs);
  request.on('data', count).on('end', stop).on('error', end).on('close', leave);
  // It may have failed, or its client gone, before this listened.
  queueMicrotask(() => {
    const failure = failures.get(request);
    if (isOver) return;
    if (failure) end(failure);
    else if (request.destroyed) leave();
  });
  return stop;
}

/** Reports to the reader of a body, now or later, that the body is broken. */
export function failBody(request: IncomingMessage, failure: HttpError): void {
  failures.set(request, failure);
  if (request.listenerCount('error') > 0) request.emit('error', failure);
}

const failures = new WeakMap<IncomingMessage, HttpError>();

const BLOCK = 64 * 1024;
const SMALL = BLOCK / 4;

/**
 * Collects chunks without joining all of them: that would copy megabytes at once. Small ones are joined, since a million
 * chunks of one byte would take a hundred times as much if each stood for itself.
 */
function createBlocks() {
  const blocks: Buffer[] = [];
  let open: Buffer = Buffer.alloc(0);
  let used = 0;

  function close(): void {
    if (used > 0) blocks.push(open.subarray(0, used));
    used = 0;
  }

  return {
    add: (chunk: Buffer): void => {
      // Most bodies are one small chunk, of which no copy is made.
      const isWhole = chunk.length > SMALL || open.length === 0;
      if (isWhole || used + chunk.length > open.length) {
        close();
        open = isWhole ? chunk : Buffer.allocUnsafeSlow(BLOCK);
      }
      used += isWhole ? chunk.length : chunk.copy(open, used);
    },
    all: (): readonly Buffer[] => {
      close();
      return blocks;
    },
  };
}
