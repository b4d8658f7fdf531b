import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
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

/** Closes connections in such a way that clients can read their answers. */
export interface Closer {
  /** To be called for each request, before it is answered. */
  readonly follow: (request: IncomingMessage, response: ServerResponse) => void;
  /** The newest response of a connection, which may be complete. */
  readonly newestOf: (socket: Socket) => ServerResponse | undefined;
  /** Closes a connection once all that was written has gone out and its client has stopped sending. */
  readonly close: (socket: Socket, isSlow?: boolean) => void;
  /** Cuts the connections that are only read on. */
  readonly cut: () => void;
}

interface Newest {
  response: ServerResponse;
}

const SWEEP_MS = 100;

/**
 * A socket that is closed with unread data resets the connection, and the reset takes the answer away from a client
 * that is still sending its body. So the rest of a body is read and dropped once the answer is out, within limits; then
 * the connection is closed, or goes on (RFC 9112 section 9.6).
 */
export function createCloser(limits: LingerLimits = LINGER_LIMITS): Closer {
  const newest = new WeakMap<Socket, Newest>();
  const { linger, cut } = createLinger(limits.bytes);

  function close(socket: Socket, isSlow = false): void {
    if (socket.destroyed) return;
    socket.end();
    const request = newest.get(socket)?.response.req;
    const rest = request?.complete === false ? request : undefined;
    linger(socket, rest, isSlow ? limits.msOfSlow : limits.ms, () => socket.destroy());
  }

  /** Node closes a connection in this way behind its last answer. */
  function holdClosing(socket: Socket): void {
    const closeAtOnce = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const response = newest.get(socket)?.response;
      if (response?.req.complete === false) close(socket, response.statusCode === REQUEST_TIMEOUT);
      else closeAtOnce();
    };
  }

  function drain(request: IncomingMessage): void {
    const { socket } = request;
    if (request.complete || socket.writableEnded || socket.destroyed) return;
    linger(socket, request, limits.ms, () => {
      if (!request.complete) socket.destroy();
    });
  }

  return {
    follow: (request, response) => {
      const { socket, headers } = request;
      const known = newest.get(socket);
      if (known) known.response = response;
      else {
        newest.set(socket, { response });
        holdClosing(socket);
      }
      if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
        response.once('finish', () => {
          drain(request);
        });
    },
    newestOf: (socket) => newest.get(socket)?.response,
    close,
    cut,
  };
}

interface Linger {
  /** Reads on until `rest`, if any, is whole, the client has closed, or a limit is reached. */
  readonly linger: (socket: Socket, rest: IncomingMessage | undefined, ms: number, end: () => void) => void;
  readonly cut: () => void;
}

interface Lingering {
  /** The count of bytes that its socket must not pass. */
  readonly most: number;
  readonly settle: () => void;
  /** Leaves the socket to another way of ending. */
  readonly cancel: () => void;
}

function createLinger(maxBytes: number): Linger {
  const lingering = new Map<Socket, Lingering>();
  let sweep: NodeJS.Timeout | undefined;

  // Bytes are asked for from time to time: a listener for them would take the socket away from the parser.
  function cutLarge(): void {
    for (const [socket, { most, settle }] of lingering) if (socket.bytesRead > most) settle();
  }

  function forget(socket: Socket): void {
    lingering.delete(socket);
    if (lingering.size > 0) return;
    clearInterval(sweep);
    sweep = undefined;
  }

  return {
    linger: (socket, rest, ms, end) => {
      lingering.get(socket)?.cancel();
      const cancel = (): void => {
        clearTimeout(timer);
        socket.off('end', settle).off('close', settle);
        rest?.off('end', settle);
        forget(socket);
      };
      const settle = (): void => {
        cancel();
        end();
      };
      const timer = setTimeout(settle, ms);
      lingering.set(socket, { most: socket.bytesRead + maxBytes, settle, cancel });
      sweep ??= setInterval(cutLarge, SWEEP_MS);
      socket.on('end', settle).on('close', settle);
      rest?.on('end', settle).resume();
    },
    cut: () => {
      for (const socket of lingering.keys()) socket.destroy();
    },
  };
}
