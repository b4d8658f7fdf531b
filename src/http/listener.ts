import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { TLSSocket, Server as TlsServer } from 'node:tls';
import { createBrokenRequests } from './broken-request.ts';
import { type LingerLimits, createCloser } from './closing.ts';
import type { ConnectionCap } from './connection-cap.ts';
import { HttpError } from './errors.ts';
import type { Pipeline } from './pipeline.ts';

/** Limits for the options of a server, so that no client holds a connection for long; times in milliseconds. */
export const SERVER_LIMITS = {
  headersTimeout: 10_000,
  // For what arrives steadily; what does not is refused long before.
  requestTimeout: 600_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false,
  noDelay: true,
} as const;

export interface ListenerOptions {
  readonly host: string | undefined;
  readonly port: number;
  /** Open connections in all; undefined leaves it to the operating system. */
  readonly maxConnections: number | undefined;
  readonly cap: ConnectionCap;
  /** Ends a connection that is one too many. */
  readonly refuse: (socket: Socket) => void;
  /** Headers of answers that are written without the pipeline. */
  readonly headers: Readonly<Record<string, string>>;
  /** For tests. */
  readonly linger?: LingerLimits | undefined;
}

/** A server that accepts connections on one port. */
export interface Listener {
  readonly address: string;
  readonly port: number;
  /** Accepts no new connections, lets requests in flight finish for at most `graceMs`, then cuts what is left. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/** Lets a server hand its requests to the pipeline. Rejects with the system's error when the address cannot be had. */
export async function openListener(
  server: Server,
  pipeline: Pipeline,
  options: ListenerOptions,
): Promise<Listener> {
  server.timeout = 30_000;
  server.maxHeadersCount = 100;
  server.maxRequestsPerSocket = 1_000;
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections;

  let stopping = false;
  const unused = watchUnused(server);
  const underWay = new Set<ServerResponse>();
  const closer = createCloser(options.linger);
  const broken = createBrokenRequests(closer, options.headers);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (stopping) response.shouldKeepAlive = false;
    unused.use(request.socket);
    closer.follow(request, response);
    underWay.add(response);
    void pipeline(request, response).then(() => underWay.delete(response));
  };
  server.on('request', handle);
  // The body reader sends "100 Continue" once it really wants the body.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  server.on('connect', (_request, socket) => {
    // Node has left the connection to us, with all that happens on it.
    socket.on('error', () => undefined);
    if (socket instanceof Socket) broken.answer(socket, new HttpError(405, 'Method not allowed'));
  });
  server.on('clientError', broken.refuse);
  options.cap(server, options.refuse);
  await listen(server, options);

  const { address, port } = addressOf(server);
  return {
    address,
    port,
    stop: (graceMs) => {
      stopping = true;
      for (const response of underWay) response.shouldKeepAlive = false;
      unused.cut();
      return stopServer(server, graceMs, closer.cut);
    },
  };
}

/**
 * The connections that have not brought a request. Browsers open some to have them at hand, and Node does not count
 * them as idle: they would hold up a stop until it is cut. One on which something has arrived is waited for.
 */
function watchUnused(server: Server): { readonly use: (socket: Socket) => void; readonly cut: () => void } {
  const unused = new Set<Socket>();
  const watch = (socket: Socket): void => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  };
  // With TLS those that have finished their handshake; the others are guarded there.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', watch);
  return {
    use: (socket) => unused.delete(socket),
    cut: () => {
      for (const socket of unused)
        if (socket.bytesRead === 0 || socket instanceof TLSSocket) socket.destroy();
    },
  };
}

/** Rejects with the system's error when the address cannot be had. */
async function listen(server: Server, { host, port }: ListenerOptions): Promise<void> {
  // Without a host Node takes all IPv6 and IPv4 addresses, and those of IPv4 alone where IPv6 is turned off.
  server.listen({ port, host: host === '::' ? undefined : host });
  await once(server, 'listening');
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no TCP port');
  return address;
}

async function stopServer(server: Server, graceMs: number, cutLingering: () => void): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  // A connection whose answer was on its way when the stop began turns idle later; Node does not look again.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, 50);
  const cut = setTimeout(() => {
    server.closeAllConnections();
    cutLingering();
  }, graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
