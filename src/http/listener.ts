import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as TlsServer } from 'node:tls';
import { answerBrokenRequests } from './broken-request.ts';
import type { ConnectionCap } from './connection-cap.ts';
import { Connections, type LingerLimits } from './connections.ts';
import type { Pipeline } from './pipeline.ts';
import { SECURITY_HEADERS, SECURITY_HEADERS_OVER_TLS } from './reply.ts';

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
  { host, port, maxConnections, cap, linger }: ListenerOptions,
): Promise<Listener> {
  server.timeout = 30_000;
  server.maxHeadersCount = 100;
  server.maxRequestsPerSocket = 1_000;
  if (maxConnections !== undefined) server.maxConnections = maxConnections;

  const connections = new Connections(server, linger);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (!server.listening) response.shouldKeepAlive = false;
    connections.follow(request, response);
    void pipeline(request, response);
  };
  server.on('request', handle);
  // The body reader sends "100 Continue" once it really wants the body.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  const isSecure = server instanceof TlsServer;
  answerBrokenRequests(server, connections, isSecure ? SECURITY_HEADERS_OVER_TLS : SECURITY_HEADERS);
  cap(server);
  // Without a host Node takes all IPv6 and IPv4 addresses, and those of IPv4 alone where IPv6 is turned off.
  server.listen({ port, host: host === '::' ? undefined : host });
  await once(server, 'listening');

  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server listens on no TCP port');
  return {
    address: bound.address,
    port: bound.port,
    stop: (graceMs) => stopServer(server, connections, graceMs),
  };
}

async function stopServer(server: Server, connections: Connections, graceMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  connections.endEach();
  // A connection whose answer was on its way when the stop started turns idle later; Node does not look again.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, 50);
  const cut = setTimeout(() => {
    connections.cutAll();
  }, graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
