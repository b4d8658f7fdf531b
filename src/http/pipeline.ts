import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { type ClientAddress, clientAddress, createProxyHint, schemeOf } from './address.ts';
import { type BodyReader, discardBody } from './body.ts';
import { OWN } from './conditional.ts';
import { type Principal, type RequestContext, requireCaller } from './context.ts';
import {
  ClientGoneError,
  HttpError,
  REQUEST_TIMEOUT,
  described,
  requireValid,
  unavailable,
} from './errors.ts';
import { OverloadedError, Queue } from '../kit/queue.ts';
import { Handling, unreadParameters } from './handling.ts';
import { type Claim, type Claims, digestOfBlocks } from './idempotency.ts';
import { type Limit, takeTokens } from './limits.ts';
import { type AccessEntry, type LoggedExchange, type Logger, accessEntry } from './log.ts';
import { type PageGuard, addCorsHeaders } from './origins.ts';
import { type Reply, afterAnswer, errorReply, noContent, send } from './reply.ts';
import { Representer } from './represent.ts';
import { type Route, allowHeader, createRouter, strictest } from './router.ts';
import { Scheduler } from './scheduler.ts';
import { pathOf, readTarget, requireSoundHead } from './target.ts';

/**
 * Identifies the caller of a route; throws 401 or 403 if it may not call the route. Undefined for a public route
 * called without credentials.
 */
export type Authenticator = (
  request: IncomingMessage,
  route: Route,
) => Principal | undefined | Promise<Principal | undefined>;

export interface PipelineOptions {
  readonly routes: readonly Route[];
  readonly logger: Logger;
  readonly trustedProxies: BlockList;
  /** Headers of every response. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly limits: readonly Limit[];
  readonly authenticate: Authenticator;
  readonly bodies: BodyReader;
  readonly claims: Claims | undefined;
  /** Undefined where accounts decide who may write. */
  readonly guard: PageGuard | undefined;
  /** Converts a failure such as a full disk to its public form; undefined if it is a bug. */
  readonly classifyFailure: (error: unknown) => HttpError | undefined;
  /** Called for each request when its response is complete. */
  readonly observe?: (entry: AccessEntry) => void;
  /** Called for every failure that is not an HttpError, including one that breaks off a response. */
  readonly noteFailure: (error: unknown) => void;
}

/** Handles one request from first byte to log line; never rejects. */
export type Pipeline = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface Exchange extends LoggedExchange {
  readonly client: ClientAddress;
  readonly headers: Record<string, string>;
  route: string | null;
  row: Route | undefined;
}

const CLEAN_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
// A UUID, or an nginx request id. Other text may identify a person, and would stay in the change log.
const GENERATED_ID = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i;

// How many requests a client may have under way, until their responses are sent, and how long others wait.
const CROWD = { atOnce: Infinity, perKey: 32, maxWaitMs: 10_000 };
const CROWDED = unavailable('Too many requests at once from this address. Please try again.', 5);

/** The order is: id, address, target, limits, CORS, route, crowd, caller, body, handler, response, log line. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { logger, trustedProxies, guard, limits, authenticate, bodies, noteFailure } = options;
  const router = createRouter(options.routes);
  const scheduler = new Scheduler();
  const crowd = new Queue(CROWD);
  const representer = new Representer();
  const hint = createProxyHint(trustedProxies, logger);

  async function pipeline(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = begin(request, response);
    const write = (reply: Reply): number | Promise<number> => {
      // Many clients read only after sending everything, so the body must be consumed while a long response is
      // written.
      if (!request.complete) discardBody(request, () => scheduler.pause(exchange.client.key));
      return send(response, reply, exchange.headers, request.method === 'HEAD');
    };
    let bytes = 0;
    try {
      try {
        const reply = await answer(exchange);
        const isSecret = exchange.row?.answers === 'secret';
        bytes = await write(isSecret ? reply : await representer.represent(request, reply, exchange.headers));
      } catch (error) {
        if (response.headersSent) throw error;
        bytes = await write(explain(error, exchange));
      }
    } catch (error) {
      // A client that has left or a caller that has lost its rights is not a failure of the service.
      if (!(error instanceof ClientGoneError || error instanceof HttpError)) {
        noteFailure(error);
        logger.error('answer broke off', { id: exchange.id, ...described(error) });
      }
      response.destroy();
    }
    afterAnswer(response, () => {
      report(accessEntry(exchange, bytes));
    });
  }

  function begin(request: IncomingMessage, response: ServerResponse): Exchange {
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
      headers: { 'X-Request-Id': clean ?? id, ...options.securityHeaders },
      route: null,
      row: undefined,
    };
  }

  /**
   * Async, so that it never responds before the parser is done with its current input. If a fault follows the request,
   * the response must still be pending: the fault is answered only on a connection that stays open.
   */
  async function answer(exchange: Exchange): Promise<Reply> {
    const { request, response, headers, client } = exchange;
    // After an Upgrade that is declined, the client may still speak another protocol.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    requireSoundHead(request);
    guard?.requireHost(request);
    if ((request.headers.expect ?? '100-continue').toLowerCase() !== '100-continue')
      throw new HttpError(417, 'Expectation is not supported');
    const { segments, query } = readTarget(request.url ?? '');
    const match = router(segments);
    const route = match?.methods.get(request.method === 'HEAD' ? 'GET' : (request.method ?? ''));
    exchange.row = route ?? (match && strictest(match.methods));
    if (exchange.row?.answers !== 'public') Object.assign(headers, OWN);
    // Other methods on the path, and unknown paths, count as API calls.
    const limited = takeTokens(limits, client.key, route?.limit ?? 'api', headers);
    addCorsHeaders(headers, options.allowedOrigins, request, match?.methods);
    if (limited) throw limited;
    if (!match) throw new HttpError(404, 'Not found');
    if (request.method === 'OPTIONS') return noContent({ Allow: allowHeader(match.methods) });
    if (!route) throw new HttpError(405, 'Method not allowed', { Allow: allowHeader(match.methods) });
    exchange.route = route.pattern;
    if (route.isUncounted !== true) await underWay(exchange);
    return run(exchange, route, match.parameters, query);
  }

  /** Resolves once the request may be handled; until its response is complete, it counts as under way. */
  async function underWay({ client, response }: Exchange): Promise<void> {
    const left = new AbortController();
    response.once('close', () => {
      left.abort();
    });
    try {
      afterAnswer(response, await crowd.take({ key: client.key, signal: left.signal }));
    } catch (error) {
      throw error instanceof OverloadedError && !left.signal.aborted ? CROWDED : new ClientGoneError();
    }
  }

  async function run(
    { request, response, id, client }: Exchange,
    route: Route,
    parameters: ReadonlyMap<string, string>,
    query: string,
  ): Promise<Reply> {
    const work = scheduler.work(client.key, request.socket);
    await work.turn();
    if (route.method !== 'GET') guard?.requireOrigin(request);
    let principal = await authenticate(request, route);
    const recheck = (): void => {
      principal = principal?.renew();
    };
    const inviteBody = (): void => {
      if (request.headers.expect !== undefined) response.writeContinue();
    };
    const claims = route.answers === 'secret' ? undefined : options.claims;
    const claim = claims?.claim(request, principal?.userId, recheck);
    try {
      const { pause } = work;
      const reply = await bodies.read(request, route, { inviteBody, pause }, async (body, blocks) => {
        await work.turn();
        // The body may have taken minutes to arrive. A form is still to come, and is checked again when it has.
        if (blocks.length > 0) recheck();
        const context: RequestContext = {
          id,
          client,
          parameters,
          query,
          get principal() {
            return principal;
          },
          recheck,
          caller: async () => {
            principal ??= requireCaller(await authenticate(request, { ...route, access: 'user' }));
            await work.turn();
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
          method: request.method ?? '',
          path: pathOf(request.url ?? ''),
          watchBody: (fail) => bodies.watch(request, route, fail),
          storeAnswer: (reply) => claim?.store(reply) ?? reply,
          idempotency: claim,
          handling: new Handling(request.headers['prefer']),
        };
        return handle(context, route, claim, blocks);
      });
      // Unlike a turn of its own work, this one does not end with the client: a reply that is a stream must be closed.
      await scheduler.enter(client.key);
      return reply;
    } finally {
      claim?.release();
    }
  }

  /**
   * The reply for an error. Only an HttpError's message is public; a bug is logged, and the response has the request's
   * id.
   */
  function explain(error: unknown, { id, request, response }: Exchange): Reply {
    let known = error instanceof HttpError ? error : undefined;
    if (!known) {
      noteFailure(error);
      known = options.classifyFailure(error);
      if (known) logger.error('storage failure', { id, ...described(error) });
    }
    // A client waiting for "100 Continue" may or may not send its body now, and one that was too slow must not occupy
    // the connection any longer.
    const isUnsure = request.headers.expect !== undefined && !request.complete;
    if (isUnsure || known?.status === REQUEST_TIMEOUT) response.shouldKeepAlive = false;
    if (known) return errorReply(known.status, known.message, known.headers, known.code);
    // A request that was read completely also counts as destroyed.
    const isGone =
      error instanceof ClientGoneError || response.destroyed || (request.destroyed && !request.complete);
    if (isGone) return errorReply(400, 'Client went away');
    logger.error('unexpected failure', { id, ...described(error) });
    return errorReply(500, `Internal server error (request ${id})`);
  }

  function report(entry: AccessEntry): void {
    logger.access(entry);
    try {
      options.observe?.(entry);
    } catch (error) {
      // The response is complete, and an exception thrown from an event handler would not be caught.
      logger.error('observing a request failed', { id: entry.id, ...described(error) });
    }
  }

  return pipeline;
}

/**
 * The route's reply, or the stored one of a repeated request, with a warning for unknown names. `blocks` are the bytes
 * of the body. Rejects with 422 for the key of another request, and with 400 if unknown names are faults.
 */
async function handle(
  context: RequestContext,
  route: Route,
  claim: Claim | undefined,
  blocks: readonly Buffer[],
): Promise<Reply> {
  // A write that does not read its query must refuse unknown names before writing; on reads only the parser knows
  // them.
  if (route.method !== 'GET' && route.query !== 'read') noteUnread(context, route);
  // A route that reads the body itself does not know its content yet.
  const known = route.body === 'multipart' ? undefined : claim;
  const reply =
    known?.replay(await digestOfBlocks(blocks, context.work.pause)) ?? (await route.handle(context));
  noteUnread(context, route);
  if (reply.status < 200 || reply.status >= 300 || context.handling.warnings().length === 0) return reply;
  return { ...reply, headers: { ...reply.headers, ...context.handling.headers() } };
}

/** Records the names of a query that no parser has read; throws 400 if they are faults. */
function noteUnread({ query, handling }: RequestContext, route: Route): void {
  if (route.query === 'ignored' || query === '' || handling.hasReadQuery()) return;
  requireValid({ ok: true, value: undefined, unknown: unreadParameters(query) }, { handling });
}
