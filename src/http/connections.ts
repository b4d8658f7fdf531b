import { type IncomingMessage, STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import { type BlockList, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { isListed, normaliseAddress } from './address.ts';
import { failBody } from './body.ts';
import { HttpError, REQUEST_TIMEOUT, badRequest, requestTimeout } from './errors.ts';
import { SECURITY_HEADERS, afterAnswer } from './reply.ts';

/** How long a connection is still read after the response has been sent. */
export interface LingerLimits {
  readonly bytes: number;
  readonly ms: number;
  /** For a client that was too slow: it sends little, so little is lost. */
  readonly msOfSlow: number;
}

/** More than the largest body, so that one that arrives in time is read completely. */
export const LINGER_LIMITS: LingerLimits = { bytes: 11 * 1024 * 1024, ms: 10_000, msOfSlow: 500 };

interface Connection {
  /** The plain socket, without TLS. */
  readonly socket: Socket;
  newest: ServerResponse | undefined;
  /** Requests that wait for the responses to earlier ones. */
  waiting: number;
}

const POLL_MS = 100;

/**
 * The connections of a server. Closing a socket with unread data resets the connection, and a client still sending its
 * body would then lose the response. So the rest of the body is read and discarded, within limits, before the
 * connection is closed or reused (RFC 9112 section 9.6).
 */
export class Connections {
  readonly #open = new Map<string, Connection>();
  /** Cancels a lingering read, so that another way of closing can take over. */
  readonly #lingering = new WeakMap<Socket, () => void>();
  readonly #limits: LingerLimits;
  readonly #isSecure: boolean;

  constructor(server: Server, limits: LingerLimits = LINGER_LIMITS) {
    this.#limits = limits;
    this.#isSecure = server instanceof TlsServer;
    server.on('connection', (socket) => {
      const name = peerOf(socket);
      const connection: Connection = { socket, newest: undefined, waiting: 0 };
      this.#open.set(name, connection);
      socket.once('close', () => {
        if (this.#open.get(name) === connection) this.#open.delete(name);
      });
    });
  }

  /**
   * Calls `start` for a request once the response before it is complete, and never if the connection ends first: a
   * connection has one request under way. While others wait it is not read, so that their client cannot add to them.
   */
  follow(request: IncomingMessage, response: ServerResponse, start: () => void): void {
    const { socket, headers } = request;
    const connection = this.#open.get(peerOf(socket));
    if (!connection) {
      // It has been reset, and nothing can be sent.
      socket.destroy();
      return;
    }
    const before = connection.newest;
    if (!before) {
      this.#holdClosing(socket);
      // Node reads on whenever a body is consumed or a response sent.
      socket.on('resume', () => {
        if (connection.waiting > 0) socket.pause();
      });
    }
    connection.newest = response;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      response.once('finish', () => {
        if (request.complete || socket.writableEnded || socket.destroyed) return;
        this.#linger(socket, request, this.#limits.ms, () => {
          if (!request.complete) socket.destroy();
        });
      });
    if (!before || before.writableFinished) {
      start();
      return;
    }
    connection.waiting += 1;
    socket.pause();
    afterAnswer(before, () => {
      connection.waiting -= 1;
      if (connection.waiting === 0) socket.resume();
      if (socket.writable) start();
    });
  }

  /** The newest response on a connection; may be complete. */
  newestOf(socket: Socket): ServerResponse | undefined {
    return this.#open.get(peerOf(socket))?.newest;
  }

  /** Closes a connection once everything written is sent and the client has stopped sending. */
  close(socket: Socket, isSlow = false): void {
    if (socket.destroyed) return;
    socket.end();
    const request = this.newestOf(socket)?.req;
    const rest = request?.complete === false ? request : undefined;
    const { ms, msOfSlow } = this.#limits;
    this.#linger(socket, rest, isSlow ? msOfSlow : ms, () => socket.destroy());
  }

  /** Lets each connection finish its newest response, and closes the idle ones. */
  endEach(): void {
    for (const { socket, newest } of this.#open.values())
      if (newest) newest.shouldKeepAlive = false;
      // Browsers open spare connections, which Node does not count as idle, nor those still in a handshake.
      // A connection that has received data may have a request on its way; with TLS the handshake is data too,
      // so there all of them are closed.
      else if (socket.bytesRead === 0 || this.#isSecure) socket.destroy();
  }

  cutAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  /** Node closes a connection after its last response through `destroySoon`. */
  #holdClosing(socket: Socket): void {
    const closeAtOnce = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const response = this.newestOf(socket);
      if (response?.req.complete === false) this.close(socket, response.statusCode === REQUEST_TIMEOUT);
      else closeAtOnce();
    };
  }

  /** Reads until `rest`, if any, is complete, the client has closed, or a limit is reached. */
  #linger(socket: Socket, rest: IncomingMessage | undefined, ms: number, end: () => void): void {
    this.#lingering.get(socket)?.();
    const [most, until] = [socket.bytesRead + this.#limits.bytes, performance.now() + ms];
    const cancel = (): void => {
      clearInterval(poll);
      socket.off('end', settle).off('close', settle);
      rest?.off('end', settle);
    };
    const settle = (): void => {
      cancel();
      end();
    };
    // Polled, since a `data` listener would take the socket away from the parser.
    const poll = setInterval(() => {
      if (socket.bytesRead > most || performance.now() >= until) settle();
    }, POLL_MS);
    this.#lingering.set(socket, cancel);
    socket.on('end', settle).on('close', settle);
    rest?.on('end', settle).resume();
  }
}

/** Identifies a connection. With TLS, requests have a different socket than the server, but the same peer. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''}`;
}

type Headers = Readonly<Record<string, string>>;

const BROKEN: ReadonlyMap<string, HttpError> = new Map([
  ['HPE_HEADER_OVERFLOW', new HttpError(431, 'Request headers are too large')],
  ['ERR_HTTP_REQUEST_TIMEOUT', requestTimeout()],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', new HttpError(413, 'Chunk extensions are too large')],
]);

/**
 * Responds to what cannot reach the pipeline, and closes the connection: CONNECT, and requests that the parser
 * refused, for which Node's own response has no body. These have no response object, so they are written raw after the
 * responses to all earlier requests on the connection. A request whose body is broken still has a response object, and
 * reports the fault through it.
 */
export function answerBrokenRequests(server: Server, connections: Connections, headers: Headers): void {
  const broken = new WeakSet<Socket>();

  function answer(socket: Socket, fault: HttpError): void {
    broken.add(socket);
    const newest = connections.newestOf(socket);
    const own = newest?.req.complete === false ? newest : undefined;
    if (own) {
      // Its response may already be sent, or on its way.
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
    // The parser reports every packet after the fault again.
    if (!(stream instanceof Socket) || broken.has(stream)) return;
    if (error.code === 'ECONNRESET' || !stream.writable) stream.destroy();
    else answer(stream, BROKEN.get(error.code ?? '') ?? badRequest('Malformed HTTP request'));
  });
  server.on('connect', (_request, socket) => {
    // From here on Node leaves the connection, including its errors, to us.
    socket.on('error', () => undefined);
    if (socket instanceof Socket) answer(socket, new HttpError(405, 'Method not allowed'));
  });
}

/** A complete error response for a connection without a response object. */
function rawAnswer(status: number, message: string, headers: Headers): string {
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

/**
 * Returns a function that limits a server to `most` connections per address, so that a crowd of slow ones cannot shut
 * out other clients; trusted proxies are exempt. Servers with the same cap share the count.
 */
export function createConnectionCap(most: number, trustedProxies: BlockList): (server: Server) => void {
  const open = new Map<string, number>();
  return (server) => {
    server.on('connection', (socket) => {
      const address = normaliseAddress(socket.remoteAddress ?? '');
      if (address === undefined || isListed(trustedProxies, address)) return;
      const count = (open.get(address) ?? 0) + 1;
      if (count > most) {
        // Nothing can be sent before the TLS handshake.
        if (server instanceof TlsServer) socket.destroy();
        else {
          socket.end(rawAnswer(503, 'Too many connections from this address', SECURITY_HEADERS));
          socket.destroySoon();
        }
        return;
      }
      open.set(address, count);
      socket.once('close', () => {
        const left = (open.get(address) ?? 1) - 1;
        if (left === 0) open.delete(address);
        else open.set(address, left);
      });
    });
  };
}
