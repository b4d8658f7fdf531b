import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type BlockList, isIPv6 } from 'node:net';
import { clientAddress } from './address.ts';
import { HttpError, badRequest } from './errors.ts';
import { type Logger, accessEntry } from './log.ts';
import type { Pipeline } from './pipeline.ts';
import { type Reply, SECURITY_HEADERS, afterAnswer, errorReply, send, text } from './reply.ts';
import { readTarget, requireSoundHead } from './target.ts';

export interface RedirectorOptions {
  readonly httpsPort: number;
  readonly logger: Logger;
  /** True while the service works. */
  readonly isWell: () => boolean;
  readonly trustedProxies: BlockList;
}

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253})$/;

/**
 * Handles plain HTTP when the service terminates TLS: 308 to the same host and target under https, and `/health` for
 * load balancers. Never serves the API.
 */
export function createRedirector(options: RedirectorOptions): Pipeline {
  const { logger, trustedProxies } = options;
  return async (request, response) => {
    const id = randomUUID();
    // Such a client may speak another protocol from here on, or send a body without being asked to.
    if (request.headers.upgrade !== undefined || request.headers.expect !== undefined)
      response.shouldKeepAlive = false;
    const peer = request.socket.remoteAddress ?? '';
    const client = clientAddress(peer, request.headers['x-forwarded-for'], trustedProxies);
    const started = performance.now();
    afterAnswer(response, () => {
      const exchange = { id, offered: null, request, response, client, route: null, started };
      logger.access(accessEntry(exchange, 0));
    });
    const headers = { 'X-Request-Id': id, ...SECURITY_HEADERS };
    try {
      await send(response, answer(request, options), headers, request.method === 'HEAD');
    } catch (error) {
      logger.error('answer broke off', { id, error: String(error) });
      response.destroy();
    }
  };
}

function answer(request: IncomingMessage, { httpsPort, isWell }: RedirectorOptions): Reply {
  const { method, url = '', headers } = request;
  try {
    requireSoundHead(request);
    const { path } = readTarget(url);
    const authority = secureAuthority(headers.host ?? '', httpsPort);
    if (path === '/health' && (method === 'GET' || method === 'HEAD'))
      return isWell() ? text(200, 'healthy') : text(503, 'unavailable');
    const location = `https://${authority}${url}`;
    return { status: 308, headers: { Location: location, 'Content-Length': '0' }, kind: 'empty' };
  } catch (error) {
    if (error instanceof HttpError) return errorReply(error.status, error.message, error.headers);
    throw error;
  }
}

/**
 * The host to redirect to. A client that named a port reached this server directly, and must use the HTTPS port. One
 * that named none, or port 80, came through a mapping of port 80, which has one of 443 next to it. Throws 400 for an
 * invalid Host.
 */
function secureAuthority(host: string, httpsPort: number): string {
  const [, name = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d{0,5}))?$/.exec(host) ?? [];
  const isAddress = name.startsWith('[') && isIPv6(name.slice(1, -1)) && !name.includes('%');
  if ((!isAddress && !NAME.test(name)) || Number(port) > 65_535)
    throw badRequest('Host header must be a host name or address, with or without a port');
  return port === '' || Number(port) === 80 || httpsPort === 443 ? name : `${name}:${httpsPort}`;
}
