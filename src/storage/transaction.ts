import type { Connection } from './database.ts';
import { storageFailure } from './failures.ts';

/** The only way to write: work runs whole or not at all, and has reached the disk when the promise resolves. */
export interface Transactions {
  /**
   * Runs `work` in one write transaction. `work` is synchronous and must not write outside it.
   * Rejects with what `work` or the commit threw; nothing of it is stored then.
   */
  readonly write: <Result>(work: () => Result) => Promise<Result>;
  /** Runs `work` while everything that it reads is as it was at the start, whatever others write meanwhile. */
  readonly readSnapshot: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Whether the storage has failed in a way that only a restart can mend; writes are refused from then on. */
  readonly hasFailed: () => boolean;
  /** To be told of what went wrong beside a write: when the storage has failed, writes are refused from now on. */
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

/** After an I/O error nobody can say what reached the disk: what was not acknowledged may be stored all the same. */
export function createTransactions(connection: Connection): Transactions {
  const { hasFailed, noteFailure } = createFailureState();

  function writeNow<Result>(work: () => Result): Result {
    if (hasFailed()) throw new StorageFailedError('writes are refused since the storage failed');
    try {
      return connection.transaction(work).immediate();
    } catch (error) {
      noteFailure(error);
      throw error;
    }
  }

  return {
    write: <Result>(work: () => Result) =>
      new Promise<Result>((resolve) => {
        resolve(writeNow(work));
      }),
    readSnapshot: (work) => readSnapshot(connection, work),
    hasFailed,
    noteFailure,
  };
}

/** The transactions of a replica: every write rejects with a ReadOnlyError. */
export function createReadTransactions(connection: Connection): Transactions {
  return {
    write: () => Promise.reject(new ReadOnlyError('a replica is not written to')),
    readSnapshot: (work) => readSnapshot(connection, work),
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
