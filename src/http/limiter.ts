import { Cache } from '../kit/cache.ts';

/** The decision of a limiter on one request. */
export interface Verdict {
  readonly allowed: boolean;
  /** Whole tokens left after this request. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly reset: number;
  /** Seconds until one token is there; 0 when the request was allowed. */
  readonly retryAfter: number;
}

export interface LimiterOptions {
  readonly perMinute: number;
  readonly burst: number;
  /** How many buckets are in memory at most; default 100,000. */
  readonly maxBuckets?: number;
  /** Monotonic clock in milliseconds; for tests. */
  readonly now?: () => number;
}

export interface Limiter {
  readonly capacity: number;
  /** Takes one token from the bucket of `key`. */
  take(key: string): Verdict;
  /** How many buckets are in memory now. */
  size(): number;
  /** How many times a token was refused. */
  refusals(): number;
}

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/**
 * Token buckets by key in bounded memory. A bucket that has refilled is forgotten, since it equals a new one; at the
 * bound, those that were used last stay.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { burst: capacity, maxBuckets = 100_000, now = () => performance.now() } = options;
  const perMillisecond = options.perMinute / 60_000;
  const refillMs = capacity / perMillisecond;
  const buckets = new Cache<string, Bucket>({ maxEntries: maxBuckets, maxAgeMs: refillMs, now });
  let refusals = 0;

  const secondsUntil = (wanted: number, left: number): number =>
    Math.ceil((wanted - left) / perMillisecond / 1000);

  function take(key: string): Verdict {
    const time = now();
    const { tokens, at } = buckets.get(key) ?? { tokens: capacity, at: time };
    const level = Math.min(capacity, tokens + (time - at) * perMillisecond);
    const allowed = level >= 1;
    if (!allowed) refusals += 1;
    const left = allowed ? level - 1 : level;
    buckets.set(key, { tokens: left, at: time });
    return {
      allowed,
      remaining: Math.floor(left),
      reset: secondsUntil(capacity, left),
      retryAfter: allowed ? 0 : Math.max(1, secondsUntil(1, left)),
    };
  }

  return { capacity, take, size: () => buckets.size(), refusals: () => refusals };
}
