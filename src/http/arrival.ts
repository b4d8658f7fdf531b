import type { IncomingMessage } from 'node:http';
import {
  MAX_AUTH_BODY_BYTES,
  MAX_BODY_BYTES,
  parseJsonObject,
  refuseLarge,
  requireJsonType,
  requireMultipart,
} from './body.ts';
import { type HttpError, badRequest, payloadTooLarge } from './errors.ts';
import type { Route } from './router.ts';

/**
 * The JSON of a route that takes some; an empty object elsewhere. A multipart body stays unread: it is too large to be
 * held in memory. Throws 400, 413 and 415, also for a body that is broken and not wanted. `inviteBody` is called once
 * nothing speaks against the body but its content.
 */
export async function readRouteBody(
  request: IncomingMessage,
  route: Route,
  inviteBody: () => void,
): Promise<object> {
  const failure = failures.get(request);
  if (failure) throw failure;
  if (route.body === 'multipart') requireMultipart(request.headers);
  if (route.body === 'none' || route.body === 'multipart') return {};
  requireJsonType(route.method, request.headers['content-type'], request.headers['content-encoding']);
  const limit = route.limit === 'auth' ? MAX_AUTH_BODY_BYTES : MAX_BODY_BYTES;
  const bytes = await readBody(request, limit, inviteBody);
  if (bytes.length > 0) return parseJsonObject(bytes);
  if (route.body === 'jsonOrEmpty') return {};
  throw badRequest('Request body is required');
}

/** Reads a whole body of at most `limit` bytes into memory. Throws what keeps it from arriving. */
async function readBody(request: IncomingMessage, limit: number, wanted: () => void): Promise<Buffer> {
  refuseLarge(request.headers['content-length'], limit);
  wanted();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const gather = (chunk: Buffer): void => {
      chunks.push(chunk);
    };
    const finish = (): void => {
      resolve(Buffer.concat(chunks));
    };
    watchArrival(request, limit, (error) => {
      request.off('data', gather).off('end', finish);
      reject(error);
    });
    request.on('data', gather).on('end', finish);
  });
}

/**
 * Calls `fail`, once at most and never before this returns, with what keeps a body from arriving: 413 as soon as it is
 * known to be over `limit` bytes, the fault of a broken one, the going of the client. The rest of it is dropped.
 * Returns the function that ends the watch, which the end of the body does as well.
 */
export function watchArrival(
  request: IncomingMessage,
  limit: number,
  fail: (error: Error) => void,
): () => void {
  let size = 0;
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    request.off('data', count).off('end', stop).off('error', end).off('close', leave);
  };
  const end = (error: Error): void => {
    stop();
    request.resume();
    fail(error);
  };
  const count = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > limit) end(payloadTooLarge(limit));
  };
  const leave = (): void => {
    end(new Error('client went away'));
  };
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

/** Tells the reader of a body, now or later, that the body is broken. */
export function failBody(request: IncomingMessage, failure: HttpError): void {
  failures.set(request, failure);
  if (request.listenerCount('error') > 0) request.emit('error', failure);
}

const failures = new WeakMap<IncomingMessage, HttpError>();
