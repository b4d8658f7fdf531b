import { hash } from 'node:crypto';
import { type CacheOptions, Cache } from '../../kit/cache.ts';

/** Counts failed logins, in memory. Accounts may be named by any text: a digest of it is all that is stored. */
export interface LoginAttempts {
  /**
   * Seconds that a login to the account from the address has to wait; 0 when it may go on. `isKnownAddress` is asked
   * only where the answer matters: whether the account was signed in to from there before.
   */
  readonly wait: (account: string, address: string, isKnownAddress: () => boolean) => number;
  readonly failed: (account: string, address: string) => void;
  readonly succeeded: (account: string, address: string) => void;
  /** How many accounts and pairs of account and address are in memory. */
  readonly size: () => number;
}

interface Streak {
  readonly failures: number;
  readonly lastAt: number;
}

// Of each kind; they take 20 MB.
const MAX_ENTRIES = 50_000;
const WINDOW_MS = 15 * 60 * 1000;
const PAIR_LIMIT = 10;
const STREAK_LIMIT = 100;
const MAX_DELAY_SECONDS = 15 * 60;

/**
 * Two counts. By account and address: after 10 failures within 15 minutes the next one waits until the oldest is
 * older than that. By account alone: after 100 failures in a row, wherever from, addresses that the account was
 * never signed in from wait 1, 2, 4, … seconds after each further one, at most 15 minutes.
 */
export function createLoginAttempts(options: Pick<CacheOptions, 'maxEntries' | 'now'> = {}): LoginAttempts {
  const { maxEntries = MAX_ENTRIES, now = () => performance.now() } = options;
  const pairs = new Cache<string, readonly number[]>({ maxEntries, maxAgeMs: WINDOW_MS, now });
  const streaks = new Cache<string, Streak>({ maxEntries, now });

  function recent(key: string): readonly number[] {
    const since = now() - WINDOW_MS;
    return (pairs.get(key) ?? []).filter((time) => time > since);
  }

  function pairWait(key: string): number {
    const times = recent(key);
    const oldest = times[times.length - PAIR_LIMIT];
    return oldest === undefined ? 0 : (oldest + WINDOW_MS - now()) / 1000;
  }

  function streakWait(key: string, isKnownAddress: () => boolean): number {
    const streak = streaks.get(key);
    if (!streak || streak.failures < STREAK_LIMIT || isKnownAddress()) return 0;
    const delay = Math.min(MAX_DELAY_SECONDS, 2 ** (streak.failures - STREAK_LIMIT));
    return streak.lastAt / 1000 + delay - now() / 1000;
  }

  return {
    wait: (account, address, isKnownAddress) =>
      Math.ceil(
        Math.max(0, pairWait(digest(`${address} ${account}`)), streakWait(digest(account), isKnownAddress)),
      ),
    failed: (account, address) => {
      const pair = digest(`${address} ${account}`);
      pairs.set(pair, [...recent(pair), now()].slice(-PAIR_LIMIT));
      const key = digest(account);
      streaks.set(key, { failures: (streaks.get(key)?.failures ?? 0) + 1, lastAt: now() });
    },
    succeeded: (account, address) => {
      pairs.delete(digest(`${address} ${account}`));
      streaks.delete(digest(account));
    },
    size: () => pairs.size() + streaks.size(),
  };
}

/** As keys, digests bound the memory: all entries take the same, whatever text came as an account. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
