import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { type ClientAddress, type ProxyHint, clientAddress, createProxyHint } from './address.ts';
import type { BodyReader } from './arrival.ts';
import type { Principal } from './context.ts';
import { ClientGoneError, HttpError, REQUEST_TIMEOUT, described } from './errors.ts';
import { type Limits, takeTokens } from './limits.ts';
import { type AccessEntry, type Logger, accessEntry } from './log.ts';
import { type PageGuard, corsHeaders } from './origins.ts';
import { type Reply, errorReply, noContent, send } from './reply.ts';
import { createRepresenter } from './represent.ts';
import { type CompiledRoute, type Match, type Route, allowHeader, createRouter } from './router.ts';
import { type Scheduler, createScheduler, createWork } from './scheduler.ts';
import { type Target, readTarget, requestedPath, requireOneHost, requireVersionOne } from './target.ts';

/** Finds the caller of a route; throws 401 or 403 where it may not be called. Undefined for a public route without credentials. */
export type Authenticator = (
  request: IncomingMessage,
  route: Route,
) => Principal | undefined | Promise<Principal | undefined>;

export interface PipelineOptions {
  readonly routes: readonly Route[];
  readonly logger: Logger;
  readonly trustedProxies: BlockList;
  /** Headers of every answer. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly limits: Pick<Limits, 'api' | 'files' | 'edge'>;
  readonly authenticate: Authenticator;
  readonly bodies: BodyReader;
  /** Absent where accounts decide who may write. */
  readonly guard: PageGuard | undefined;
  /** The public form of a failure that is not an HttpError, such as a full disk; undefined when it is a bug. */
  readonly classifyFailure: (error: unknown) => HttpError | undefined;
  /** Called for each request when its answer is complete, such as to count it. */
  readonly observe?: (entry: AccessEntry) => void;
  /** Called for every failure that is not an HttpError, also for one that breaks off an answer. */
  readonly noteFailure: (error: unknown) => void;
}

/** Handles one request from first byte to log line; never rejects. */
export type Pipeline = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly scheduler: Scheduler;
  readonly id: string;
  readonly client: ClientAddress;
  readonly started: number;
  readonly headers: Record<string, string>;
  readonly path: string;
  route: Route | undefined;
}

const CLEAN_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The order of things: id, address, target, limits, CORS, route, caller, body, handler, answer, log line. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const router = createRouter(options.routes);
  const represent = createRepresenter();
  const hint = createProxyHint(options.trustedProxies, options.logger);
  const scheduler = createScheduler();
  return async (request, response) => {
    const exchange = begin(request, response, options, { hint, scheduler });
    const write = (reply: Reply): number | Promise<number> => {
      // Many clients read only once they have sent all: a long answer must not wait for them with the body unread.
      if (!request.complete) request.resume();
      return send(response, reply, exchange.headers, request.method === 'HEAD');
    };
    let bytes = 0;
    try {
      try {
        const reply = await answer(exchange, router, options);
        bytes = await write(await represent(request, reply, exchange.headers));
      } catch (error) {
        if (response.headersSent) throw error;
        bytes = await write(explain(error, exchange, options));
      }
    } catch (error) {
      options.noteFailure(error);
      if (!(error instanceof ClientGoneError))
        options.logger.error('answer broke off', { id: exchange.id, ...described(error) });
      response.destroy();
    }
    logWhenDone(exchange, options, bytes);
  };
}

function begin(
  request: IncomingMessage,
  response: ServerResponse,
  { trustedProxies, securityHeaders }: PipelineOptions,
  { hint, scheduler }: { readonly hint: ProxyHint; readonly scheduler: Scheduler },
): Exchange {
  const offered = request.headers['x-request-id'];
  const id = typeof offered === 'string' && CLEAN_REQUEST_ID.test(offered) ? offered : randomUUID();
  const peer = request.socket.remoteAddress ?? '';
  const hops = request.headers['x-forwarded-for'];
  hint(peer, hops);
  return {
    request,
    response,
    scheduler,
    id,
    client: clientAddress(peer, hops, trustedProxies),
    started: performance.now(),
    headers: { 'X-Request-Id': id, ...securityHeaders },
    path: requestedPath(request),
    route: undefined,
  };
}

/** The target of a request. Throws where the request is refused by its form. */
function readRequest({ request, response }: Exchange, { guard }: PipelineOptions): Target {
  // An Upgrade that is not taken up leaves a client that may speak another protocol from here on.
  if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
  requireVersionOne(request.httpVersionMajor);
  requireOneHost(request.rawHeaders);
  guard?.requireHost(request);
  if ((request.headers.expect ?? '100-continue').toLowerCase() !== '100-continue')
    throw new HttpError(417, 'Expectation is not supported');
  return readTarget(request.url ?? '');
}

async function answer(
  exchange: Exchange,
  router: (segments: readonly string[]) => Match | undefined,
  options: PipelineOptions,
): Promise<Reply> {
  const { request, headers } = exchange;
  const target = readRequest(exchange, options);
  const path = `/${target.segments.join('/')}`;
  // These answers hold tokens: no cache may store them, refusals included.
  if (path === '/api/auth' || path.startsWith('/api/auth/')) headers['Cache-Control'] = 'no-store';
  const match = router(target.segments);
  const isFile = isFileRead(match, request.method ?? '');
  const limited = takeTokens(options.limits, { key: exchange.client.key, path, isFile }, headers);
  const preflight = request.headers['access-control-request-method'];
  const methods = match && preflight !== undefined ? [...match.methods.keys()].join(', ') : undefined;
  const asked = request.method === 'OPTIONS' ? methods : undefined;
  Object.assign(headers, corsHeaders(options.allowedOrigins, request.headers.origin, asked));
  if (limited) throw limited;
  if (!match) throw new HttpError(404, 'Not found');
  if (request.method === 'OPTIONS') return noContent({ Allow: allowHeader(match.methods) });
  const compiled = methodOf(match, request.method ?? '');
  exchange.route = compiled.route;
  return run(exchange, compiled, match.values, target.query, options);
}

function methodOf(match: Match, method: string): CompiledRoute {
  const compiled = match.methods.get(routedMethod(method));
  if (!compiled) throw new HttpError(405, 'Method not allowed', { Allow: allowHeader(match.methods) });
  return compiled;
}

function routedMethod(method: string): string {
  return method === 'HEAD' ? 'GET' : method;
}

async function run(
  exchange: Exchange,
  { route, parameterNames }: CompiledRoute,
  values: readonly string[],
  query: string,
  options: PipelineOptions,
): Promise<Reply> {
  const { request, response, id, client, path } = exchange;
  const turn = exchange.scheduler.enter(client.key);
  if (turn) await turn;
  if (route.method !== 'GET') options.guard?.requireOrigin(request);
  const principal = await options.authenticate(request, route);
  const inviteBody = (): void => {
    if (request.headers.expect !== undefined) response.writeContinue();
  };
  const work = createWork(exchange.scheduler, client.key, request.socket);
  const { body, release } = await options.bodies.read(request, route, { inviteBody, pause: work.pause });
  const parameters = new Map(parameterNames.map((name, index) => [name, values[index] ?? '']));
  const method = request.method ?? '';
  const watchBody = (fail: (error: Error) => void): (() => void) => options.bodies.watch(request, fail);
  const reading = { request, body, inviteBody, watchBody };
  try {
    return await route.handle({ id, client, principal, method, path, query, parameters, work, ...reading });
  } finally {
    release();
  }
}

/** Whether a request reads a file, by its route: other methods on the path, and unknown paths, are calls of the API. */
function isFileRead(match: Match | undefined, method: string): boolean {
  return match?.methods.get(routedMethod(method))?.route.limit === 'files';
}

/** The answer to an error. Only an HttpError's own text is public; a bug is logged and answered with its id. */
function explain(error: unknown, { id, request, response }: Exchange, options: PipelineOptions): Reply {
  if (!(error instanceof HttpError)) options.noteFailure(error);
  const known = error instanceof HttpError ? error : options.classifyFailure(error);
  // A client that waits for "100 Continue" may or may not send its body now: start afresh.
  if (request.headers.expect !== undefined && !request.complete) response.shouldKeepAlive = false;
  // A client that was too slow must not hold the connection for longer.
  if (known?.status === REQUEST_TIMEOUT) response.shouldKeepAlive = false;
  if (known) {
    if (!(error instanceof HttpError)) options.logger.error('storage failure', { id, ...described(error) });
    const headers = known.status === 401 ? { ...known.headers, 'WWW-Authenticate': 'Bearer' } : known.headers;
    return errorReply(known.status, known.message, headers);
  }
  // A request that has been read whole is destroyed as well.
  const isGone =
    error instanceof ClientGoneError || response.destroyed || (request.destroyed && !request.complete);
  if (isGone) return errorReply(400, 'Client went away');
  options.logger.error('unexpected failure', { id, ...described(error) });
  return errorReply(500, `Internal server error (request ${id})`);
}

function logWhenDone(exchange: Exchange, options: PipelineOptions, bytes: number): void {
  const { response, id, client, route, started } = exchange;
  const write = (): void => {
    const others = { id, route: route?.pattern ?? null, bytes, client: client.address };
    const entry = accessEntry(exchange, started, others);
    options.logger.access(entry);
    try {
      options.observe?.(entry);
    } catch (error) {
      // The answer is complete, and nothing would catch this where an event calls it.
      options.logger.error('observing a request failed', { id, ...described(error) });
    }
  };
  if (response.writableFinished || response.destroyed) write();
  else response.once('close', write);
}
