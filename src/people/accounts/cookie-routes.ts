import type { RequestContext } from '../../http/context.ts';
import { badRequest, forbidden, requireValid } from '../../http/errors.ts';
import { isFromOwnPage } from '../../http/origins.ts';
import { type Reply, json } from '../../http/reply.ts';
import { parseLogout, parseSessionForm } from './input.ts';
import type { SessionClient } from './sessions.ts';
import type { TokenResponse } from './sign-in.ts';

type Scheme = RequestContext['scheme'];

// Browsers accept a cookie with the prefix __Host- only from this host and over TLS (RFC 6265bis section 4.1.3.2).
const COOKIES = {
  https: { name: '__Host-refresh', attributes: 'Path=/; Secure; HttpOnly; SameSite=Strict' },
  http: { name: 'refresh', attributes: 'Path=/api/auth; HttpOnly; SameSite=Strict' },
} as const;
// The longest life of a session. If a session ends earlier, its next use clears the cookie.
const COOKIE_SECONDS = 7 * 24 * 60 * 60;

/** The cookies of a Cookie header in order (RFC 6265 section 4.2.1). A name may occur several times. */
export function readCookies(header = ''): readonly { readonly name: string; readonly value: string }[] {
  return header.split(';').map((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return { name, value: value.join('=') };
  });
}

/** The Set-Cookie header that stores a refresh token in the browser. */
export function refreshCookie(refreshToken: string, scheme: Scheme): string {
  const { name, attributes } = COOKIES[scheme];
  return `${name}=${refreshToken}; ${attributes}; Max-Age=${COOKIE_SECONDS}`;
}

/** The Set-Cookie header that removes the refresh token from the browser. */
export function clearedCookie(scheme: Scheme): string {
  const { name, attributes } = COOKIES[scheme];
  return `${name}=; ${attributes}; Max-Age=0`;
}

/**
 * The client of a request that starts, continues or ends a session. Throws 400 for an invalid `session` field, and 403 if
 * a page of another service asks for a cookie session.
 */
export function clientOf(context: RequestContext): SessionClient {
  const inCookie = requireValid(parseSessionForm(context.body), context);
  if (inCookie && !isFromOwnPage(context.request, context.scheme))
    throw forbidden('Cookie sessions are for pages of this service');
  return sessionClient(context, inCookie);
}

/** The client of a request in the form that sessions store. */
export function sessionClient({ client, request }: RequestContext, inCookie: boolean): SessionClient {
  const { address, key: addressKey } = client;
  return { address, addressKey, userAgent: request.headers['user-agent'] ?? '', inCookie };
}

/**
 * The refresh token in the cookie for the request's scheme; the other scheme's cookie is never read. Plain HTTP cannot
 * prevent several cookies of that name. The first one wins because it has the longest path (RFC 6265 section 5.4): another
 * program on the same host cannot shadow it with a cookie for all paths. Throws 400 if the body has a refresh token, too.
 */
export function cookieToken(context: RequestContext): string | undefined {
  const { body, request, scheme } = context;
  // Two tokens may name two sessions: refuse rather than guess.
  if (requireValid(parseLogout(body), context) !== undefined)
    throw badRequest('refresh_token must not be sent with a session in a cookie');
  const cookie = readCookies(request.headers.cookie).find(({ name }) => name === COOKIES[scheme].name);
  return cookie?.value === '' ? undefined : cookie?.value;
}

/**
 * The response with a session's tokens. In a cookie session, only the cookie holds the refresh token. The cookie is not set
 * again if the token equals `sent`: the browser may have signed in to another account meanwhile.
 */
export function tokenReply(
  { scheme }: RequestContext,
  { inCookie }: SessionClient,
  tokens: TokenResponse,
  {
    status = 200,
    headers = {},
    sent,
  }: Partial<Pick<Reply, 'status' | 'headers'>> & { sent?: string | undefined } = {},
): Reply {
  if (!inCookie) return json(status, tokens, headers);
  const { refresh_token } = tokens;
  const cookies = refresh_token === sent ? [] : [refreshCookie(refresh_token, scheme)];
  return { ...json(status, { ...tokens, refresh_token: null }, headers), cookies };
}
