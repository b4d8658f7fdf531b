import { hash } from 'node:crypto';

/** Counts failed logins, in memory. Accounts may be named by any text: a digest of it is all that is stored. */
export interface LoginAttempts {
  /**
   * Seconds that a login to the account from the address has to wait; 0 when it may go on. `isKnownAddress` is asked
   * only where the answer matters: whether the account was signed in to from there before.
   */
  readonly wait: (account: string, address: string, isKnownAddress: () => boolean) => number;
  readonly failed: (account: string, address: string) => void;
  readonly succeeded: (account: string, address: string) => void;
  /** How many accounts and pairs of account and address are kept. */
  readonly size: () => number;
}

export interface AttemptOptions {
  /** Monotonic clock in milliseconds; a test may bring its own. */
  readonly now?: () => number;
  /** How many entries are stored of each kind; default 50,000, which take 20 MB. */
  readonly maxEntries?: number;
}

interface Streak {
  failures: number;
  lastAt: number;
}

const WINDOW_MS = 15 * 60 * 1000;
const PAIR_LIMIT = 10;
const STREAK_LIMIT = 100;
const MAX_DELAY_SECONDS = 15 * 60;

/**
 * Two counts. By account and address: after 10 failures within 15 minutes the next one waits until the oldest is
 * older than that. By account alone: after 100 failures in a row, wherever from, addresses that the account was
 * never signed in from wait 1, 2, 4, … seconds after each further one, at most 15 minutes.
 */
export function createLoginAttempts(options: AttemptOptions = {}): LoginAttempts {
  const now = options.now ?? (() => performance.now());
  const maxEntries = options.maxEntries ?? 50_000;
  // Both maps hold the least recently failed first, which is what has to go when they are full.
  const pairs = new Map<string, readonly number[]>();
  const streaks = new Map<string, Streak>();

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
        Math.max(0, pairWait(pairKey(account, address)), streakWait(accountKey(account), isKnownAddress)),
      ),
    failed: (account, address) => {
      const pair = pairKey(account, address);
      put(pairs, pair, [...recent(pair), now()].slice(-PAIR_LIMIT), maxEntries);
      const key = accountKey(account);
      const failures = (streaks.get(key)?.failures ?? 0) + 1;
      put(streaks, key, { failures, lastAt: now() }, maxEntries);
    },
    succeeded: (account, address) => {
      pairs.delete(pairKey(account, address));
      streaks.delete(accountKey(account));
    },
    size: () => pairs.size + streaks.size,
  };
}

// As keys, digests bound the memory: all entries of a kind take the same, whatever text came as an account.

function accountKey(account: string): string {
  return hash('sha256', account, 'base64url');
}

function pairKey(account: string, address: string): string {
  return hash('sha256', `${address} ${account}`, 'base64url');
}

/** Sets an entry as the newest of its map and drops the oldest when there are too many. */
function put<Value>(map: Map<string, Value>, key: string, value: Value, maxEntries: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > maxEntries && oldest.done !== true) map.delete(oldest.value);
}
