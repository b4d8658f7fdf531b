import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { REQUEST_TIMEOUT } from './errors.ts';

/** How much, in bytes, and how long, in milliseconds, a connection is read on whose client has got its answer. */
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
 * The connections of a server. A socket that is closed with unread data resets the connection, and the reset takes the
 * answer away from a client that is still sending its body. So the rest of a body is read and dropped once the answer is
 * out, within limits; then the connection is closed, or goes on (RFC 9112 section 9.6).
 */
export class Connections {
  readonly #open = new Map<string, Connection>();
  /** How to leave a socket that is read on to another way of ending. */
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
        this.#drain(request);
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
      // Browsers open some to have them at hand, and Node counts neither them nor those whose handshake is under way as
      // idle. One on which something has arrived is waited for; with TLS it always has.
      else if (socket.bytesRead === 0 || this.#isSecure) socket.destroy();
  }

  cutAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  /** Node closes a connection in this way behind its last answer. */
  #holdClosing(socket: Socket): void {
    const closeAtOnce = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const response = this.newestOf(socket);
      if (response?.req.complete === false) this.close(socket, response.statusCode === REQUEST_TIMEOUT);
      else closeAtOnce();
    };
  }

  #drain(request: IncomingMessage): void {
    const { socket } = request;
    if (request.complete || socket.writableEnded || socket.destroyed) return;
    this.#linger(socket, request, this.#limits.ms, () => {
      if (!request.complete) socket.destroy();
    });
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
    // Bytes are asked for from time to time: a listener for them would take the socket away from the parser.
    const poll = setInterval(() => {
      if (socket.bytesRead > most || performance.now() >= until) settle();
    }, POLL_MS);
    this.#lingering.set(socket, cancel);
    socket.on('end', settle).on('close', settle);
    rest?.on('end', settle).resume();
  }
}

/** The name of a connection: with TLS, requests have a socket of their own, whose peer is the same. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''}`;
}
