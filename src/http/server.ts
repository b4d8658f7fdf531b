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

/** Server options that prevent clients from occupying connections for long; times in milliseconds. */
const SERVER_LIMITS = {
  headersTimeout: 10_000,
  // For bodies that arrive steadily; slow ones are refused much earlier.
  requestTimeout: 600_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false,
  noDelay: true,
} as const;

// Only forward secrecy and authenticated encryption, which every client since 2014 supports.
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

// The share of connections reserved for the redirecting port.
const REDIRECT_SHARE = 1 / 8;

export interface ServerOptions {
  readonly host: string | undefined;
  /** The port of the service; with TLS, the port that redirects plain HTTP to it. */
  readonly port: number;
  /** Most open connections in total; undefined leaves it to the operating system. */
  readonly maxConnections: number | undefined;
  /** Most open connections per address; addresses in `trustedProxies` are exempt. */
  readonly maxConnectionsPerAddress: number;
  readonly trustedProxies: BlockList;
  /** Undefined unless the service itself terminates TLS. */
  readonly tls?: ServerTls | undefined;
  /** For tests. */
  readonly linger?: LingerLimits | undefined;
}

export interface ServerTls extends CertificateFiles, Pick<RedirectorOptions, 'logger' | 'isWell'> {
  /** The port of the service. */
  readonly port: number;
  /** Milliseconds between checks of the files; default 10,000. */
  readonly checkEveryMs?: number;
}

export interface RunningServer {
  readonly address: string;
  readonly port: number;
  /** The port that redirects plain HTTP to `port`; undefined without TLS. */
  readonly redirectPort: number | undefined;
  /** Accepts no new connections, lets running requests finish for at most `graceMs`, then closes the rest. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/**
 * Listens and passes requests to the pipeline. Every timeout is deliberate: 10 s for a TLS handshake, 10 s for
 * headers, 600 s for a whole request, 30 s without progress, 65 s between requests (longer than proxies wait). Rejects
 * with the system's error if it cannot listen, with a TlsError if the certificate is unusable.
 */
export async function startServer(pipeline: Pipeline, options: ServerOptions): Promise<RunningServer> {
  const { maxConnections, trustedProxies, tls } = options;
  const cap = createConnectionCap(options.maxConnectionsPerAddress, trustedProxies);
  if (!tls) return openListener(createServer(SERVER_LIMITS), pipeline, cap, options);

  const certificate = await readCertificate(tls);
  const server = createHttpsServer({ ...SERVER_LIMITS, ...tlsSettings(certificate) });
  // A client whose handshake failed could not read a response. Runs before Node's listener, which would report a
  // broken request.
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
 * TLS 1.2 and 1.3, HTTP/1.1 only, 10 s for a handshake, and no renegotiation, which costs CPU time. A new certificate
 * needs all of it again: Node forgets what is left out.
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

/** Starts listening for a pipeline. Rejects with the system's error if it cannot. */
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
    connections.follow(request, response, () => {
      if (!server.listening) response.shouldKeepAlive = false;
      void pipeline(request, response);
    });
  };
  server.on('request', handle);
  // The body reader sends "100 Continue" once it starts to read the body.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  const isSecure = server instanceof TlsServer;
  answerBrokenRequests(server, connections, isSecure ? SECURITY_HEADERS_OVER_TLS : SECURITY_HEADERS);
  cap(server);
  // Without a host Node listens on all IPv6 and IPv4 addresses, or on IPv4 only if IPv6 is disabled.
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
      // A connection that was responding when the stop began becomes idle later; Node does not look again.
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
