import type { RequestContext } from '../../http/context.ts';
import { HttpError, badRequest, forbidden, requireValid, unauthorized } from '../../http/errors.ts';
import { isFromOwnPage } from '../../http/origins.ts';
import { type Reply, json } from '../../http/reply.ts';
import { clearedRefreshCookie, readRefreshCookie, refreshCookie } from './cookies.ts';
import { parseLogout, parseRefresh, parseSessionForm } from './input.ts';
import type { SessionClient } from './sessions.ts';
import type { TokenResponse } from './sign-in.ts';

const NOT_OWN = 'Cookie sessions are for pages of this service';
const ENDED = 'Invalid or expired refresh token';

/**
 * The client of a request that starts, continues or ends a session. Throws 400 for a form of session that does not exist,
 * and 403 where one in a cookie is asked for by anything but a page of this service.
 */
export function clientOf(context: RequestContext): SessionClient {
  const inCookie = requireValid(parseSessionForm(context.body), context);
  if (inCookie && !isFromOwnPage(context.request, context.scheme)) throw forbidden(NOT_OWN);
  return sessionClient(context, inCookie);
}

/** Where a request comes from, as its session records it. */
export function sessionClient({ client, request }: RequestContext, inCookie: boolean): SessionClient {
  const { address, key: addressKey } = client;
  return { address, addressKey, userAgent: request.headers['user-agent'] ?? '', inCookie };
}

/** The refresh token that a client wants to use. Throws 400 for a wrong body, and 401 without a cookie. */
export function requireRefreshToken(context: RequestContext, client: SessionClient): string {
  if (!client.inCookie) return requireValid(parseRefresh(context.body), context);
  const token = cookieToken(context);
  if (token === undefined) throw refreshRefused(context, client);
  return token;
}

/** The refresh token of the session that a client wants to end; undefined when it names none. Throws 400 for a wrong body. */
export function tokenToEnd(context: RequestContext, client: SessionClient): string | undefined {
  return client.inCookie ? cookieToken(context) : requireValid(parseLogout(context.body), context);
}

function cookieToken(context: RequestContext): string | undefined {
  const { body, request, scheme } = context;
  // Which of two sessions is meant must not be guessed.
  if (requireValid(parseLogout(body), context) !== undefined)
    throw badRequest('refresh_token must not be sent with a session in a cookie');
  return readRefreshCookie(request.headers.cookie, scheme);
}

/** 401 for a refresh token that is not valid; a cookie with it goes. */
export function refreshRefused({ scheme }: RequestContext, { inCookie }: SessionClient): HttpError {
  const refused = unauthorized(ENDED);
  if (!inCookie) return refused;
  const headers = { ...refused.headers, 'Set-Cookie': clearedRefreshCookie(scheme) };
  return new HttpError(refused.status, refused.message, headers);
}

/**
 * The answer with the tokens of a session. Where it is in a cookie, the refresh token goes there alone: not again when it
 * is the one that was `sent`, since the browser may have signed in to another account meanwhile.
 */
export function tokenReply(
  { scheme }: RequestContext,
  { inCookie }: SessionClient,
  tokens: TokenResponse,
  { status = 200, headers = {}, sent }: Partial<Pick<Reply, 'status' | 'headers'>> & { sent?: string } = {},
): Reply {
  if (!inCookie) return json(status, tokens, headers);
  const { refresh_token } = tokens;
  const cookies = refresh_token === sent ? [] : [refreshCookie(refresh_token, scheme)];
  return { ...json(status, { ...tokens, refresh_token: null }, headers), cookies };
}

/** The answer with the removal of the cookie, if the session was in one. */
export function withoutCookie(reply: Reply, { scheme }: RequestContext, { inCookie }: SessionClient): Reply {
  return inCookie ? { ...reply, cookies: [clearedRefreshCookie(scheme)] } : reply;
}
