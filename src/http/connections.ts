import { type IncomingMessage, STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import { type BlockList, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { isListed, normaliseAddress } from './address.ts';
import { failBody } from './body.ts';
import { HttpError, REQUEST_TIMEOUT, badRequest, requestTimeout } from './errors.ts';
import { SECURITY_HEADERS, afterAnswer } from './reply.ts';

/** How long a connection is read on after its client has got the answer. */
export interface LingerLimits {
  readonly bytes: number;
  readonly ms: number;
  /** For a client that was too slow already: it sends little, so little is lost. */
  readonly msOfSlow: number;
}

/** More than the largest body, so that a body is read whole where it arrives in time. */
export const LINGER_LIMITS: LingerLimits = { bytes: 11 * 1024 * 1024, ms: 10_000, msOfSlow: 500 };

interface Connection {
  /** Without the TLS around it. */
  readonly socket: Socket;
  newest: ServerResponse | undefined;
}

const POLL_MS = 100;

/**
 * The connections of a server. Closing a socket with unread data resets the connection, and the reset takes the answer
 * away from a client that is still sending its body. So the rest of a body is read and dropped once the answer is out,
 * within limits; then the connection is closed, or goes on (RFC 9112 section 9.6).
 */
export class Connections {
  readonly #open = new Map<string, Connection>();
  /** Ends the reading on of a socket, so that another way of ending can take over. */
  readonly #lingering = new WeakMap<Socket, () => void>();
  readonly #limits: LingerLimits;
  readonly #isSecure: boolean;

  constructor(server: Server, limits: LingerLimits = LINGER_LIMITS) {
    this.#limits = limits;
    this.#isSecure = server instanceof TlsServer;
    server.on('connection', (socket) => {
      const [name, connection] = [peerOf(socket), { socket, newest: undefined }];
      this.#open.set(name, connection);
      socket.once('close', () => {
        if (this.#open.get(name) === connection) this.#open.delete(name);
      });
    });
  }

  /** To be called for each request, before it is answered. */
  follow(request: IncomingMessage, response: ServerResponse): void {
    const { socket, headers } = request;
    const connection = this.#open.get(peerOf(socket));
    if (connection) {
      if (!connection.newest) this.#holdClosing(socket);
      connection.newest = response;
    }
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      response.once('finish', () => {
        if (request.complete || socket.writableEnded || socket.destroyed) return;
        this.#linger(socket, request, this.#limits.ms, () => {
          if (!request.complete) socket.destroy();
        });
      });
  }

  /** The newest response of a connection, which may be complete. */
  newestOf(socket: Socket): ServerResponse | undefined {
    return this.#open.get(peerOf(socket))?.newest;
  }

  /** Closes a connection once all that was written has gone out and its client has stopped sending. */
  close(socket: Socket, isSlow = false): void {
    if (socket.destroyed) return;
    socket.end();
    const request = this.newestOf(socket)?.req;
    const rest = request?.complete === false ? request : undefined;
    const { ms, msOfSlow } = this.#limits;
    this.#linger(socket, rest, isSlow ? msOfSlow : ms, () => socket.destroy());
  }

  /** Lets each connection end with its newest answer, and cuts those that wait for none. */
  endEach(): void {
    for (const { socket, newest } of this.#open.values())
      if (newest) newest.shouldKeepAlive = false;
      // Browsers open spare ones, and Node counts neither them nor those whose handshake is under way as idle. One on
      // which something has arrived is waited for; with TLS something always has.
      else if (socket.bytesRead === 0 || this.#isSecure) socket.destroy();
  }

  cutAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  /** Node calls `destroySoon` to close a connection after its last answer. */
  #holdClosing(socket: Socket): void {
    const closeAtOnce = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const response = this.newestOf(socket);
      if (response?.req.complete === false) this.close(socket, response.statusCode === REQUEST_TIMEOUT);
      else closeAtOnce();
    };
  }

  /** Reads on until `rest`, if any, is whole, the client has closed, or a limit is reached. */
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
    // Polled: a listener for data would take the socket away from the parser.
    const poll = setInterval(() => {
      if (socket.bytesRead > most || performance.now() >= until) settle();
    }, POLL_MS);
    this.#lingering.set(socket, cancel);
    socket.on('end', settle).on('close', settle);
    rest?.on('end', settle).resume();
  }
}

/** The name of a connection: with TLS, requests have another socket than the server, with the same peer. */
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
 * Answers what cannot be handed to the pipeline, and closes the connection: CONNECT, and what the parser refused, for which
 * Node's own answer has no body. These answers have no response to write to, and follow the whole answers to all earlier
 * requests on the connection. A request whose own body is broken still has its response, which then reports the fault.
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
    // Each packet after the fault is refused again.
    if (!(stream instanceof Socket) || broken.has(stream)) return;
    if (error.code === 'ECONNRESET' || !stream.writable) stream.destroy();
    else answer(stream, BROKEN.get(error.code ?? '') ?? badRequest('Malformed HTTP request'));
  });
  server.on('connect', (_request, socket) => {
    // Node has handed the connection over, with all that happens on it.
    socket.on('error', () => undefined);
    if (socket instanceof Socket) answer(socket, new HttpError(405, 'Method not allowed'));
  });
}

/** A whole answer in the error form, for a connection that has no response to write to. */
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
 * Returns a function that limits the connections of a server to `most` from one address, so that a crowd of slow ones
 * cannot shut the others out; trusted proxies are exempt. Servers under the same cap are counted together.
 */
export function createConnectionCap(most: number, trustedProxies: BlockList): (server: Server) => void {
  const open = new Map<string, number>();
  return (server) => {
    server.on('connection', (socket) => {
      const address = normaliseAddress(socket.remoteAddress ?? '');
      if (address === undefined || isListed(trustedProxies, address)) return;
      const count = (open.get(address) ?? 0) + 1;
      if (count > most) {
        // Before the handshake of TLS no answer can be sent.
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
