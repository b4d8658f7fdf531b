import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type BlockList, Socket } from 'node:net';
import { isListed, normaliseAddress } from './address.ts';
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

/** A listening server. */
export interface RunningServer {
  readonly address: string;
  readonly port: number;
  /** Takes no new connections, lets requests in flight finish for at most `graceMs`, then cuts what is left. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/**
 * Listens and hands requests to the pipeline. Every time-out is set on purpose: 10 s for headers, 60 s for a whole
 * request, 30 s without any progress, 65 s between requests (longer than proxies keep theirs).
 * Rejects with the system's error when the address cannot be had.
 */
export async function startServer(pipeline: Pipeline, options: ServerOptions): Promise<RunningServer> {
  const server = createServer({
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16 * 1024,
    requireHostHeader: false,
    noDelay: true,
  });
  server.timeout = 30_000;
  server.maxHeadersCount = 100;
  server.maxRequestsPerSocket = 1_000;
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections;

  let stopping = false;
  const underWay = new Set<ServerResponse>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (stopping) response.shouldKeepAlive = false;
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    void pipeline(request, response);
  };
  server.on('request', handle);
  // The body reader sends "100 Continue" once it really wants the body.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  server.on('connect', (_request, socket) => {
    socket.end(rawAnswer(405, 'Method Not Allowed', 'Method not allowed'));
  });
  server.on('clientError', answerBrokenRequest);
  capConnections(server, options);
  await listen(server, options);

  const { address, port } = addressOf(server);
  return {
    address,
    port,
    stop: (graceMs) => {
      stopping = true;
      for (const response of underWay) response.shouldKeepAlive = false;
      return stopServer(server, graceMs);
    },
  };
}

async function listen(server: Server, options: ServerOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Without a host Node takes all IPv6 and IPv4 addresses, and those of IPv4 alone where IPv6 is turned off.
    server.listen({ port: options.port, host: options.host === '::' ? undefined : options.host }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no TCP port');
  return address;
}

async function stopServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  server.closeIdleConnections();
  // A connection whose answer was on its way when the stop began turns idle later; Node does not look again.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, 50);
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/** One address may hold only so many connections, so that a crowd of slow ones cannot shut the others out. */
function capConnections(server: Server, options: ServerOptions): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = normaliseAddress(socket.remoteAddress ?? '');
    if (address === undefined || isListed(options.trustedProxies, address)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > options.maxConnectionsPerAddress) {
      socket.end(rawAnswer(503, 'Service Unavailable', 'Too many connections from this address'));
      socket.destroySoon();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

const BROKEN: ReadonlyMap<string, readonly [number, string, string]> = new Map([
  ['HPE_HEADER_OVERFLOW', [431, 'Request Header Fields Too Large', 'Request headers are too large']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'Request Timeout', 'Request took too long to arrive']],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', [413, 'Content Too Large', 'Chunk extensions are too large']],
]);

/** Answers what the HTTP parser refused; Node's own answer has no body. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: NodeJS.WritableStream): void {
  const answered =
    socket instanceof Socket && socket.bytesWritten > 0 && error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (error.code === 'ECONNRESET' || !socket.writable || answered) {
    if (socket instanceof Socket) socket.destroy();
    return;
  }
  const [status, reason, message] = BROKEN.get(error.code ?? '') ?? [
    400,
    'Bad Request',
    'Malformed HTTP request',
  ];
  socket.end(rawAnswer(status, reason, message));
  if (socket instanceof Socket) socket.destroySoon();
}

function rawAnswer(status: number, reason: string, message: string): string {
  const body = JSON.stringify({ error: message });
  return [
    `HTTP/1.1 ${String(status)} ${reason}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
