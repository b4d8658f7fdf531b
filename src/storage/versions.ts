import { randomBytes } from 'node:crypto';
import { Cache } from '../kit/cache.ts';
import type { Prepared, QueryFile } from './statements.ts';
import type { Transactions } from './transaction.ts';

/** Detects writes, so that everything read from the database can be dropped when it may have changed. */
export class Versions {
  readonly #dataVersion: Prepared<number>;
  readonly #transactions: Pick<Transactions, 'commits'>;
  readonly #run = randomBytes(6).toString('base64url');
  #known: number | undefined;
  #seen = 0;
  #isFresh = false;

  /** `sql` is storage.sql. */
  constructor(sql: QueryFile, transactions: Pick<Transactions, 'commits'>) {
    this.#dataVersion = sql.prepare<number>('dataVersion').pluck();
    this.#transactions = transactions;
  }

  /** The number of times that writes of other processes were seen. SQLite is asked once in every callback of the event loop. */
  foreignWrites(): number {
    if (this.#isFresh) return this.#seen;
    this.#isFresh = true;
    // Runs before the next callback, which may belong to a client that has seen a later write.
    process.nextTick(() => {
      this.#isFresh = false;
    });
    return this.checkForeignWrites();
  }

  /** The same, asking SQLite now. */
  checkForeignWrites(): number {
    const version = this.#dataVersion.get();
    if (version !== this.#known) this.#seen += 1;
    this.#known = version;
    return this.#seen;
  }

  /** A text that was never returned before the last write of any process, not even in earlier runs. */
  text(): string {
    // Each counts up and never down, so that their sum is another one after every write.
    return `${this.#run}.${this.foreignWrites() + this.#transactions.commits()}`;
  }
}

/** A cache of at most so many bytes, whose entries are dropped when anything is written. */
export class VersionedCache<Value> {
  readonly #versions: Versions;
  readonly #maxBytes: number;
  #known: string;
  #cache: Cache<string, Value>;

  constructor(versions: Versions, maxBytes: number) {
    this.#versions = versions;
    this.#maxBytes = maxBytes;
    this.#known = versions.text();
    this.#cache = new Cache({ maxBytes });
  }

  version(): string {
    return this.#versions.text();
  }

  /** The entries that are still valid. Ask for it in every callback; entries made before a write go into a cache that is gone. */
  current(): Cache<string, Value> {
    const now = this.#versions.text();
    if (now !== this.#known) this.#cache = new Cache({ maxBytes: this.#maxBytes });
    this.#known = now;
    return this.#cache;
  }
}
