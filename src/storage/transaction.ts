import { type Committed, type Waiting, createCommitter } from './committer.ts';
import type { Connection } from './database.ts';
import { storageFailure } from './failures.ts';

/** The only way to write: work runs whole or not at all, and has reached the disk when the promise resolves. */
export interface Transactions {
  /**
   * Runs `work` in a write transaction, at the end of this tick of the event loop or the next one, in the order of the
   * calls; it may share the transaction with others, each of which is stored or not by itself. `work` is synchronous,
   * returns no promise and does nothing but read and write the database: it may be run again, and what it wrote may be undone after it has
   * returned, so that files, counters, caches and answers are for the caller that awaits the result. It does not call
   * `write`. While another process writes it waits, in order, for up to 5 s or as its `Patience` says. Rejects with the error of
   * `work` or of the commit; nothing of it is stored then.
   */
  readonly write: <Result>(work: () => Result) => Promise<Result>;
  /**
   * Runs `work`, which reads everything as it was at the start, whatever other processes write meanwhile. This process
   * writes nothing until it has ended: a `write` rejects.
   */
  readonly readSnapshot: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Whether the storage has failed in a way that only a restart can mend; writes are refused from then on. */
  readonly hasFailed: () => boolean;
  /** The write transactions that have reached the disk, each with one write or more. */
  readonly commits: () => number;
  /** To be called with errors outside of writes: when they show that the storage has failed, writes are refused from now on. */
  readonly noteFailure: (error: unknown) => void;
}

/** A write that was refused because an earlier one left the storage in doubt. */
export class StorageFailedError extends Error {
  override readonly name = 'StorageFailedError';
}

/** A write to a replica. */
export class ReadOnlyError extends Error {
  override readonly name = 'ReadOnlyError';
}

/** The transactions of a process that may write. */
export interface WriteTransactions extends Transactions {
  /** Runs and settles all waiting writes at once, without another try when another process is writing. */
  readonly flush: () => void;
}

/** The time for which writes wait while another process writes. */
export interface Patience {
  /** Milliseconds after which a write fails. */
  readonly limitMs: number;
  /** Called at each failed try, with the milliseconds that the oldest write has waited. */
  readonly waiting?: (waitedMs: number) => void;
}

export interface TransactionOptions {
  /** Milliseconds after which a transaction takes no more work. */
  readonly longestMs?: number;
  readonly patience?: Patience | undefined;
}

// Most of a write is the wait for the disk, so that a hundred of them take hardly longer than one.
const MOST = 100;
// Slow work leaves the others for the next tick: reads wait for the same event loop.
const LONGEST_MS = 10;
const PATIENCE: Patience = { limitMs: 5_000 };
// Short compared with the time for which another process holds the lock, long compared with the cost of a try.
const RETRY_MS = 2;

/**
 * Opens the one place where transactions are committed. Work is not run when it is asked for but at the end of the event
 * loop's tick or the next one, together with all that has arrived by then: in one transaction, in the order of arrival.
 * While the disk is at work others arrive, which are the next transaction. No caller gets a result before the commit has returned, since
 * even a refusal may rest on what another one of the group has written.
 *
 * Work that throws is undone, and the others stand. A transaction that fails as a whole, within a statement or at its
 * commit, has stored nothing. Where one of them may be the cause (too large for the disk, or breaking a deferred
 * constraint) each is run again in a transaction of its own, one a tick, before all that came later: so the one that does
 * not fit fails alone. Where none is the cause (the disk is broken, no file can be opened) all of them fail. After an I/O
 * error it is unknown which writes reached the disk: one that failed may be stored all the same.
 */
export function createTransactions(
  connection: Connection,
  { longestMs = LONGEST_MS, patience = PATIENCE }: TransactionOptions = {},
): WriteTransactions {
  const failure = createFailureState();
  let commits = 0;
  const commit = createCommitter(connection, {
    refusal: () =>
      failure.hasFailed() ? new StorageFailedError('writes are refused since the storage failed') : undefined,
    committed: () => {
      commits += 1;
    },
    longestMs,
  });
  const { add, flush } = createWriteQueue(commit, patience);
  return {
    ...failure,
    flush,
    commits: () => commits,
    write: (work) => {
      if (connection.inTransaction)
        return Promise.reject(new Error('a write was asked for within a snapshot or another write'));
      return new Promise((resolve, reject) => {
        add(waitingFor(work, failure.noteFailure, { resolve, reject }));
      });
    },
    readSnapshot: (work) => {
      flush();
      return readSnapshot(connection, work);
    },
  };
}

/** The transactions of a replica: every write rejects with a ReadOnlyError. */
export function createReadTransactions(connection: Connection): Transactions {
  return {
    write: () => Promise.reject(new ReadOnlyError('a replica is not written to')),
    readSnapshot: (work) => readSnapshot(connection, work),
    commits: () => 0,
    ...createFailureState(),
  };
}

/**
 * While another process writes, the group goes back to the front of the queue and is tried again by a timer: reads go on
 * meanwhile. SQLite's own way to wait would put the whole process to sleep, so the connection has to have a busy time-out
 * of a few milliseconds at most.
 */
function createWriteQueue(
  commit: ReturnType<typeof createCommitter>,
  { limitMs, waiting }: Patience,
): { readonly add: (one: Waiting) => void; readonly flush: () => void } {
  const queue: Waiting[] = [];
  let isScheduled = false;

  function runGroup(): Committed {
    const committed = commit(queue.splice(0, queue[0]?.isAlone === true ? 1 : MOST));
    queue.unshift(...committed.left);
    for (const { settle } of committed.done) settle();
    return committed;
  }

  /** Fails those that have waited for so long. */
  function failWaiting(error: unknown, waitedMs: number): void {
    const before = performance.now() - waitedMs;
    while (queue[0] && queue[0].since <= before) {
      queue[0].fail(error);
      queue.shift()?.settle();
    }
  }

  function tick(): void {
    isScheduled = false;
    const busy = queue.length > 0 ? runGroup().busy : undefined;
    if (busy) failWaiting(busy.error, limitMs);
    if (busy && queue[0]) waiting?.(performance.now() - queue[0].since);
    schedule(busy && RETRY_MS);
  }

  /** Where several have arrived, others are on their way: one more tick saves half of the flushes of a crowd. */
  function gather(): void {
    if (queue.length > 1 && queue.length < MOST) setImmediate(tick);
    else tick();
  }

  function schedule(afterMs?: number): void {
    if (isScheduled || queue.length === 0) return;
    isScheduled = true;
    if (afterMs === undefined) setImmediate(gather);
    else setTimeout(tick, afterMs);
  }

  return {
    add: (one) => {
      queue.push(one);
      schedule();
    },
    flush: () => {
      while (queue.length > 0) {
        const { busy } = runGroup();
        if (busy) failWaiting(busy.error, 0);
      }
    },
  };
}

function waitingFor<Result>(
  work: () => Result,
  noteFailure: (error: unknown) => void,
  { resolve, reject }: Pick<PromiseWithResolvers<Result>, 'resolve' | 'reject'>,
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
      noteFailure(error);
      one.settle = () => {
        reject(error);
      };
    },
    settle: () => undefined,
    isAlone: false,
  };
  return one;
}

function createFailureState(): Pick<Transactions, 'hasFailed' | 'noteFailure'> {
  let failed = false;
  return {
    hasFailed: () => failed,
    noteFailure: (error) => {
      if (storageFailure(error) === 'failed') failed = true;
    },
  };
}

async function readSnapshot<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
  connection.exec('BEGIN');
  try {
    return await work();
  } finally {
    connection.exec('COMMIT');
  }
}
