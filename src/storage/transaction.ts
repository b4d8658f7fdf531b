import type { Connection } from './database.ts';
import { storageFailure } from './failures.ts';
import { type GroupCommitOptions, createGroupCommit } from './group-commit.ts';

/** The only way to write: work runs whole or not at all, and has reached the disk when the promise resolves. */
export interface Transactions {
  /**
   * Runs `work` in a write transaction, at the end of this tick of the event loop and in the order of the calls; it may
   * share the transaction with others, each of which is stored or not by itself. `work` is synchronous, returns no promise
   * and does nothing but read and write the database: it may be run again, and what it wrote may be undone after it has
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
  /** Runs and settles all writes that wait, so that the database can be closed behind them. */
  readonly flush: () => void;
}

/** After an I/O error it is unknown which writes reached the disk: one that failed may be stored all the same. */
export function createTransactions(
  connection: Connection,
  { longestMs, patience }: Pick<GroupCommitOptions, 'longestMs' | 'patience'> = {},
): WriteTransactions {
  const failure = createFailureState();
  const { add, flush, commits } = createGroupCommit(connection, {
    refusal: () =>
      failure.hasFailed() ? new StorageFailedError('writes are refused since the storage failed') : undefined,
    noteFailure: failure.noteFailure,
    longestMs,
    patience,
  });
  return {
    ...failure,
    flush,
    commits,
    write: (work) => {
      if (connection.inTransaction)
        return Promise.reject(new Error('a write was asked for within a snapshot or another write'));
      return add(work);
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
