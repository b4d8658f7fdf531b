import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { type ClientAddress, clientAddress, createProxyHint, schemeOf } from './address.ts';
import { answerOf } from './answering.ts';
import type { BodyReader } from './arrival.ts';
import { createCompressor } from './compression.ts';
import { OWN } from './conditional.ts';
import type { Principal, RequestContext } from './context.ts';
import { ClientGoneError, HttpError, REQUEST_TIMEOUT, described, unauthorized } from './errors.ts';
import { createHandling } from './handling.ts';
import type { ClaimKey } from './idempotency.ts';
import { type Limit, takeTokens } from './limits.ts';
import { type AccessEntry, type LoggedExchange, type Logger, accessEntry } from './log.ts';
import { type PageGuard, addCorsHeaders } from './origins.ts';
import { type Reply, afterAnswer, errorReply, noContent, send } from './reply.ts';
import { represent } from './represent.ts';
import { type Match, type Route, allowHeader, createRouter } from './router.ts';
import { type Scheduler, createScheduler, createWork } from './scheduler.ts';
import { type Target, pathOf, readTarget, requireSoundHead } from './target.ts';

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
  readonly limits: readonly Limit[];
  readonly authenticate: Authenticator;
  readonly bodies: BodyReader;
  readonly claimKey: ClaimKey;
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

interface Exchange extends LoggedExchange {
  readonly client: ClientAddress;
  readonly headers: Record<string, string>;
}

type Parts = PipelineOptions & {
  readonly router: (segments: readonly string[]) => Match | undefined;
  readonly scheduler: Scheduler;
};

// These answers hold tokens, or are for one person alone: no cache may store them, refusals included.
const PRIVATE = /^\/api\/(?:auth|users|invitations|me|lists|visits)(?:\/|$)/;
const CLEAN_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
// A UUID, or an id as nginx makes them. Any other text may identify a person, and would stay in the change log.
const GENERATED_ID = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i;

/** The order of things: id, address, target, limits, CORS, route, caller, body, handler, answer, log line. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { logger, trustedProxies, noteFailure } = options;
  const parts = { ...options, router: createRouter(options.routes), scheduler: createScheduler() };
  const compress = createCompressor();
  const hint = createProxyHint(trustedProxies, logger);
  return async (request, response) => {
    const exchange = begin(request, response, options, hint);
    const write = (reply: Reply): number | Promise<number> => {
      // Many clients read only once they have sent all: a long answer must not wait for them with the body unread.
      if (!request.complete) request.resume();
      return send(response, reply, exchange.headers, request.method === 'HEAD');
    };
    let bytes = 0;
    try {
      try {
        const reply = await answer(exchange, parts);
        bytes = await write(await represent(request, reply, exchange.headers, compress));
      } catch (error) {
        if (response.headersSent) throw error;
        bytes = await write(explain(error, exchange, options));
      }
    } catch (error) {
      // The client has gone, or the rights of the caller have ended: no failure of the service.
      if (!(error instanceof ClientGoneError || error instanceof HttpError)) {
        noteFailure(error);
        logger.error('answer broke off', { id: exchange.id, ...described(error) });
      }
      response.destroy();
    }
    afterAnswer(response, () => {
      report(accessEntry(exchange, bytes), options);
    });
  };
}

function begin(
  request: IncomingMessage,
  response: ServerResponse,
  { trustedProxies, securityHeaders }: PipelineOptions,
  hint: ReturnType<typeof createProxyHint>,
): Exchange {
  const sent = request.headers['x-request-id'];
  const clean = typeof sent === 'string' && CLEAN_REQUEST_ID.test(sent) ? sent : undefined;
  const isGenerated = clean !== undefined && GENERATED_ID.test(clean);
  const id = isGenerated ? clean : randomUUID();
  const peer = request.socket.remoteAddress ?? '';
  const hops = request.headers['x-forwarded-for'];
  hint(peer, hops);
  return {
    request,
    response,
    id,
    offered: isGenerated ? null : (clean ?? null),
    client: clientAddress(peer, hops, trustedProxies),
    started: performance.now(),
    headers: { 'X-Request-Id': clean ?? id, ...securityHeaders },
    route: null,
  };
}

/** The target of a request. Throws where the request is refused by its form. */
function readRequest({ request, response }: Exchange, guard: PageGuard | undefined): Target {
  // An Upgrade that is not taken up leaves a client that may speak another protocol from here on.
  if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
  requireSoundHead(request);
  guard?.requireHost(request);
  if ((request.headers.expect ?? '100-continue').toLowerCase() !== '100-continue')
    throw new HttpError(417, 'Expectation is not supported');
  return readTarget(request.url ?? '');
}

/**
 * Never answers before the parser is done with what it holds: a fault behind the request must find its answer still to
 * come, since it is answered itself only on a connection that goes on.
 */
async function answer(exchange: Exchange, parts: Parts): Promise<Reply> {
  const { request, headers, client } = exchange;
  const { segments, query } = readRequest(exchange, parts.guard);
  const path = `/${segments.join('/')}`;
  if (PRIVATE.test(path)) Object.assign(headers, OWN);
  const match = parts.router(segments);
  const route = match?.methods.get(request.method === 'HEAD' ? 'GET' : (request.method ?? ''));
  // By its route: other methods on the path, and unknown paths, are calls of the API.
  const isFile = route?.limit === 'files';
  const limited = takeTokens(parts.limits, { key: client.key, path, isFile }, headers);
  addCorsHeaders(headers, parts.allowedOrigins, request, match?.methods);
  if (limited) throw limited;
  if (!match) throw new HttpError(404, 'Not found');
  if (request.method === 'OPTIONS') return noContent({ Allow: allowHeader(match.methods) });
  if (!route) throw new HttpError(405, 'Method not allowed', { Allow: allowHeader(match.methods) });
  exchange.route = route.pattern;
  return run(exchange, route, { parameters: match.parameters, query }, parts);
}

async function run(
  { request, response, id, client }: Exchange,
  route: Route,
  target: Pick<RequestContext, 'parameters' | 'query'>,
  { scheduler, guard, authenticate, bodies, claimKey, trustedProxies }: Parts,
): Promise<Reply> {
  const work = createWork(scheduler, client.key, request.socket);
  const turn = work.turn();
  if (turn) await turn;
  if (route.method !== 'GET') guard?.requireOrigin(request);
  let principal = await authenticate(request, route);
  const recheck = (): void => {
    principal = principal?.renew();
  };
  const inviteBody = (): void => {
    if (request.headers.expect !== undefined) response.writeContinue();
  };
  const claim = claimKey(request, route, principal, recheck);
  try {
    return await bodies.read(request, route, { inviteBody, pause: work.pause }, (body, blocks) => {
      // The body may have taken minutes to arrive. A form has yet to; it is checked again when it has.
      if (blocks.length > 0) recheck();
      const context: RequestContext = {
        id,
        client,
        get principal() {
          return principal;
        },
        recheck,
        caller: async () => {
          principal ??= requireCaller(await authenticate(request, { ...route, access: 'user' }));
          return principal;
        },
        work: {
          turn: work.turn,
          pause: async () => {
            await work.pause();
            recheck();
          },
        },
        request,
        body,
        inviteBody,
        scheme: schemeOf(request, trustedProxies),
        parameters: target.parameters,
        query: target.query,
        method: request.method ?? '',
        path: pathOf(request.url ?? ''),
        watchBody: (fail) => bodies.watch(request, route, fail),
        storeAnswer: claim?.store ?? unchanged,
        idempotency: claim,
        handling: createHandling(request.headers['prefer']),
      };
      return answerOf(context, route, claim, blocks);
    });
  } finally {
    claim?.release();
  }
}

function requireCaller(caller: Principal | undefined): Principal {
  if (!caller) throw unauthorized('Authentication required');
  return caller;
}

function unchanged(reply: Reply): Reply {
  return reply;
}

/** The answer to an error. Only an HttpError's own text is public; a bug is logged and answered with its id. */
function explain(error: unknown, { id, request, response }: Exchange, options: PipelineOptions): Reply {
  const { logger, noteFailure, classifyFailure } = options;
  let known = error instanceof HttpError ? error : undefined;
  if (!known) {
    noteFailure(error);
    known = classifyFailure(error);
    if (known) logger.error('storage failure', { id, ...described(error) });
  }
  // A client that waits for "100 Continue" may or may not send its body now: start afresh.
  if (request.headers.expect !== undefined && !request.complete) response.shouldKeepAlive = false;
  // A client that was too slow must not hold the connection for longer.
  if (known?.status === REQUEST_TIMEOUT) response.shouldKeepAlive = false;
  if (known) return errorReply(known.status, known.message, known.headers);
  // A request that has been read whole is destroyed as well.
  const isGone =
    error instanceof ClientGoneError || response.destroyed || (request.destroyed && !request.complete);
  if (isGone) return errorReply(400, 'Client went away');
  logger.error('unexpected failure', { id, ...described(error) });
  return errorReply(500, `Internal server error (request ${id})`);
}

function report(entry: AccessEntry, { logger, observe }: PipelineOptions): void {
  logger.access(entry);
  try {
    observe?.(entry);
  } catch (error) {
    // The answer is complete, and nothing would catch this where an event calls it.
    logger.error('observing a request failed', { id: entry.id, ...described(error) });
  }
}
