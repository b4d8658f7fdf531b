import { Cache } from '../kit/cache.ts';
import { type HttpError, rateLimited } from './errors.ts';

/** What a rate limit covers: calls, those about accounts, files that pages load by themselves, and what has no limit. */
export type RateClass = 'api' | 'auth' | 'files' | 'exempt';

interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

export interface LimiterOptions extends Rate {
  /** The most buckets in memory; default 100,000. */
  readonly maxBuckets?: number;
  /** Monotonic clock in milliseconds; for tests. */
  readonly now?: () => number;
}

/** A limiter's decision on one request. */
interface Verdict {
  readonly allowed: boolean;
  /** Whole tokens left after this request. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly reset: number;
  /** Seconds until a token is available; 0 if the request is allowed. */
  readonly retryAfter: number;
}

/**
 * Token buckets by key in bounded memory. A full bucket equals a new one, so it is dropped; at the bound, the least
 * recently used go first.
 */
export class Limiter {
  readonly capacity: number;
  readonly #perMillisecond: number;
  readonly #now: () => number;
  readonly #buckets: Cache<string, { readonly tokens: number; readonly at: number }>;
  #refusals = 0;

  constructor({ perMinute, burst, maxBuckets = 100_000, now = () => performance.now() }: LimiterOptions) {
    this.capacity = burst;
    this.#perMillisecond = perMinute / 60_000;
    this.#now = now;
    this.#buckets = new Cache({ maxEntries: maxBuckets, maxAgeMs: burst / this.#perMillisecond, now });
  }

  /** Takes one token from the bucket of `key`. */
  take(key: string): Verdict {
    const time = this.#now();
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: this.capacity, at: time };
    const level = Math.min(this.capacity, tokens + (time - at) * this.#perMillisecond);
    const allowed = level >= 1;
    if (!allowed) this.#refusals += 1;
    const left = allowed ? level - 1 : level;
    this.#buckets.set(key, { tokens: left, at: time });
    const secondsUntil = (wanted: number): number => Math.ceil((wanted - left) / this.#perMillisecond / 1000);
    return {
      allowed,
      remaining: Math.floor(left),
      reset: secondsUntil(this.capacity),
      retryAfter: allowed ? 0 : Math.max(1, secondsUntil(1)),
    };
  }

  /** Buckets in memory. */
  size(): number {
    return this.#buckets.size();
  }

  /** Refused requests so far. */
  refusals(): number {
    return this.#refusals;
  }
}

/** A limit per client address. */
export interface Limit {
  /** Its name in metrics. */
  readonly name: string;
  /** The routes that it covers, by their `limit`; none if a route applies it itself. */
  readonly covers: readonly RateClass[];
  /** True if the RateLimit headers report it. */
  readonly isReported?: boolean;
  readonly limiter: Limiter;
}

/**
 * Creates the limits, with full buckets, but not those whose rate is undefined: on calls and on reads of files; those that
 * a proxy would enforce, for when there is none; and one on anonymous requests to the maps provider, which spend the operator's budget.
 */
export function createLimits(
  rateLimit: Rate | undefined,
  filesRateLimit: Rate | undefined,
  edgeLimits: boolean,
): readonly Limit[] {
  const edge = edgeLimits ? { perMinute: 600, burst: 20 } : undefined;
  const edgeAuth = edgeLimits ? { perMinute: 5, burst: 5 } : undefined;
  const anonymousPlaces = rateLimit && { perMinute: 10, burst: 10 };
  const limit = (rate: Rate | undefined, row: Omit<Limit, 'limiter'>): readonly Limit[] =>
    rate ? [{ ...row, limiter: new Limiter(rate) }] : [];
  return [
    ...limit(rateLimit, { name: 'api', covers: ['api', 'auth'], isReported: true }),
    ...limit(edge, { name: 'edge', covers: ['api', 'auth'] }),
    ...limit(edgeAuth, { name: 'edge_auth', covers: ['auth'] }),
    ...limit(filesRateLimit, { name: 'files', covers: ['files'], isReported: true }),
    ...limit(anonymousPlaces, { name: 'places', covers: [] }),
  ];
}

/**
 * Takes a token of the client `key` at every limit that covers a request, and sets the RateLimit headers. Reads of files
 * count separately, so that a photo gallery does not use up a person's calls. Returns the refusal (429), if there is one.
 */
export function takeTokens(
  limits: readonly Limit[],
  key: string,
  limit: RateClass,
  headers: Record<string, string>,
): HttpError | undefined {
  let seconds = 0;
  for (const { covers, isReported, limiter } of limits) {
    if (!covers.includes(limit)) continue;
    const { remaining, reset, retryAfter } = limiter.take(key);
    seconds = Math.max(seconds, retryAfter);
    if (isReported !== true) continue;
    headers['RateLimit-Limit'] = String(limiter.capacity);
    headers['RateLimit-Remaining'] = String(remaining);
    headers['RateLimit-Reset'] = String(reset);
  }
  return seconds > 0 ? rateLimited(seconds) : undefined;
}
