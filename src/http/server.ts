import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { BlockList, Socket } from 'node:net';
import { rawAnswer } from './broken-request.ts';
import { type CertificateFiles, readCertificate } from './certificate.ts';
import type { LingerLimits } from './closing.ts';
import { type ConnectionCap, createConnectionCap } from './connection-cap.ts';
import { type Listener, SERVER_LIMITS, openListener } from './listener.ts';
import type { Logger } from './log.ts';
import type { Pipeline } from './pipeline.ts';
import { createRedirector } from './redirect.ts';
import { SECURITY_HEADERS, SECURITY_HEADERS_OVER_TLS } from './reply.ts';
import { guardHandshakes, tlsSettings, watchCertificate } from './tls.ts';

export interface ServerOptions {
  readonly host: string | undefined;
  /** Where the service is without TLS; with it, where plain HTTP is led to it. */
  readonly port: number;
  /** Open connections from one address; addresses in `trustedProxies` are exempt. */
  readonly maxConnectionsPerAddress: number;
  /** Open connections in all; undefined leaves it to the operating system. */
  readonly maxConnections: number | undefined;
  readonly trustedProxies: BlockList;
  /** Undefined where a proxy terminates TLS, or nothing does. */
  readonly tls?: ServerTls | undefined;
  /** For tests. */
  readonly linger?: LingerLimits | undefined;
}

/** The settings of TLS. */
export interface ServerTls extends CertificateFiles {
  /** Where the service is. */
  readonly port: number;
  readonly logger: Logger;
  /** Whether the service works: load balancers ask on the plain port. */
  readonly isWell: () => boolean;
  /** Milliseconds between two checks of the files; default 10,000. */
  readonly checkEveryMs?: number;
}

/** A listening server. */
export interface RunningServer extends Listener {
  /** The port that leads plain HTTP to `port`; undefined without TLS. */
  readonly redirectPort: number | undefined;
}

// Of the connections in all, what those may have that are only to be led elsewhere.
const REDIRECT_SHARE = 1 / 8;

/**
 * Listens and hands requests to the pipeline. Every time-out is set on purpose: 10 s for a TLS handshake, 10 s for
 * headers, 600 s for a whole request, 30 s without any progress, 65 s between requests (longer than proxies wait
 * themselves). Rejects with the system's error when the address cannot be had, with a TlsError when the certificate cannot
 * be used.
 */
export async function startServer(pipeline: Pipeline, options: ServerOptions): Promise<RunningServer> {
  const cap = createConnectionCap(options);
  if (options.tls) return startWithTls(pipeline, options, options.tls, cap);
  const { host, port, maxConnections, linger } = options;
  const plain = { host, port, maxConnections, cap, refuse: refusePlainly, headers: SECURITY_HEADERS, linger };
  return { ...(await openListener(createServer(SERVER_LIMITS), pipeline, plain)), redirectPort: undefined };
}

/** The service over TLS, and the plain port that leads there. */
async function startWithTls(
  pipeline: Pipeline,
  { host, port, maxConnections, trustedProxies, linger }: ServerOptions,
  tls: ServerTls,
  cap: ConnectionCap,
): Promise<RunningServer> {
  const certificate = await readCertificate(tls);
  const server = createHttpsServer({ ...SERVER_LIMITS, ...tlsSettings(certificate) });
  const cutHandshakes = guardHandshakes(server);
  const redirects = maxConnections && Math.ceil(maxConnections * REDIRECT_SHARE);
  const secure = await openListener(server, pipeline, {
    host,
    port: tls.port,
    maxConnections: maxConnections && maxConnections - (redirects ?? 0),
    cap,
    refuse: cut,
    headers: SECURITY_HEADERS_OVER_TLS,
    linger,
  });
  const redirector = createRedirector({ ...tls, httpsPort: secure.port, trustedProxies });
  const redirecting = await openListener(createServer(SERVER_LIMITS), redirector, {
    host,
    port,
    maxConnections: redirects,
    cap,
    refuse: refusePlainly,
    headers: SECURITY_HEADERS,
    linger,
  }).catch(async (error: unknown) => {
    await secure.stop(0);
    throw error;
  });
  const stopWatching = watchCertificate({
    ...tls,
    certificate,
    use: (next) => {
      server.setSecureContext(tlsSettings(next));
    },
  });
  return {
    ...secure,
    redirectPort: redirecting.port,
    stop: async (graceMs) => {
      stopWatching();
      const stopped = [secure.stop(graceMs), redirecting.stop(graceMs)];
      cutHandshakes();
      await Promise.all(stopped);
    },
  };
}

function refusePlainly(socket: Socket): void {
  const message = 'Too many connections from this address';
  socket.end(rawAnswer(503, message, SECURITY_HEADERS));
  socket.destroySoon();
}

/** Before the handshake no answer can be sent. */
function cut(socket: Socket): void {
  socket.destroy();
}
