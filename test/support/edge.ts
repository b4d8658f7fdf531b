import { existsSync, readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, request as requestPlainly } from 'node:http';
import { request } from 'node:https';
import { type Server, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { type SecureVersion, connect } from 'node:tls';
import { readUntilQuiet } from './raw.ts';
import type { CertificatePair } from './tls.ts';

/** The name that the proxies of the tests answer to. */
export const DOMAIN = 'food.example';
/** The variables of a service without accounts behind a proxy on its own machine. */
export const AT_DOMAIN = { ALLOWED_HOSTS: DOMAIN };

/** Headers of every answer, those of the proxy itself included. */
export const SECURITY = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** A request of a client of the proxy. */
export interface EdgeRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /**
   * Bytes of the body after which the client sends no more. A proxy closes once it has refused a body; who sends on
   * then may be told of a broken connection instead of the answer.
   */
  readonly heldAt?: number;
  /** The address of loopback that the client has. */
  readonly from?: string;
}

/** The bytes that came back. */
export interface EdgeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A proxy under test, seen by its clients. */
export interface Edge {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly certificate: CertificatePair;
  /** Its log lines so far. */
  readonly logs: () => string;
}

/** Where a program lies: in PATH, or where those of the administrator are; undefined when it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Two ports that are free at the moment. */
export async function freePorts(): Promise<readonly [number, number]> {
  const [first, second] = [createServer(), createServer()];
  const ports = [await listen(first), await listen(second)] as const;
  await Promise.all([first, second].map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** Asks the proxy over HTTPS, and trusts its certificate alone. */
export function ask(edge: Edge, path: string, options: EdgeRequest = {}): Promise<EdgeAnswer> {
  const { method = 'GET', headers = {}, body, heldAt, from = '127.0.0.1' } = options;
  const target = { host: '127.0.0.1', port: edge.httpsPort, path, method, agent: false, localAddress: from };
  const ca = readFileSync(edge.certificate.certFile);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { ...target, servername: DOMAIN, ca, headers: { Host: DOMAIN, ...headers } },
      collect(resolve),
    );
    outgoing.on('error', reject);
    if (heldAt === undefined) outgoing.end(body);
    else outgoing.write(body?.slice(0, heldAt));
  });
}

/** Asks the proxy, or the service behind it, over plain HTTP. */
export function askPlainly(
  edge: Pick<Edge, 'httpPort'>,
  path: string,
  options: Partial<Pick<EdgeRequest, 'method' | 'headers'>> & { readonly host?: string } = {},
): Promise<EdgeAnswer> {
  const { method = 'GET', headers = {}, host = DOMAIN } = options;
  const target = { host: '127.0.0.1', port: edge.httpPort, path, method, agent: false };
  return new Promise((resolve, reject) => {
    requestPlainly({ ...target, headers: { ...headers, Host: host } }, collect(resolve))
      .on('error', reject)
      .end();
  });
}

function collect(resolve: (answer: EdgeAnswer) => void): (answer: IncomingMessage) => void {
  return (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => {
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        text: Buffer.concat(chunks).toString('latin1'),
      });
    });
  };
}

/** Sends bytes as they are inside TLS and returns what came back until the proxy closed or fell silent. */
export function sendRawSecurely(edge: Edge, bytes: string, silenceMs?: number): Promise<string> {
  const ca = readFileSync(edge.certificate.certFile);
  const socket = connect({ host: '127.0.0.1', port: edge.httpsPort, servername: DOMAIN, ca });
  socket.write(Buffer.from(bytes, 'latin1'));
  return readUntilQuiet(socket, silenceMs);
}

/** The protocol that a handshake ends with; undefined when it fails. */
export function shakeHands(
  edge: Edge,
  options: { readonly version?: SecureVersion; readonly servername?: string } = {},
): Promise<string | undefined> {
  const { version = 'TLSv1.3', servername = DOMAIN } = options;
  const versions = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
  return new Promise((resolve) => {
    const target = { host: '127.0.0.1', port: edge.httpsPort, rejectUnauthorized: false };
    const named = servername === '' ? {} : { servername };
    const socket = connect({ ...target, ...named, ...versions }, () => {
      resolve(socket.getProtocol() ?? undefined);
      socket.destroy();
    });
    socket.on('error', () => {
      resolve(undefined);
    });
  });
}
