import { createRequire } from 'node:module';
import Database from 'better-sqlite3';
import { propertiesOf } from '../kit/objects.ts';
import { Thread, wasReplaced } from '../kit/threads.ts';
import { BUSY_TIMEOUT_MS, type Connection } from './database.ts';
import type { Prepared, QueryFile } from './statements.ts';

// With fewer, pages that change often would be copied more often.
const PAGES = 2_000;

const COPY = `
  const Database = require(${JSON.stringify(createRequire(import.meta.url).resolve('better-sqlite3'))});
  return ({ path, isRunning }) => {
    try {
      const connection = new Database(path, { fileMustExist: true, timeout: 0 });
      try {
        connection.pragma('synchronous = FULL');
        // Each pass copies what was written during the one before, and is shorter.
        for (let pass = 0; pass < 3; pass += 1) connection.pragma('wal_checkpoint(PASSIVE)');
      } finally {
        connection.close();
      }
    } catch ({ code, message }) {
      return { code, message };
    } finally {
      Atomics.store(isRunning, 0, 0);
      Atomics.notify(isRunning, 0);
    }
  };
`;

/**
 * Copies the write-ahead log into the database in a thread, so that commits rarely wait for it. When the thread falls
 * behind or cannot run, SQLite's automatic checkpoint does the rest.
 */
export class Checkpoints {
  readonly #connection: Connection;
  readonly #length: Prepared<readonly [busy: number, pages: number, copied: number]>;
  readonly #failed: (error: unknown) => void;
  readonly #thread = new Thread(COPY, 'copies the write-ahead log');
  readonly #isRunning = new Int32Array(new SharedArrayBuffer(4));
  #isCopying = false;
  #before = 0;

  /** `sql` is storage.sql. */
  constructor(connection: Connection, sql: QueryFile, failed: (error: unknown) => void) {
    this.#connection = connection;
    this.#length = sql.prepare<readonly [number, number, number]>('logLength').raw();
    this.#failed = failed;
  }

  /** Starts the thread if the log has become long. Call it after every transaction. */
  start(): void {
    if (this.#isCopying) return;
    this.#isCopying = true;
    this.#copy()
      .catch(this.#failed)
      .finally(() => {
        this.#isCopying = false;
      });
  }

  /** Blocks until the thread has closed its connection. */
  wait(): void {
    Atomics.wait(this.#isRunning, 0, 1, BUSY_TIMEOUT_MS);
  }

  end(): void {
    this.wait();
    this.#thread.end();
  }

  async #copy(): Promise<void> {
    const pages = this.#length.get()?.[1] ?? 0;
    // The log has started over.
    if (pages < this.#before) this.#before = 0;
    // A thread that starts then would load another version of SQLite.
    if (pages < this.#before + PAGES || wasReplaced()) return;
    this.#before = pages;
    this.#isRunning[0] = 1;
    try {
      const work = { path: this.#connection.name, isRunning: this.#isRunning };
      const fault = propertiesOf(await this.#thread.run(work));
      if (fault) throw new Database.SqliteError(String(fault.get('message')), String(fault.get('code')));
    } finally {
      this.#isRunning[0] = 0;
    }
    // Few pages are left. Then the next write starts the log over.
    if (this.#connection.open && !this.#connection.inTransaction)
      this.#connection.pragma('wal_checkpoint(PASSIVE)');
  }
}
