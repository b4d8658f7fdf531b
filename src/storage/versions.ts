import { randomBytes } from 'node:crypto';
import { Cache } from '../kit/cache.ts';
import type { QueryFile } from './statements.ts';
import type { Transactions } from './transaction.ts';

/** Detects writes, so that everything read from the database can be dropped when it may have changed. */
export interface Versions {
  /** The number of times that writes of other processes were seen. SQLite is asked once in every callback of the event loop. */
  readonly foreignWrites: () => number;
  /** The same, asking SQLite now. */
  readonly checkForeignWrites: () => number;
  /** Another text than ever before, in earlier runs too, after a write of any process. */
  readonly text: () => string;
}

/** A cache whose entries are dropped when anything is written. */
export interface VersionedCache<Value> {
  readonly version: () => string;
  /** The entries that are still valid. Ask for it in every callback; entries made before a write go into a cache that is gone. */
  readonly current: () => Cache<string, Value>;
}

/** Opens the detection of writes on storage.sql. */
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
    // Runs before the next callback, which may belong to a client that has seen a later write.
    process.nextTick(() => {
      isFresh = false;
    });
    return check();
  }

  return {
    foreignWrites,
    checkForeignWrites: check,
    // Each counts up and never down, so that their sum is another one after every write.
    text: () => `${run}.${foreignWrites() + transactions.commits()}`,
  };
}

/** Makes a cache of at most so many bytes. */
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
