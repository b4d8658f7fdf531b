import { hash } from 'node:crypto';
import { Cache, type CacheOptions } from '../../kit/cache.ts';
import { MINUTE_MS } from '../../kit/time.ts';

interface Streak {
  readonly failures: number;
  readonly lastAt: number;
}

// Per cache; both full take 20 MB.
const MAX_ENTRIES = 50_000;
const WINDOW_MS = 15 * MINUTE_MS;
const PAIR_LIMIT = 10;
const STREAK_LIMIT = 100;
const MAX_DELAY_SECONDS = 15 * 60;

/**
 * Counts failed logins in memory, under two rules. Per account and address: after 10 failures within 15 minutes, the next
 * attempt waits until the oldest of them is 15 minutes old. Per account: after 100 failures in a row, from any addresses,
 * an address that never signed in to the account waits 1, 2, 4, … seconds after each further failure, up to 15 minutes.
 * An account is whatever text the client sent.
 */
export class LoginAttempts {
  readonly #now: () => number;
  readonly #pairs;
  readonly #streaks;

  constructor(options: Pick<CacheOptions, 'maxEntries' | 'now'> = {}) {
    const { maxEntries = MAX_ENTRIES, now = () => performance.now() } = options;
    this.#now = now;
    this.#pairs = new Cache<string, readonly number[]>({ maxEntries, maxAgeMs: WINDOW_MS, now });
    this.#streaks = new Cache<string, Streak>({ maxEntries, now });
  }

  /**
   * Seconds that a login must wait; 0 if it may proceed. `isKnownAddress` returns true if the account was signed in to from
   * this address before; it is called only if the answer matters.
   */
  wait(account: string, address: string, isKnownAddress: () => boolean): number {
    const pair = this.#pairWait(digest(`${address} ${account}`));
    return Math.ceil(Math.max(0, pair, this.#streakWait(digest(account), isKnownAddress)));
  }

  failed(account: string, address: string): void {
    const pair = digest(`${address} ${account}`);
    this.#pairs.set(pair, [...this.#recent(pair), this.#now()].slice(-PAIR_LIMIT));
    const key = digest(account);
    this.#streaks.set(key, {
      failures: (this.#streaks.get(key)?.failures ?? 0) + 1,
      lastAt: this.#now(),
    });
  }

  succeeded(account: string, address: string): void {
    this.#pairs.delete(digest(`${address} ${account}`));
    this.#streaks.delete(digest(account));
  }

  /** The number of cached accounts and account-address pairs. */
  size(): number {
    return this.#pairs.size() + this.#streaks.size();
  }

  #recent(pair: string): readonly number[] {
    const since = this.#now() - WINDOW_MS;
    return (this.#pairs.get(pair) ?? []).filter((time) => time > since);
  }

  #pairWait(pair: string): number {
    const times = this.#recent(pair);
    const oldest = times[times.length - PAIR_LIMIT];
    return oldest === undefined ? 0 : (oldest + WINDOW_MS - this.#now()) / 1000;
  }

  #streakWait(account: string, isKnownAddress: () => boolean): number {
    const streak = this.#streaks.get(account);
    if (!streak || streak.failures < STREAK_LIMIT || isKnownAddress()) return 0;
    const delay = Math.min(MAX_DELAY_SECONDS, 2 ** (streak.failures - STREAK_LIMIT));
    return streak.lastAt / 1000 + delay - this.#now() / 1000;
  }
}

/** Digests as keys bound the memory: a client may send an account name of any length. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
