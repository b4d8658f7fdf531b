import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import {
  BUSY_TIMEOUT_MS,
  type Connection,
  StorageError,
  abandonDatabase,
  databasePath,
  openDatabase,
  openExistingDatabase,
  openForReading,
} from './database.ts';
import { storageFailure } from './failures.ts';
import { isServed, lockFolder, prepareFolder, refusePhotosAlone } from './folder.ts';
import { migrate, migrationState } from './migrations.ts';
import { Queries } from './statements.ts';
import { type Swap, finishSwap } from './swap.ts';
import { type Patience, Transactions } from './transaction.ts';

// For momentary locks, such as another process opening the database.
const SHORT_BUSY_TIMEOUT_MS = 5;

/** An open data folder. */
export type Storage = ReturnType<typeof assemble>;

interface Opening {
  /** True for a replica, which only another process writes to. */
  readonly isReplica?: boolean;
  /** True for a server, which has locked the folder. */
  readonly isServer?: boolean;
  readonly patience?: Patience | undefined;
  /** Called when the storage is closed. */
  readonly release?: () => void;
}

/**
 * Opens a data folder whose database is current, creating it if missing. Throws a StorageError if migrations
 * are pending: they cannot be undone, so they are left to `catalogue migrate` or a start that makes a backup
 * first. With `patience`, writes wait by timer instead of sleeping.
 */
export function openStorage(folder: string, patience?: Patience): Storage {
  prepareFolder(folder);
  refusePhotosAlone(folder);
  return assemble(openDatabase(folder), folder, { patience });
}

/** Like `openStorage`, but throws a StorageError instead of creating a database. */
export function openExistingStorage(folder: string, patience?: Patience): Storage {
  return assemble(openExistingDatabase(folder), folder, { patience });
}

/**
 * Opens a replica, a data folder that only another process writes to. Throws a StorageError unless it has a
 * database of this version.
 */
export function openReplica(folder: string): Storage {
  return assemble(openForReading(databasePath(folder)), folder, { isReplica: true });
}

function assemble(
  connection: Connection,
  folder: string,
  { isReplica = false, isServer = false, patience, release }: Opening,
) {
  const abandon = (): void => {
    if (isReplica) connection.close();
    else abandonDatabase(connection);
    release?.();
  };
  const setBusyTimeout = (ms: number): void => {
    connection.pragma(`busy_timeout = ${String(ms)}`);
  };
  const checkpoint = (): boolean => connection.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0;
  try {
    const { version, pending } = migrationState(connection);
    const wasEmpty = !isReplica && version === 0;
    // False if another process made the same new database meanwhile.
    const isNew = wasEmpty && migrate(connection).length > 0;
    if (!wasEmpty && pending.length > 0)
      throw new StorageError(
        isReplica
          ? `the database in ${folder} is from an older version; bring the primary up to this version first`
          : `the database in ${folder} is from an older version; back it up, then run: catalogue migrate`,
      );
    const queries = new Queries(connection);
    const transactions = new Transactions(connection, { patience, isReadOnly: isReplica });
    /**
     * Makes writes wait by timer while another process writes. Otherwise SQLite sleeps, which blocks the event
     * loop.
     */
    const waitByTimer = (): void => {
      if (!isReplica) setBusyTimeout(SHORT_BUSY_TIMEOUT_MS);
    };
    /**
     * Commits waiting writes, checkpoints the write-ahead log unless the storage has failed, and closes the
     * database. The log is then empty, unless the disk is full, or a server also uses the database: a full checkpoint
     * waits for readers and blocks writers.
     */
    const close = (): void => {
      setBusyTimeout(BUSY_TIMEOUT_MS);
      transactions.flush();
      if (isReplica || transactions.hasFailed()) {
        abandon();
        return;
      }
      try {
        if (isServer || isServed(folder) === false) checkpoint();
        else connection.pragma('wal_checkpoint(PASSIVE)');
      } catch (error) {
        // On a full disk all acknowledged writes stay in the log, and the next start reads them there.
        if (storageFailure(error) !== 'full') throw error;
      }
      connection.close();
      release?.();
    };
    if (patience) waitByTimer();
    return {
      connection,
      queries,
      transactions,
      keys: keyStore(queries, isReplica),
      /** True if the database was just created. */
      isNew,
      close,
      /** Closes without touching the files, for damaged data; rejects waiting writes. */
      abandon,
      waitByTimer,
      /**
       * Moves the whole write-ahead log into the database and truncates it, so that no deleted data remains in it.
       * False while another connection reads an older state.
       */
      emptyLog: (): boolean => isReplica || checkpoint(),
    };
  } catch (error) {
    abandon();
    throw error;
  }
}

/**
 * Returns the 32-byte secret stored under a name, generating it on first use. If two processes generate the same key at
 * once, both get the one that was stored first. On a replica, a key that the primary has not generated yet is random,
 * and valid only in this process.
 */
function keyStore(queries: Queries, isReplica: boolean): (name: string) => Buffer {
  const sql = queries.file('storage');
  const insert = sql.prepare('insertKey');
  const select = sql.prepare<Buffer>('getKey').pluck();
  return (name) => {
    const known = select.get({ name });
    if (known) return known;
    const value = randomBytes(32);
    if (isReplica) return value;
    insert.run({ name, value });
    return select.get({ name }) ?? value;
  };
}

/**
 * Locks a data folder, so that no server uses it, and completes an interrupted restore. Throws a StorageError if a
 * server holds the lock.
 */
export function claimFolder(folder: string): { readonly swap: Swap; readonly release: () => void } {
  prepareFolder(folder);
  const release = lockFolder(folder);
  try {
    return { swap: finishSwap(folder), release };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Like `openStorage`, for a server that has claimed the folder. Closing or abandoning the storage, or a failure,
 * releases the lock.
 */
export function openClaimed(folder: string, release: () => void): Storage {
  refusePhotosAlone(folder);
  return assemble(openDatabase(folder), folder, { isServer: true, release });
}

/** Names of a folder's pending migrations; empty for a new database. The caller must hold its lock. */
export function pendingMigrations(folder: string): readonly string[] {
  const path = databasePath(folder);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return [];
  const connection = openDatabase(folder);
  try {
    const { version, pending } = migrationState(connection);
    return version === 0 ? [] : pending;
  } finally {
    abandonDatabase(connection);
  }
}

/**
 * Applies a folder's pending migrations, all or none, and returns their names. The caller must hold its lock.
 */
export function migrateFolder(folder: string): readonly string[] {
  const connection = openExistingDatabase(folder);
  try {
    return migrate(connection);
  } finally {
    connection.close();
  }
}

/**
 * Runs `work` with a data folder locked; passes it the outcome of an interrupted restore. Rejects with a StorageError
 * while a server runs, and with errors of `work`.
 */
export async function withOwnFolder<Result>(
  folder: string,
  work: (swap: Swap) => Result | Promise<Result>,
): Promise<Result> {
  const { swap, release } = claimFolder(folder);
  try {
    return await work(swap);
  } finally {
    release();
  }
}
