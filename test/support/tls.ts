import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { type ConnectionOptions, TLSSocket, connect } from 'node:tls';
import { answerTo, readWhole } from './bytes.ts';
import { FIRST_CERTIFICATE, FIRST_KEY, SECOND_CERTIFICATE, SECOND_KEY } from './certificates.ts';
import type { Cleanup } from './cleanup.ts';
import { type Service, type Variables, startService, temporaryFolder } from './service.ts';

/** A certificate that is its own authority, and its key, as files. */
export interface CertificatePair {
  readonly certFile: string;
  readonly keyFile: string;
}

/** An answer over TLS. */
export interface SecureAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The common name of the certificate that was shown. */
  readonly shownBy: string;
}

/** A service that ends TLS with a certificate named `first`. */
export interface SecureService extends Service {
  readonly pair: CertificatePair;
  readonly redirectPort: number;
  readonly ask: (path: string, options?: RequestOptions, body?: string) => Promise<SecureAnswer>;
}

const PAIRS = {
  first: { cert: FIRST_CERTIFICATE, key: FIRST_KEY },
  second: { cert: SECOND_CERTIFICATE, key: SECOND_KEY },
};

/** Writes the certificate of that name and its key into a folder. */
export function writePair(folder: string, name: keyof typeof PAIRS): CertificatePair {
  const pair = { certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) };
  writeFileSync(pair.certFile, PAIRS[name].cert);
  writeFileSync(pair.keyFile, PAIRS[name].key, { mode: 0o600 });
  return pair;
}

/** The variables that have a service end TLS with a certificate. */
export function tlsVariables({ certFile, keyFile }: CertificatePair): Variables {
  return { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
}

/** Starts a service that ends TLS and looks at its files every 50 ms. */
export async function startSecureService(t: Cleanup, variables: Variables = {}): Promise<SecureService> {
  const pair = writePair(temporaryFolder(t), 'first');
  const service = await startService(t, { ...tlsVariables(pair), ...variables });
  const { redirectPort } = service;
  if (redirectPort === undefined) throw new Error('the service does not lead plain HTTP to TLS');
  return {
    ...service,
    pair,
    redirectPort,
    ask: (path, options, body) => askOverTls(service.port, path, options, body),
  };
}

/** Asks once, by default on a connection of its own; whose certificate it is does not matter. */
export async function askOverTls(
  port: number,
  path: string,
  options: RequestOptions = {},
  body = '',
): Promise<SecureAnswer> {
  const common = { host: '127.0.0.1', port, path, agent: false, rejectUnauthorized: false } as const;
  const answer = await answerTo(request({ ...common, ...options }).end(body));
  const { socket } = answer;
  const shownBy = socket instanceof TLSSocket ? String(socket.getPeerCertificate().subject.CN) : '';
  const { status, headers, body: bytes } = await readWhole(answer);
  return { status, headers, body: bytes.toString(), shownBy };
}

/** A connection whose handshake is over. Rejects when it fails. */
export function openOverTls(
  port: number,
  options: ConnectionOptions & { readonly localAddress?: string } = {},
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () => {
      resolve(socket);
    });
    socket.on('error', reject);
  });
}

/** The certificate alone, for a client that is to trust no other. */
export function authority({ certFile }: CertificatePair): string {
  return readFileSync(certFile, 'utf8');
}
