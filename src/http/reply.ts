import type { ServerResponse } from 'node:http';
import type { StaticFile } from '../kit/static-files.ts';

/** A handler's response as a value; only `send` writes it. */
export type Reply = Head &
  (
    | { readonly kind: 'empty' }
    | { readonly kind: 'bytes'; readonly body: Buffer }
    | { readonly kind: 'stream'; readonly chunks: () => Chunks }
  );

interface Head {
  readonly status: number;
  readonly headers: Headers;
  /**
   * Set-Cookie values, which must not be joined into one header: they could not be separated again (RFC 6265 section
   * 3).
   */
  readonly cookies?: readonly string[];
}

type Headers = Readonly<Record<string, string>>;
type Chunks = AsyncIterable<string | Buffer>;

/** Headers of every response; some responses have another policy. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** With TLS, browsers must not use plain HTTP for a year. */
export const SECURITY_HEADERS_OVER_TLS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  'Strict-Transport-Security': 'max-age=31536000',
};

// A client that does not accept a piece of a stream within this time is gone or hostile.
const STALL_MS = 30_000;
// Longer bodies are written in pieces of this many bytes, each with its own time limit.
const PIECE = 64 * 1024;
// A larger chunk of a stream is split.
const LARGEST_PIECE = 256 * 1024;

export const JSON_TYPE = 'application/json; charset=utf-8';

export function json(status: number, value: unknown, headers: Headers = {}): Reply {
  return content(JSON_TYPE, Buffer.from(JSON.stringify(value)), headers, status);
}

export function ok(value: unknown): Reply {
  return json(200, value);
}

/** 200 with a JSON text. */
export function okText(text: string | Buffer, headers: Headers = {}): Reply {
  return content(JSON_TYPE, typeof text === 'string' ? Buffer.from(text) : text, headers);
}

/** 201 with the new resource and its location. */
export function created(location: string, value: unknown): Reply {
  return json(201, value, { Location: location });
}

/** 201 with the new resource as JSON text. */
export function createdText(location: string, text: string): Reply {
  return content(JSON_TYPE, Buffer.from(text), { Location: location }, 201);
}

export function noContent(headers: Headers = {}): Reply {
  return { status: 204, headers, kind: 'empty' };
}

/** 304: the client's copy is current. */
export function notModified(headers: Headers): Reply {
  return { status: 304, headers, kind: 'empty' };
}

/** A body read as the client consumes it; `headers` state its type and length. */
export function stream(status: number, headers: Headers, chunks: () => Chunks): Reply {
  return { status, headers, kind: 'stream', chunks };
}

export function content(type: string, body: Buffer, headers: Headers = {}, status = 200): Reply {
  const all = { ...headers, 'Content-Type': type, 'Content-Length': String(body.length) };
  return { status, headers: all, kind: 'bytes', body };
}

/** A file in memory, with its tag. */
export function staticReply({ type, body, tag }: StaticFile, caching: string, headers: Headers = {}): Reply {
  return content(type, body, { ...headers, ETag: tag, 'Cache-Control': caching });
}

/** 302 to a URL or a path, with Set-Cookie values. */
export function redirect(location: string, cookies: readonly string[] = []): Reply {
  return { status: 302, headers: { Location: location, 'Content-Length': '0' }, cookies, kind: 'empty' };
}

/** Adds the header that names a write's change, if there was one. */
export function withChange(reply: Reply, changeId: number | undefined): Reply {
  if (changeId === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, Change: String(changeId) } };
}

/** Plain text in UTF-8. */
export function text(status: number, body: string): Reply {
  return content('text/plain; charset=utf-8', Buffer.from(body), {}, status);
}

/** The body of every error: one field `error`, and a `code` where the message has one. */
export function errorReply(status: number, message: string, headers: Headers = {}, code?: string): Reply {
  return json(status, { error: message, code }, headers);
}

/**
 * Writes `reply` and returns the number of body bytes passed to the socket. A stream stops when the client leaves.
 * Errors of a stream are rethrown: until its first piece nothing has been written, so another reply can still be sent.
 */
export function send(
  response: ServerResponse,
  reply: Reply,
  common: Headers,
  withoutBody: boolean,
): number | Promise<number> {
  const head = joined(common, reply.headers, reply.cookies);
  if (reply.kind === 'stream' && !withoutBody)
    return sendStream(response, reply.status, head, reply.chunks());
  if (reply.kind === 'bytes' && reply.body.length > PIECE && !withoutBody)
    return sendStream(response, reply.status, head, piecesOf(reply.body, PIECE));
  response.writeHead(reply.status, head);
  if (withoutBody || reply.kind !== 'bytes') {
    response.end();
    return 0;
  }
  response.end(reply.body);
  return reply.body.length;
}

/**
 * Alternates names and values, which Node processes faster than an object; a reply's own headers replace the common
 * ones.
 */
function joined(common: Headers, own: Headers, cookies: readonly string[] = []): string[] {
  const head: string[] = [];
  for (const name in common) if (own[name] === undefined) head.push(name, common[name] ?? '');
  for (const name in own) head.push(name, own[name] ?? '');
  for (const cookie of cookies) head.push('Set-Cookie', cookie);
  return head;
}

function* piecesOf(body: Buffer, length: number): Generator<Buffer> {
  for (let at = 0; at < body.length; at += length) yield body.subarray(at, at + length);
}

async function sendStream(
  response: ServerResponse,
  status: number,
  head: string[],
  chunks: Chunks | Iterable<Buffer>,
): Promise<number> {
  let sent = 0;
  for await (const chunk of chunks)
    for (const piece of piecesOf(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, LARGEST_PIECE)) {
      if (response.destroyed) return sent;
      if (!response.headersSent) response.writeHead(status, head);
      sent += piece.length;
      if (!response.write(piece)) await drained(response);
    }
  if (!response.headersSent) response.writeHead(status, head);
  response.end();
  return sent;
}

/** Waits until the client has read what was written, and disconnects it if that takes too long. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(stalled);
      response.off('drain', go).off('close', go);
      resolve();
    };
    // Node's socket timeout takes twice as long: it sees a write in progress and waits once more.
    const stalled = setTimeout(() => response.destroy(), STALL_MS);
    response.on('drain', go).on('close', go);
    if (response.destroyed) go();
  });
}

/** Calls `act` once a response is complete or has broken off. */
export function afterAnswer(response: ServerResponse, act: () => void): void {
  if (response.writableFinished || response.destroyed) act();
  else response.once('close', act);
}
