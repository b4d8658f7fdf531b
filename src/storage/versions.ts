import { randomBytes } from 'node:crypto';
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

  /** How often writes of other processes were seen. Asks SQLite once in every callback of the event loop. */
  foreignWrites(): number {
    if (this.#isFresh) return this.#seen;
    this.#isFresh = true;
    // Runs before the next callback, which may belong to a client that has seen a later write.
    process.nextTick(() => {
      this.#isFresh = false;
    });
    const version = this.#dataVersion.get();
    if (version !== this.#known) this.#seen += 1;
    this.#known = version;
    return this.#seen;
  }

  /** A text that was never returned before the last write of any process, not even in earlier runs. */
  text(): string {
    // Neither count ever goes down, so their sum differs after every write.
    return `${this.#run}.${this.foreignWrites() + this.#transactions.commits()}`;
  }
}
