import { createServer } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import { rawAnswer } from './broken-request.ts';
import { createConnectionCap } from './connection-cap.ts';
import { type Listener, SERVER_LIMITS, openListener } from './listener.ts';
import type { Pipeline } from './pipeline.ts';
import { SECURITY_HEADERS } from './security.ts';

export interface ServerOptions {
  readonly host: string | undefined;
  readonly port: number;
  /** Open connections from one address; addresses in `trustedProxies` are exempt. */
  readonly maxConnectionsPerAddress: number;
  /** Open connections in all; undefined leaves it to the operating system. */
  readonly maxConnections: number | undefined;
  readonly trustedProxies: BlockList;
}

/**
 * Listens and hands requests to the pipeline. Every time-out is set on purpose: 10 s for
 * headers, 60 s for a whole request, 30 s without any progress, 65 s between requests (longer than proxies keep
 * theirs). Rejects with the system's error when the address cannot be had.
 */
export async function startServer(pipeline: Pipeline, options: ServerOptions): Promise<Listener> {
  const cap = createConnectionCap(options);
  const { host, port, maxConnections } = options;
  const plain = { host, port, maxConnections, cap, refuse: refusePlainly, headers: SECURITY_HEADERS };
  return openListener(createServer(SERVER_LIMITS), pipeline, plain);
}

function refusePlainly(socket: Socket): void {
  const message = 'Too many connections from this address';
  socket.end(rawAnswer(503, 'Service Unavailable', message, SECURITY_HEADERS));
  socket.destroySoon();
}
