import { type HttpError, rateLimited } from './errors.ts';
import { type Limiter, type LimiterOptions, createLimiter } from './limiter.ts';

type Rate = Pick<LimiterOptions, 'perMinute' | 'burst'>;

export interface LimitSettings {
  /** Undefined when turned off. */
  readonly rateLimit: Rate | undefined;
  /** Undefined when turned off. */
  readonly filesRateLimit: Rate | undefined;
  readonly edgeLimits: boolean;
}

/** A limit by client address. */
export interface Limit {
  /** As metrics have it. */
  readonly name: string;
  /** The prefix of the paths that it covers; undefined for one that is left to a route. */
  readonly prefix?: string;
  /** Whether it covers reads of files, or all else. */
  readonly ofFiles?: boolean;
  /** Whether the RateLimit headers report it. */
  readonly isReported?: boolean;
  readonly limiter: Limiter;
}

/**
 * Makes the limits that are on, all of them with full buckets: those of the service's own over calls and over reads of
 * files, those that a proxy in front enforces, for when there is none, and the one over the calls of the maps provider
 * that requests without credentials cost: they would spend the operator's budget.
 */
export function createLimits({ rateLimit, filesRateLimit, edgeLimits }: LimitSettings): readonly Limit[] {
  const edge = edgeLimits ? { perMinute: 600, burst: 20 } : undefined;
  const edgeAuth = edgeLimits ? { perMinute: 5, burst: 5 } : undefined;
  const anonymousPlaces = rateLimit && { perMinute: 10, burst: 10 };
  return [
    limit({ name: 'api', prefix: '/api', isReported: true, ofFiles: false }, rateLimit),
    limit({ name: 'edge', prefix: '/api', ofFiles: false }, edge),
    limit({ name: 'edge_auth', prefix: '/api/auth/', ofFiles: false }, edgeAuth),
    limit({ name: 'files', prefix: '/', isReported: true, ofFiles: true }, filesRateLimit),
    limit({ name: 'places' }, anonymousPlaces),
  ].flat();
}

function limit(row: Omit<Limit, 'limiter'>, rate: Rate | undefined): readonly Limit[] {
  return rate ? [{ ...row, limiter: createLimiter(rate) }] : [];
}

/**
 * Takes a token from the bucket of `key` at every limit that covers a request, and writes the RateLimit headers.
 * `path` is decoded: an encoded letter must not lead around a limit. A read of a file is no call of the API, so that a
 * gallery of photos does not use up a person's calls. Returns the refusal (429), if there is one.
 */
export function takeTokens(
  limits: readonly Limit[],
  { key, path, isFile }: { readonly key: string; readonly path: string; readonly isFile: boolean },
  headers: Record<string, string>,
): HttpError | undefined {
  if (!isFile && path !== '/api' && !path.startsWith('/api/')) return undefined;
  let seconds = 0;
  for (const { prefix, ofFiles, isReported, limiter } of limits) {
    if (prefix === undefined || ofFiles !== isFile || !path.startsWith(prefix)) continue;
    const { remaining, reset, retryAfter } = limiter.take(key);
    seconds = Math.max(seconds, retryAfter);
    if (isReported !== true) continue;
    headers['RateLimit-Limit'] = String(limiter.capacity);
    headers['RateLimit-Remaining'] = String(remaining);
    headers['RateLimit-Reset'] = String(reset);
  }
  return seconds > 0 ? rateLimited(seconds) : undefined;
}
