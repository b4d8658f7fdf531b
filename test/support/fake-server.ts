import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Cleanup } from './cleanup.ts';
import { listenOnLoopback } from './listen.ts';

/** A request as a fake of an outside service got it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Monotonic, in milliseconds. */
  readonly at: number;
}

/** Answers a request in a way of its own. */
export type Fault = (response: ServerResponse, asked: Asked) => void;

/** An outside service on loopback. */
export interface FakeServer {
  readonly url: string;
  readonly port: number;
  /** Everything that was asked so far. */
  readonly asked: readonly Asked[];
  /** Misbehaves from now on; honest again without a fault. */
  readonly behave: (fault?: Fault) => void;
}

/** Starts a server that records what it is asked and answers with `honest` unless told to misbehave. */
export async function startFakeServer(t: Cleanup, honest: Fault): Promise<FakeServer> {
  const asked: Asked[] = [];
  let fault: Fault | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const one = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        at: performance.now(),
      };
      asked.push(one);
      (fault ?? honest)(response, one);
    });
  });
  const port = await listenOnLoopback(t, server);
  const behave = (next?: Fault): void => {
    fault = next;
  };
  return { url: `http://127.0.0.1:${port}`, port, asked, behave };
}

/** Answers JSON. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=UTF-8' });
  response.end(JSON.stringify(value));
}

/** Answers a body as it is. */
export const sending =
  (status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Fault =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** Answers `value` as JSON. */
export const sendingJson =
  (status: number, value: unknown): Fault =>
  (response) => {
    sendJson(response, status, value);
  };

/** What any service may do to who asks it, by name. None of it is a whole and honest answer. */
export const TROUBLES = {
  'an internal error': sending(500, '{"error":"oops"}'),
  'being overloaded': sending(503, 'Search temporarily unavailable'),
  'a page': sending(200, '<!doctype html><title>Sign in to the Wi-Fi</title>', {
    'Content-Type': 'text/html',
  }),
  'half of its JSON': sending(200, '{"places":[{"id":"half","displayN'),
  'three megabytes': sending(200, `["${'x'.repeat(3_000_000)}"]`),
  'a gzip bomb': (response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20_000_000, 0x20)));
  },
  'a number': sending(200, '5', { 'Content-Type': 'application/json' }),
  null: sending(200, 'null', { 'Content-Type': 'application/json' }),
  'no content': sending(204, ''),
  'a connection that breaks off': (response) => {
    response.destroy();
  },
  'a body that breaks off': (response) => {
    response.writeHead(200, { 'Content-Length': '100' }).write('{"places":');
    setTimeout(() => response.destroy(), 20);
  },
} satisfies Readonly<Record<string, Fault>>;
