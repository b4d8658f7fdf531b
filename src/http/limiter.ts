/** A limiter's verdict on one request. */
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
  /** How many buckets are kept at most; default 100,000. */
  readonly maxBuckets?: number;
  /** Monotonic clock in milliseconds; a test may bring its own. */
  readonly now?: () => number;
}

export interface Limiter {
  readonly capacity: number;
  /** Takes one token from the bucket of `key`. */
  take(key: string): Verdict;
  /** How many buckets are kept now. */
  size(): number;
  /** How many times a token was refused so far. */
  refusals(): number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const EVICTION_LOOKS = 32;

/**
 * Token buckets by key with bounded memory. A bucket that has refilled is forgotten, since it equals a new one;
 * when the bound is reached, full buckets go first, then the one unused for longest.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const capacity = options.burst;
  const perMillisecond = options.perMinute / 60_000;
  const maxBuckets = options.maxBuckets ?? 100_000;
  const now = options.now ?? (() => performance.now());
  // A Map keeps the order of insertion; putting a bucket back at each use keeps the least recently used in front.
  const buckets = new Map<string, Bucket>();
  let refusals = 0;

  const level = (bucket: Bucket, time: number): number =>
    Math.min(capacity, bucket.tokens + (time - bucket.at) * perMillisecond);

  /** Forgets full buckets among the first few; gives whether there was one. */
  function forgetFull(time: number, looks: number): boolean {
    const before = buckets.size;
    for (const [key, bucket] of buckets) {
      if (looks-- === 0) break;
      if (level(bucket, time) >= capacity) buckets.delete(key);
    }
    return buckets.size < before;
  }

  function makeRoom(time: number): void {
    if (buckets.size < maxBuckets || forgetFull(time, EVICTION_LOOKS)) return;
    const oldest = buckets.keys().next();
    if (oldest.done !== true) buckets.delete(oldest.value);
  }

  function take(key: string): Verdict {
    const time = now();
    const known = buckets.get(key);
    if (known) buckets.delete(key);
    else makeRoom(time);
    forgetFull(time, 2);
    const tokens = known ? level(known, time) : capacity;
    const allowed = tokens >= 1;
    if (!allowed) refusals += 1;
    const left = allowed ? tokens - 1 : tokens;
    buckets.set(key, { tokens: left, at: time });
    return {
      allowed,
      remaining: Math.floor(left),
      reset: Math.ceil((capacity - left) / perMillisecond / 1000),
      retryAfter: allowed ? 0 : Math.max(1, Math.ceil((1 - left) / perMillisecond / 1000)),
    };
  }

  return { capacity, take, size: () => buckets.size, refusals: () => refusals };
}
