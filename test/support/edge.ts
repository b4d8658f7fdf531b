import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type ClientRequest, type IncomingHttpHeaders, request as requestPlainly } from 'node:http';
import { request } from 'node:https';
import { type Server, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { type SecureVersion, connect } from 'node:tls';
import { answerTo, readWhole } from './bytes.ts';
import { type Cleanup, atEnd } from './cleanup.ts';
import { field } from './client.ts';
import { readUntilQuiet } from './raw.ts';
import { temporaryFolder } from './service.ts';
import { type CertificatePair, authority, writePair } from './tls.ts';
import { until } from './until.ts';

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

/** What a proxy needs to start: a folder of its own, a certificate and two ports that are free at the moment. */
export async function prepareEdge(t: Cleanup): Promise<Omit<Edge, 'logs'> & { readonly folder: string }> {
  const folder = temporaryFolder(t);
  const certificate = writePair(folder, 'first');
  const [first, second] = [createServer(), createServer()];
  const [httpPort, httpsPort] = [await listenAnywhere(first), await listenAnywhere(second)];
  for (const server of [first, second]) await once(server.close(), 'close');
  return { folder, certificate, httpPort, httpsPort };
}

async function listenAnywhere(server: Server): Promise<number> {
  await once(server.listen(0), 'listening');
  return Number(field(server.address(), 'port'));
}

/** Waits until a proxy answers, and ends it after the test. */
export async function untilUp(
  t: Cleanup,
  edge: Edge,
  child: ChildProcess,
  signal: 'SIGTERM' | 'SIGKILL',
): Promise<void> {
  const ended = once(child, 'close');
  atEnd(t, async () => {
    child.kill(signal);
    await ended;
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the proxy ended: ${edge.logs()}`);
    return (await shakeHands(edge)) !== undefined;
  });
}

/** Asks the proxy over HTTPS, and trusts its certificate alone. */
export function ask(edge: Edge, path: string, options: EdgeRequest = {}): Promise<EdgeAnswer> {
  const { method = 'GET', headers = {}, body, heldAt, from = '127.0.0.1' } = options;
  const outgoing = request({
    host: '127.0.0.1',
    port: edge.httpsPort,
    path,
    method,
    agent: false,
    localAddress: from,
    servername: DOMAIN,
    ca: authority(edge.certificate),
    headers: { Host: DOMAIN, ...headers },
  });
  if (heldAt === undefined) outgoing.end(body);
  else outgoing.write(body?.slice(0, heldAt));
  return answerOf(outgoing);
}

/** Asks the proxy, or the service behind it, over plain HTTP. */
export function askPlainly(
  { httpPort: port }: Pick<Edge, 'httpPort'>,
  path: string,
  options: Partial<Pick<EdgeRequest, 'method' | 'headers'>> & { readonly host?: string } = {},
): Promise<EdgeAnswer> {
  const { method = 'GET', headers: own = {}, host = DOMAIN } = options;
  const headers = { ...own, Host: host };
  return answerOf(requestPlainly({ host: '127.0.0.1', port, path, method, headers, agent: false }).end());
}

async function answerOf(outgoing: ClientRequest): Promise<EdgeAnswer> {
  const { status, headers, body } = await readWhole(await answerTo(outgoing));
  return { status, headers, text: body.toString('latin1') };
}

/** Sends bytes as they are inside TLS and returns what came back until the proxy closed or fell silent. */
export function sendRawSecurely(edge: Edge, bytes: string, silenceMs?: number): Promise<string> {
  const ca = authority(edge.certificate);
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
