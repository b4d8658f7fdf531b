import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type Certificate, type CertificateFiles, readCertificate } from './certificate.ts';
import { type ConnectionCapOptions, createConnectionCap } from './connection-cap.ts';
import { type Listener, type ListenerOptions, SERVER_LIMITS, openListener } from './listener.ts';
import type { Pipeline } from './pipeline.ts';
import { type RedirectorOptions, createRedirector } from './redirect.ts';
import { tlsSettings, watchCertificate } from './tls.ts';

/** `port` is where the service is without TLS; with it, where plain HTTP is led to it. */
export interface ServerOptions extends Omit<ListenerOptions, 'cap'>, ConnectionCapOptions {
  /** Undefined where a proxy terminates TLS, or nothing does. */
  readonly tls?: ServerTls | undefined;
}

/** The settings of TLS. */
export interface ServerTls extends CertificateFiles, Pick<RedirectorOptions, 'logger' | 'isWell'> {
  /** Where the service is. */
  readonly port: number;
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
  const plain = { ...options, cap: createConnectionCap(options) };
  if (options.tls) return startWithTls(pipeline, plain, options.tls);
  return { ...(await openListener(createServer(SERVER_LIMITS), pipeline, plain)), redirectPort: undefined };
}

/** The service over TLS, and the plain port that leads there. */
async function startWithTls(
  pipeline: Pipeline,
  options: ServerOptions & ListenerOptions,
  tls: ServerTls,
): Promise<RunningServer> {
  const certificate = await readCertificate(tls);
  const server = createHttpsServer({ ...SERVER_LIMITS, ...tlsSettings(certificate) });
  // A client whose handshake fails could not read an answer. Before the listener of Node, which would have it answered
  // as a broken request.
  server.prependListener('tlsClientError', (_error, socket) => socket.destroy());
  const { maxConnections, trustedProxies } = options;
  const secure = await openListener(server, pipeline, {
    ...options,
    port: tls.port,
    maxConnections: maxConnections && Math.floor(maxConnections * (1 - REDIRECT_SHARE)),
  });
  const redirector = createRedirector({ ...tls, httpsPort: secure.port, trustedProxies });
  const redirecting = await openListener(createServer(SERVER_LIMITS), redirector, {
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
