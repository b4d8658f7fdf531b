import { parseAddressRanges } from '../../src/http/address.ts';
import { BodyReader } from '../../src/http/body.ts';
import { unavailable } from '../../src/http/errors.ts';
import { createLogger } from '../../src/http/log.ts';
import { type PipelineOptions, createPipeline } from '../../src/http/pipeline.ts';
import { SECURITY_HEADERS } from '../../src/http/reply.ts';
import type { Route } from '../../src/http/router.ts';
import { startServer } from '../../src/http/server.ts';
import { type Cleanup, atEnd } from './cleanup.ts';
import { type Client, createClient } from './client.ts';

/** A server that has one route at `/api/x`, and what it logs. */
export interface RouteServer {
  readonly api: Client;
  readonly url: string;
  readonly port: number;
  readonly lines: string[];
}

/** Starts the real server and pipeline with a handler of the test's own; a RangeError is answered 503. */
export async function startRoute(
  t: Cleanup,
  handle: Route['handle'],
  observe: PipelineOptions['observe'] = () => undefined,
  asked: Pick<Route, 'method' | 'body'> = { method: 'GET', body: 'none' },
): Promise<RouteServer> {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', pretty: false, write: (line) => lines.push(line) });
  const trustedProxies = parseAddressRanges([]);
  const row = {
    ...asked,
    pattern: '/api/x',
    access: 'public',
    credentials: [],
    answers: 'public',
    limit: 'api',
    operationId: 'x',
  } as const;
  const pipeline = createPipeline({
    routes: [{ ...row, handle }],
    logger,
    trustedProxies,
    securityHeaders: SECURITY_HEADERS,
    allowedOrigins: new Set(),
    limits: [],
    authenticate: () => Promise.resolve(undefined),
    claims: undefined,
    bodies: new BodyReader(64 * 1024 * 1024),
    guard: undefined,
    classifyFailure: (error) => (error instanceof RangeError ? unavailable('Come back later', 7) : undefined),
    observe,
    noteFailure: () => undefined,
  });
  const options = {
    host: '127.0.0.1',
    port: 0,
    maxConnectionsPerAddress: 64,
    maxConnections: undefined,
    trustedProxies,
  };
  const server = await startServer(pipeline, options);
  atEnd(t, () => server.stop(100));
  const url = `http://127.0.0.1:${server.port}`;
  return { api: createClient(url), url, port: server.port, lines };
}
