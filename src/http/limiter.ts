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
  readonly key: string;
  tokens: number;
  at: number;
  /** Its neighbours by last use. */
  older: Bucket | undefined;
  newer: Bucket | undefined;
}

const EVICTION_LOOKS = 32;

/**
 * Token buckets by key with bounded memory. A bucket that has refilled is forgotten, since it equals a new one;
 * when the bound is reached, full buckets go first, then the one unused for longest.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { burst: capacity, maxBuckets = 100_000, now = () => performance.now() } = options;
  const perMillisecond = options.perMinute / 60_000;
  const buckets = new Map<string, Bucket>();
  let refusals = 0;
  const queue = createQueue();

  const secondsUntil = (wanted: number, left: number): number =>
    Math.ceil((wanted - left) / perMillisecond / 1000);
  const level = (bucket: Bucket, time: number): number =>
    Math.min(capacity, bucket.tokens + (time - bucket.at) * perMillisecond);

  /** Forgets full buckets among the oldest few; gives whether there was one. */
  function forgetFull(time: number, looks: number): boolean {
    const before = buckets.size;
    for (let bucket = queue.oldest(); bucket && looks > 0; looks -= 1) {
      const { newer }: Bucket = bucket;
      if (level(bucket, time) >= capacity) buckets.delete(queue.remove(bucket).key);
      bucket = newer;
    }
    return buckets.size < before;
  }

  /** A full bucket that is new. Where there is no room for it, full ones make way, else the oldest. */
  function begin(key: string, time: number): Bucket {
    if (buckets.size >= maxBuckets && !forgetFull(time, EVICTION_LOOKS)) {
      const oldest = queue.oldest();
      if (oldest) buckets.delete(queue.remove(oldest).key);
    }
    const bucket: Bucket = { key, tokens: capacity, at: time, older: undefined, newer: undefined };
    buckets.set(key, bucket);
    return bucket;
  }

  function take(key: string): Verdict {
    const time = now();
    const known = buckets.get(key);
    if (known) queue.remove(known);
    const bucket = known ?? begin(key, time);
    forgetFull(time, 2);
    const tokens = level(bucket, time);
    const allowed = tokens >= 1;
    if (!allowed) refusals += 1;
    const left = allowed ? tokens - 1 : tokens;
    bucket.tokens = left;
    bucket.at = time;
    queue.append(bucket);
    return {
      allowed,
      remaining: Math.floor(left),
      reset: secondsUntil(capacity, left),
      retryAfter: allowed ? 0 : Math.max(1, secondsUntil(1, left)),
    };
  }

  return { capacity, take, size: () => buckets.size, refusals: () => refusals };
}

interface Queue {
  readonly oldest: () => Bucket | undefined;
  /** Puts a bucket behind the newest. */
  readonly append: (bucket: Bucket) => void;
  /** Gives the bucket back. */
  readonly remove: (bucket: Bucket) => Bucket;
}

/**
 * Buckets by their last use. The order of a Map would do, but to find its first key it walks over all that were deleted
 * since it last grew: with 100,000 buckets that took half a millisecond a request.
 */
function createQueue(): Queue {
  let oldest: Bucket | undefined;
  let newest: Bucket | undefined;
  return {
    oldest: () => oldest,
    append: (bucket) => {
      bucket.older = newest;
      bucket.newer = undefined;
      if (newest) newest.newer = bucket;
      else oldest = bucket;
      newest = bucket;
    },
    remove: (bucket) => {
      const { older, newer } = bucket;
      // A bucket that is gone must not keep those behind it from being collected.
      bucket.older = bucket.newer = undefined;
      if (older) older.newer = newer;
      else oldest = newer;
      if (newer) newer.older = older;
      else newest = older;
      return bucket;
    },
  };
}
