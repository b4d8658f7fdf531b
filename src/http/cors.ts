const EXPOSED =
  'Location, ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, Change, Link';

/**
 * CORS headers for a request's `Origin`: an allowed origin is echoed, any other gets none (CONTRACT section 11).
 * Origins are compared as exact strings; `Vary` stands whenever cross-origin access is configured at all.
 */
export function corsHeaders(
  allowed: ReadonlySet<string>,
  origin: string | undefined,
  preflightMethods: string | undefined,
): Record<string, string> {
  if (allowed.size === 0) return {};
  if (origin === undefined || !allowed.has(origin)) return { Vary: 'Origin' };
  const headers: Record<string, string> = {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED,
  };
  if (preflightMethods !== undefined) {
    headers['Access-Control-Allow-Methods'] = preflightMethods;
    headers['Access-Control-Allow-Headers'] = 'Authorization, Content-Type, X-Request-Id, Last-Event-ID';
    headers['Access-Control-Max-Age'] = '600';
  }
  return headers;
}
