import { STATUS_CODES, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { failBody } from './arrival.ts';
import type { Closer } from './closing.ts';
import { HttpError, REQUEST_TIMEOUT, badRequest, requestTimeout } from './errors.ts';

type Headers = Readonly<Record<string, string>>;

const BROKEN: ReadonlyMap<string, HttpError> = new Map([
  ['HPE_HEADER_OVERFLOW', new HttpError(431, 'Request headers are too large')],
  ['ERR_HTTP_REQUEST_TIMEOUT', requestTimeout()],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', new HttpError(413, 'Chunk extensions are too large')],
]);

/** Answers what cannot be handed to the pipeline, and closes the connection. */
export interface BrokenRequests {
  /** For what the HTTP parser refused; Node's own answer has no body. */
  readonly refuse: (error: NodeJS.ErrnoException, stream: NodeJS.WritableStream) => void;
  /** For a request with which Node leaves the connection to the service, such as CONNECT. */
  readonly answer: (socket: Socket, error: HttpError) => void;
}

/**
 * The answers that have no response to write to. They come behind the whole answers to all requests before them on the
 * connection. A request whose own body is broken still has its response, which then reports the fault.
 */
export function createBrokenRequests(closer: Closer, headers: Headers): BrokenRequests {
  const broken = new WeakSet<Socket>();

  function answer(socket: Socket, { status, message }: HttpError): void {
    broken.add(socket);
    afterAnswer(closer.newestOf(socket), () => {
      if (!socket.writable) return;
      socket.write(rawAnswer(status, message, headers));
      closer.close(socket, status === REQUEST_TIMEOUT);
    });
  }

  function failNewest(socket: Socket, response: ServerResponse, error: HttpError): void {
    broken.add(socket);
    // Its answer may be out already, or be on its way.
    if (!response.headersSent) response.shouldKeepAlive = false;
    failBody(response.req, error);
    afterAnswer(response, () => {
      if (socket.writable) closer.close(socket, error.status === REQUEST_TIMEOUT);
    });
  }

  return {
    answer,
    refuse: (error, stream) => {
      if (!(stream instanceof Socket)) return;
      // Each packet behind the fault is refused again.
      if (broken.has(stream)) return;
      if (error.code === 'ECONNRESET' || !stream.writable) {
        stream.destroy();
        return;
      }
      const fault = BROKEN.get(error.code ?? '') ?? badRequest('Malformed HTTP request');
      const newest = closer.newestOf(stream);
      if (newest?.req.complete === false) failNewest(stream, newest, fault);
      else answer(stream, fault);
    },
  };
}

function afterAnswer(response: ServerResponse | undefined, act: () => void): void {
  if (response === undefined || response.writableFinished || response.destroyed) act();
  else response.once('close', act);
}

/** A whole answer in the error form, for a connection that has no response to write to. */
export function rawAnswer(status: number, message: string, headers: Headers): string {
  const body = JSON.stringify({ error: message });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
