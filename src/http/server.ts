import { constants } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { BlockList } from 'node:net';
import { type SecureContextOptions, type TlsOptions, Server as TlsServer } from 'node:tls';
import { type Certificate, type CertificateFiles, readCertificate, watchCertificate } from './certificate.ts';
import { Connections, type LingerLimits, answerBrokenRequests, createConnectionCap } from './connections.ts';
import type { Pipeline } from './pipeline.ts';
import { type RedirectorOptions, createRedirector } from './redirect.ts';
import { SECURITY_HEADERS, SECURITY_HEADERS_OVER_TLS } from './reply.ts';

/** Limits for the options of a server, so that no client holds a connection for long; times in milliseconds. */
const SERVER_LIMITS = {
  headersTimeout: 10_000,
  // For bodies that arrive steadily; others are refused long before.
  requestTimeout: 600_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false,
  noDelay: true,
} as const;

// Only forward secrecy and authenticated encryption, which every client since 2014 speaks.
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

// The share of all connections for those that are only redirected.
const REDIRECT_SHARE = 1 / 8;

export interface ServerOptions {
  readonly host: string | undefined;
  /** Where the service is without TLS; with it, the port that redirects plain HTTP to it. */
  readonly port: number;
  /** Open connections in all; undefined leaves it to the operating system. */
  readonly maxConnections: number | undefined;
  /** Open connections from one address; addresses in `trustedProxies` are exempt. */
  readonly maxConnectionsPerAddress: number;
  readonly trustedProxies: BlockList;
  /** Undefined where a proxy terminates TLS, or nothing does. */
  readonly tls?: ServerTls | undefined;
  /** For tests. */
  readonly linger?: LingerLimits | undefined;
}

/** The settings of TLS. */
export interface ServerTls extends CertificateFiles, Pick<RedirectorOptions, 'logger' | 'isWell'> {
  /** Where the service is. */
  readonly port: number;
  /** Milliseconds between two checks of the files; default 10,000. */
  readonly checkEveryMs?: number;
}

/** A listening server. */
export interface RunningServer {
  readonly address: string;
  readonly port: number;
  /** The port that redirects plain HTTP to `port`; undefined without TLS. */
  readonly redirectPort: number | undefined;
  /** Accepts no new connections, lets requests in flight finish for at most `graceMs`, then cuts the rest. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/**
 * Listens and hands requests to the pipeline. Every time-out is set on purpose: 10 s for a TLS handshake, 10 s for
 * headers, 600 s for a whole request, 30 s without any progress, 65 s between requests (longer than proxies wait
 * themselves). Rejects with the system's error when the address cannot be had, with a TlsError when the certificate cannot
 * be used.
 */
export async function startServer(pipeline: Pipeline, options: ServerOptions): Promise<RunningServer> {
  const { maxConnections, trustedProxies, tls } = options;
  const cap = createConnectionCap(options.maxConnectionsPerAddress, trustedProxies);
  if (!tls) return openListener(createServer(SERVER_LIMITS), pipeline, cap, options);

  const certificate = await readCertificate(tls);
  const server = createHttpsServer({ ...SERVER_LIMITS, ...tlsSettings(certificate) });
  // A client whose handshake fails could not read an answer. Before the listener of Node, which would have it answered
  // as a broken request.
  server.prependListener('tlsClientError', (_error, socket) => socket.destroy());
  const secure = await openListener(server, pipeline, cap, {
    ...options,
    port: tls.port,
    maxConnections: maxConnections && Math.floor(maxConnections * (1 - REDIRECT_SHARE)),
  });
  const redirector = createRedirector({ ...tls, httpsPort: secure.port, trustedProxies });
  const redirecting = await openListener(createServer(SERVER_LIMITS), redirector, cap, {
    ...options,
    maxConnections: maxConnections && Math.ceil(maxConnections * REDIRECT_SHARE),
  }).catch(async (error: unknown) => {
    await secure.stop(0);
    throw error;
  });
  const use = (next: Certificate): void => {
    server.setSecureContext(tlsSettings(next));
  };
  const stopWatching = watchCertificate({ ...tls, certificate, use });
  return {
    ...secure,
    redirectPort: redirecting.port,
    stop: async (graceMs) => {
      stopWatching();
      await Promise.all([secure.stop(graceMs), redirecting.stop(graceMs)]);
    },
  };
}

/**
 * TLS 1.2 and 1.3, only HTTP/1.1, 10 s for a handshake, and none in the middle of a connection, which would cost processor
 * time. All of it must be set again with a new certificate: Node forgets what is left out.
 */
function tlsSettings({ cert, key }: Certificate): TlsOptions & SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: 10_000,
  };
}

/** Lets a server hand its requests to the pipeline. Rejects with the system's error when the address cannot be had. */
async function openListener(
  server: Server,
  pipeline: Pipeline,
  cap: (server: Server) => void,
  { host, port, maxConnections, linger }: ServerOptions,
): Promise<RunningServer> {
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
  // Without a host Node takes all IPv6 and IPv4 addresses, and only those of IPv4 where IPv6 is turned off.
  server.listen({ port, host: host === '::' ? undefined : host });
  await once(server, 'listening');

  const bound = server.address();
  if (bound === null || typeof bound === 'string')
    throw new Error('the server does not listen on a TCP port');
  return {
    address: bound.address,
    port: bound.port,
    redirectPort: undefined,
    stop: async (graceMs) => {
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
    },
  };
}
