import { randomBytes } from 'node:crypto';
import { Cache } from '../kit/cache.ts';
import type { QueryFile } from './statements.ts';
import type { Transactions } from './transaction.ts';

/** Detects writes, so that anything derived from the database can be dropped when it may be stale. */
export interface Versions {
  /** How often writes of other processes were detected. Asks SQLite once per callback of the event loop. */
  readonly foreignWrites: () => number;
  /** Like `foreignWrites`, but always asks SQLite. */
  readonly checkForeignWrites: () => number;
  /** Changes after every write of any process, and never repeats, even across restarts. */
  readonly text: () => string;
}

/** A cache that is emptied by every write. */
export interface VersionedCache<Value> {
  readonly version: () => string;
  /**
   * The cache with its valid entries. Call it in every callback: a cache obtained before a write has been
   * discarded.
   */
  readonly current: () => Cache<string, Value>;
}

/** `sql` is storage.sql. */
export function createVersions(sql: QueryFile, transactions: Pick<Transactions, 'commits'>): Versions {
  const dataVersion = sql.prepare<number>('dataVersion').pluck();
  const run = randomBytes(6).toString('base64url');
  let known: number | undefined;
  let seen = 0;
  let isFresh = false;

  function check(): number {
    const version = dataVersion.get();
    if (version !== known) seen += 1;
    known = version;
    return seen;
  }

  function foreignWrites(): number {
    if (isFresh) return seen;
    isFresh = true;
    // Runs before the next callback, whose client may already have seen a later write.
    process.nextTick(() => {
      isFresh = false;
    });
    return check();
  }

  return {
    foreignWrites,
    checkForeignWrites: check,
    // Both counters only increase, so their sum changes with every write.
    text: () => `${run}.${foreignWrites() + transactions.commits()}`,
  };
}

export function createVersionedCache<Value>(versions: Versions, maxBytes: number): VersionedCache<Value> {
  let known = versions.text();
  let cache = new Cache<string, Value>({ maxBytes });
  return {
    version: versions.text,
    current: () => {
      const now = versions.text();
      if (now !== known) cache = new Cache({ maxBytes });
      known = now;
      return cache;
    },
  };
}
