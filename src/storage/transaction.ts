import { types } from 'node:util';
import type Database from 'better-sqlite3';
import type { Connection } from './database.ts';
import { storageFailure } from './failures.ts';

/** The only way to write: work runs whole or not at all, and has reached the disk when the promise resolves. */
export interface Transactions {
  /**
   * Runs `work` in a write transaction, at the end of this tick of the event loop or the next one, in the order of the
   * calls; it may share the transaction with others, each of which is stored or not by itself. `work` is synchronous,
   * and does nothing but read and write the database: it may be run again, and what it wrote may be undone after it has
   * returned. Files, counters, caches and replies are for the caller that awaits the result. While another process writes
   * it waits, in order, for up to 5 s or as its `Patience` says. Rejects with the error of `work` or of the commit; nothing
   * of it is stored then.
   */
  write<Result>(work: () => Result): Promise<Result>;
  /**
   * Runs `work`, which reads everything as it was at the start, whatever other processes write meanwhile. This process
   * writes nothing until it has ended: a `write` rejects.
   */
  readSnapshot<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Whether the storage has failed in a way that only a restart can mend; writes are refused from then on. */
  hasFailed(): boolean;
  /** The number of write transactions that have reached the disk. */
  commits(): number;
  /** Takes errors outside of writes: when one shows that the storage has failed, writes are refused from now on. */
  noteFailure(error: unknown): void;
}

/** A write that was refused because an earlier one left the storage in doubt. */
export class StorageFailedError extends Error {
  override readonly name = 'StorageFailedError';
}

/** A write to a replica. */
export class ReadOnlyError extends Error {
  override readonly name = 'ReadOnlyError';
}

/** The time for which writes wait while another process writes. */
export interface Patience {
  /** Milliseconds after which a write fails. */
  readonly limitMs: number;
  /** Called at each failed try, with the milliseconds that the oldest write has waited. */
  readonly waiting?: (waitedMs: number) => void;
}

interface Waiting {
  /** By the monotonic clock. */
  readonly since: number;
  /** Does the work; from then on `settle` reports its result. */
  readonly run: () => unknown;
  /** From now on `settle` reports this error. */
  readonly fail: (error: unknown) => void;
  /** Called once nothing can change the result any more. */
  settle: () => void;
  /** Whether a transaction with others has failed, so that it gets its own. */
  isAlone: boolean;
}

// Most of a write is the wait for the disk, so that a hundred of them take hardly longer than one.
const MOST = 100;
// Slow work leaves the others for the next tick: reads wait for the same event loop.
const LONGEST_MS = 10;
const PATIENCE: Patience = { limitMs: 5_000 };
// Short compared with the time for which another process holds the lock, long compared with the cost of a try.
const RETRY_MS = 2;

/**
 * The one place where transactions are committed. Work is not run when it is asked for but at the end of the event
 * loop's tick or the next one, together with all that has arrived by then: in one transaction, in the order of arrival.
 * While the disk is at work others arrive, which are the next transaction. No caller gets a result before the commit has
 * returned, since even a refusal may rest on what another one of the group has written.
 *
 * Work that throws is undone, and the others stand. A transaction that fails as a whole, within a statement or at its
 * commit, has stored nothing. Where one of them may be the cause (too large for the disk, or breaking a deferred
 * constraint) each is run again in its own transaction, one a tick, before all that came later: so the one that does
 * not fit fails alone. Where none is the cause (the disk is broken, no file can be opened) all of them fail. After an I/O
 * error it is unknown which writes reached the disk: one that failed may be stored all the same.
 *
 * While another process writes, the group goes back to the front of the queue and is tried again by a timer: reads go on
 * meanwhile. SQLite's own way to wait would put the whole process to sleep, so the connection must have a busy time-out
 * of a few milliseconds at most.
 */
export class WriteTransactions implements Transactions {
  readonly #connection: Connection;
  readonly #longestMs: number;
  readonly #patience: Patience;
  // A transaction, or within one a savepoint. It refuses work that returns a promise, which would go on after the commit.
  readonly #whole: Database.Transaction<(work: () => unknown) => unknown>;
  readonly #queue: Waiting[] = [];
  #isScheduled = false;
  #isCareful = false;
  #hasFailed = false;
  #commits = 0;

  /** A transaction takes no more work after `longestMs`. */
  constructor(connection: Connection, patience = PATIENCE, longestMs = LONGEST_MS) {
    this.#connection = connection;
    this.#longestMs = longestMs;
    this.#patience = patience;
    this.#whole = connection.transaction((work: () => unknown) => work());
  }

  write<Result>(work: () => Result): Promise<Result> {
    if (this.#connection.inTransaction)
      return Promise.reject(new Error('a write was asked for within a snapshot or another write'));
    return new Promise((resolve, reject) => {
      this.#queue.push(this.#waitingFor(work, resolve, reject));
      this.#schedule();
    });
  }

  readSnapshot<Result>(work: () => Promise<Result>): Promise<Result> {
    this.flush();
    return readSnapshot(this.#connection, work);
  }

  hasFailed(): boolean {
    return this.#hasFailed;
  }

  commits(): number {
    return this.#commits;
  }

  noteFailure(error: unknown): void {
    if (storageFailure(error) === 'failed') this.#hasFailed = true;
  }

  /** Runs and settles all waiting writes at once, without another try when another process is writing. */
  flush(): void {
    while (this.#queue.length > 0) {
      const busy = this.#runGroup();
      if (busy) this.#failWaiting(busy.error, 0);
    }
  }

  #waitingFor<Result>(
    work: () => Result,
    resolve: (result: Result) => void,
    reject: (error: unknown) => void,
  ): Waiting {
    const one: Waiting = {
      since: performance.now(),
      run: () => {
        const result = work();
        one.settle = () => {
          resolve(result);
        };
        return result;
      },
      fail: (error) => {
        this.noteFailure(error);
        one.settle = () => {
          reject(error);
        };
      },
      settle: () => undefined,
      isAlone: false,
    };
    return one;
  }

  #schedule(afterMs?: number): void {
    if (this.#isScheduled || this.#queue.length === 0) return;
    this.#isScheduled = true;
    const tick = (): void => {
      this.#tick();
    };
    // Where several have arrived, others are on their way: one more tick saves half of the flushes of a crowd.
    const gather = (): void => {
      if (this.#queue.length > 1 && this.#queue.length < MOST) setImmediate(tick);
      else tick();
    };
    if (afterMs === undefined) setImmediate(gather);
    else setTimeout(tick, afterMs);
  }

  #tick(): void {
    this.#isScheduled = false;
    const busy = this.#queue.length > 0 ? this.#runGroup() : undefined;
    if (busy) this.#failWaiting(busy.error, this.#patience.limitMs);
    if (busy && this.#queue[0]) this.#patience.waiting?.(performance.now() - this.#queue[0].since);
    this.#schedule(busy && RETRY_MS);
  }

  /** Fails those that have waited for so long. */
  #failWaiting(error: unknown, waitedMs: number): void {
    const before = performance.now() - waitedMs;
    while (this.#queue[0] && this.#queue[0].since <= before) {
      this.#queue[0].fail(error);
      this.#queue.shift()?.settle();
    }
  }

  /** Runs the next transaction. Returns the error of SQLite when another process was writing; then nothing was run. */
  #runGroup(): { readonly error: unknown } | undefined {
    const group = this.#queue.splice(0, this.#queue[0]?.isAlone === true ? 1 : MOST);
    let count = group.length;
    let busy: { readonly error: unknown } | undefined;
    if (this.#hasFailed)
      failAll(group, new StorageFailedError('writes are refused since the storage failed'));
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
          // One of them may be the cause.
          for (const one of group) one.isAlone = true;
          count = 0;
        } else failAll(group, error);
      }
    this.#queue.unshift(...group.slice(count));
    for (const { settle } of group.slice(0, count)) settle();
    return busy;
  }

  /**
   * Runs a group in one transaction and returns how many of it there was time for. A write that throws among others is
   * undone and failed by itself; for that it needs a savepoint, which takes a tenth of a small write's processor time, and
   * few writes throw. So none are set until one does: then all of the group is undone and run again with them, as the next
   * groups are, until nothing throws in one.
   */
  #commit(group: readonly Waiting[]): number {
    const [first, ...others] = group;
    if (first && others.length === 0) {
      this.#whole.immediate(first.run);
      return 1;
    }
    try {
      if (!this.#isCareful) return this.#runAll(group, runPlainly);
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

  #runInSavepoint(one: Waiting): void {
    try {
      this.#whole(one.run);
    } catch (error) {
      if (storageFailure(error) === 'busy') throw error;
      this.#isCareful = true;
      one.fail(error);
      // SQLite undoes all of a transaction by itself at some failures, and a failed storage commits nothing.
      if (!this.#connection.inTransaction || this.#hasFailed) throw error;
    }
  }
}

/** The transactions of a replica: every write rejects with a ReadOnlyError. */
export class ReadTransactions implements Transactions {
  readonly #connection: Connection;
  #hasFailed = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  write(): Promise<never> {
    return Promise.reject(new ReadOnlyError('a replica is not written to'));
  }

  readSnapshot<Result>(work: () => Promise<Result>): Promise<Result> {
    return readSnapshot(this.#connection, work);
  }

  hasFailed(): boolean {
    return this.#hasFailed;
  }

  commits(): number {
    return 0;
  }

  noteFailure(error: unknown): void {
    if (storageFailure(error) === 'failed') this.#hasFailed = true;
  }
}

async function readSnapshot<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
  connection.exec('BEGIN');
  try {
    return await work();
  } finally {
    connection.exec('COMMIT');
  }
}

function failAll(group: readonly Waiting[], error: unknown): void {
  for (const one of group) one.fail(error);
}

function runPlainly({ run }: Waiting): void {
  if (types.isPromise(run())) throw new TypeError('a write returned a promise');
}
