import { STATUS_CODES, type Server } from 'node:http';
import { Socket } from 'node:net';
import { failBody } from './arrival.ts';
import type { Connections } from './connections.ts';
import { HttpError, REQUEST_TIMEOUT, badRequest, requestTimeout } from './errors.ts';
import { afterAnswer } from './reply.ts';

type Headers = Readonly<Record<string, string>>;

const BROKEN: ReadonlyMap<string, HttpError> = new Map([
  ['HPE_HEADER_OVERFLOW', new HttpError(431, 'Request headers are too large')],
  ['ERR_HTTP_REQUEST_TIMEOUT', requestTimeout()],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', new HttpError(413, 'Chunk extensions are too large')],
]);

/**
 * Answers what cannot be handed to the pipeline, and closes the connection: what the parser refused, for which Node's own
 * answer has no body, and CONNECT. These answers have no response to write to, and come behind the whole answers to all
 * requests before them on the connection. A request whose own body is broken still has its response, which then reports
 * the fault.
 */
export function answerBrokenRequests(server: Server, connections: Connections, headers: Headers): void {
  const broken = new WeakSet<Socket>();

  function answer(socket: Socket, fault: HttpError): void {
    broken.add(socket);
    const newest = connections.newestOf(socket);
    const own = newest?.req.complete === false ? newest : undefined;
    if (own) {
      // Its answer may be out already, or be on its way.
      if (!own.headersSent) own.shouldKeepAlive = false;
      failBody(own.req, fault);
    }
    const finish = (): void => {
      if (!socket.writable) return;
      if (!own) socket.write(rawAnswer(fault.status, fault.message, headers));
      connections.close(socket, fault.status === REQUEST_TIMEOUT);
    };
    if (newest) afterAnswer(newest, finish);
    else finish();
  }

  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    // Each packet behind the fault is refused again.
    if (!(stream instanceof Socket) || broken.has(stream)) return;
    if (error.code === 'ECONNRESET' || !stream.writable) stream.destroy();
    else answer(stream, BROKEN.get(error.code ?? '') ?? badRequest('Malformed HTTP request'));
  });
  server.on('connect', (_request, socket) => {
    // Node has left the connection to us, with all that happens on it.
    socket.on('error', () => undefined);
    if (socket instanceof Socket) answer(socket, new HttpError(405, 'Method not allowed'));
  });
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
