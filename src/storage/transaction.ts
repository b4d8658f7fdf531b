import { types } from 'node:util';
import type Database from 'better-sqlite3';
import type { Connection } from './database.ts';
import { storageFailure } from './failures.ts';

/** A write refused because an earlier failure left the storage in doubt. */
export class StorageFailedError extends Error {
  override readonly name = 'StorageFailedError';
}

/** How long writes wait while another process writes. */
export interface Patience {
  /** Milliseconds until a waiting write fails. */
  readonly limitMs: number;
  /** Called after each failed attempt with the milliseconds that the oldest write has waited. */
  readonly waiting?: (waitedMs: number) => void;
}

export interface TransactionOptions {
  readonly patience?: Patience | undefined;
  /** A transaction accepts no more work after this many milliseconds. */
  readonly longestMs?: number | undefined;
  /** True for a replica: every write rejects. */
  readonly isReadOnly?: boolean;
}

interface Waiting {
  /** On the monotonic clock. */
  readonly since: number;
  /** Runs the work and makes `settle` report its result. */
  readonly run: () => unknown;
  readonly reject: (error: unknown) => void;
  /** Call once the result is final. */
  settle: () => void;
  /** True after a shared transaction failed: the write gets its own. */
  isAlone: boolean;
}

// A write mostly waits for the disk, so a hundred together take hardly longer than one.
const MOST = 100;
// Slow work postpones the rest to the next tick, since reads share the event loop.
const LONGEST_MS = 10;
const PATIENCE: Patience = { limitMs: 5_000 };
// Short compared with how long another process holds the lock, long compared with the cost of an attempt.
const RETRY_MS = 2;

/**
 * Commits all writes: work is stored entirely or not at all, and is on the disk when its promise resolves. It runs at
 * the end of this event loop tick or the next, together with everything that has arrived by then: one transaction, in
 * order of arrival. More arrives while the disk is busy, and forms the next transaction. Callers get their results only
 * after the commit, since even a refusal may depend on what another write of the group stored.
 *
 * Work that throws is rolled back without affecting the rest. If the transaction as a whole fails, in a
 * statement or at commit, nothing is stored. When one write may be the cause (too large for the disk, or
 * violating a deferred constraint), each runs again in its own transaction, one per tick, ahead of later
 * arrivals, so that only the culprit fails. When none can be the cause (the disk is broken, no file can be
 * opened), all fail. After an I/O error it is unknown what reached the disk: a write that failed may still be
 * stored.
 *
 * While another process writes, the group returns to the front of the queue and a timer retries it, so that
 * reads continue. SQLite's own waiting would put the whole process to sleep, so the connection needs a busy
 * timeout of at most a few milliseconds.
 */
export class Transactions {
  readonly #connection: Connection;
  readonly #longestMs: number;
  readonly #patience: Patience;
  readonly #isReadOnly: boolean;
  // A transaction, or a savepoint inside one. Rejects work that returns a promise, which would continue after
  // the commit.
  readonly #whole: Database.Transaction<(work: () => unknown) => unknown>;
  readonly #queue: Waiting[] = [];
  #observe: ((ms: number, error?: unknown) => void) | undefined;
  #isScheduled = false;
  #isCareful = false;
  #hasFailed = false;
  #commits = 0;

  constructor(connection: Connection, options: TransactionOptions = {}) {
    this.#connection = connection;
    this.#longestMs = options.longestMs ?? LONGEST_MS;
    this.#patience = options.patience ?? PATIENCE;
    this.#isReadOnly = options.isReadOnly ?? false;
    this.#whole = connection.transaction((work: () => unknown) => work());
  }

  /**
   * Runs `work` in a write transaction, in call order. It may share the transaction with other writes, but succeeds or
   * fails on its own. `work` must be synchronous and only touch the database: it may run twice, and may be rolled back
   * after it has returned. Update files, counters, caches and replies only after awaiting the result. While another
   * process writes it waits, in order, for up to 5 s or as its `Patience` says. Rejects with the error of `work` or of
   * the commit; nothing is stored then.
   */
  write<Result>(work: () => Result): Promise<Result> {
    if (this.#isReadOnly) return Promise.reject(new Error('a replica is not written to'));
    if (this.#connection.inTransaction)
      return Promise.reject(new Error('a write was asked for within a snapshot or another write'));
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const one: Waiting = {
        since,
        run: () => {
          const result = work();
          one.settle = () => {
            this.#observe?.(performance.now() - since);
            resolve(result);
          };
          return result;
        },
        reject,
        settle: () => undefined,
        isAlone: false,
      };
      this.#queue.push(one);
      this.#schedule();
    });
  }

  /** Calls a listener for each settled write, with its duration in milliseconds and its error, if any. */
  observe(listener: (ms: number, error?: unknown) => void): void {
    this.#observe = listener;
  }

  /** Runs `work` on a snapshot, unaffected by writes of other processes. Meanwhile `write` rejects. */
  async readSnapshot<Result>(work: () => Promise<Result>): Promise<Result> {
    this.flush();
    this.#connection.exec('BEGIN');
    try {
      return await work();
    } finally {
      this.#connection.exec('COMMIT');
    }
  }

  /** True once the storage has failed in a way that only a restart can fix; from then on writes are refused. */
  hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** The number of write transactions committed to disk. */
  commits(): number {
    return this.#commits;
  }

  /** Report errors from outside writes here: if one shows that the storage has failed, writes are refused. */
  noteFailure(error: unknown): void {
    if (storageFailure(error) === 'failed') this.#hasFailed = true;
  }

  /** Runs and settles all waiting writes now, without retrying if another process is writing. */
  flush(): void {
    while (this.#queue.length > 0) {
      const busy = this.#runGroup();
      if (busy) this.#failWaiting(busy.error, 0);
    }
  }

  #schedule(afterMs?: number): void {
    if (this.#isScheduled || this.#queue.length === 0) return;
    this.#isScheduled = true;
    const tick = (): void => {
      this.#isScheduled = false;
      const busy = this.#queue.length > 0 ? this.#runGroup() : undefined;
      if (busy) this.#failWaiting(busy.error, this.#patience.limitMs);
      if (busy && this.#queue[0]) this.#patience.waiting?.(performance.now() - this.#queue[0].since);
      this.#schedule(busy && RETRY_MS);
    };
    // If several have arrived, more are coming: waiting one more tick halves the flushes under load.
    const gather = (): void => {
      if (this.#queue.length > 1 && this.#queue.length < MOST) setImmediate(tick);
      else tick();
    };
    if (afterMs === undefined) setImmediate(gather);
    else setTimeout(tick, afterMs);
  }

  /** Fails the writes that have waited at least this long. */
  #failWaiting(error: unknown, waitedMs: number): void {
    const before = performance.now() - waitedMs;
    while (this.#queue[0] && this.#queue[0].since <= before) {
      this.#fail([this.#queue[0]], error);
      this.#queue.shift()?.settle();
    }
  }

  /** Runs the next transaction. Returns SQLite's error if another process was writing and nothing was run. */
  #runGroup(): { readonly error: unknown } | undefined {
    const group = this.#queue.splice(0, this.#queue[0]?.isAlone === true ? 1 : MOST);
    let count = group.length;
    let busy: { readonly error: unknown } | undefined;
    if (this.#hasFailed)
      this.#fail(group, new StorageFailedError('writes are refused since the storage failed'));
    else
      try {
        count = this.#commit(group);
        this.#commits += 1;
      } catch (error) {
        const failure = storageFailure(error);
        if (failure === 'busy') {
          busy = { error };
          count = 0;
        } else if (group.length > 1 && (failure === 'full' || failure === undefined)) {
          for (const one of group) one.isAlone = true;
          count = 0;
        } else this.#fail(group, error);
      }
    this.#queue.unshift(...group.slice(count));
    for (const { settle } of group.slice(0, count)) settle();
    return busy;
  }

  /**
   * Runs a group in one transaction and returns how many of its writes fitted in the time limit. Rolling back a
   * single write needs a savepoint, which takes a tenth of a small write's CPU time, and few writes throw. So
   * savepoints are used only once a write throws: the group is rolled back and run again with them, and so are
   * the following groups until one has no error.
   */
  #commit(group: readonly Waiting[]): number {
    const [first, ...others] = group;
    if (first && others.length === 0) {
      this.#whole.immediate(first.run);
      return 1;
    }
    try {
      if (!this.#isCareful)
        return this.#runAll(group, ({ run }) => {
          if (types.isPromise(run())) throw new TypeError('a write returned a promise');
        });
    } catch (error) {
      if (storageFailure(error) !== undefined) throw error;
    }
    this.#isCareful = false;
    return this.#runAll(group, (one) => {
      this.#runInSavepoint(one);
    });
  }

  #runAll(group: readonly Waiting[], run: (one: Waiting) => void): number {
    const started = performance.now();
    let count = 0;
    this.#whole.immediate(() => {
      for (const one of group) {
        if (count > 0 && performance.now() - started > this.#longestMs) return;
        run(one);
        count += 1;
      }
    });
    return count;
  }

  /** Makes `settle` report an error. */
  #fail(group: readonly Waiting[], error: unknown): void {
    this.noteFailure(error);
    for (const one of group)
      one.settle = () => {
        this.#observe?.(performance.now() - one.since, error);
        one.reject(error);
      };
  }

  #runInSavepoint(one: Waiting): void {
    try {
      this.#whole(one.run);
    } catch (error) {
      if (storageFailure(error) === 'busy') throw error;
      this.#isCareful = true;
      this.#fail([one], error);
      // Some failures make SQLite roll back the whole transaction, and a failed storage must not commit.
      if (!this.#connection.inTransaction || this.#hasFailed) throw error;
    }
  }
}
