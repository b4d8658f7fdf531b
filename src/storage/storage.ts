import { statSync } from 'node:fs';
import {
  BUSY_TIMEOUT_MS,
  type Connection,
  abandonDatabase,
  databasePath,
  openDatabase,
  openExistingDatabase,
  prepareFolder,
  StorageError,
} from './database.ts';
import { storageFailure } from './failures.ts';
import { isServed, lockFolder } from './lock.ts';
import { openForReading } from './reading.ts';
import { type KeyStore, createKeyReader, createKeyStore } from './keys.ts';
import { migrate, migrationState } from './migrations.ts';
import { type Queries, loadQueries } from './statements.ts';
import { refusePhotosAlone } from './stray-photos.ts';
import { type Swap, finishSwap } from './swap.ts';
import { type Patience, type Transactions, ReadTransactions, WriteTransactions } from './transaction.ts';

/** An open data folder. */
export interface Storage {
  readonly connection: Connection;
  readonly queries: Queries;
  readonly transactions: Transactions;
  readonly keys: KeyStore;
  /** True if the database was just created. */
  readonly isNew: boolean;
  /**
   * Commits waiting writes, checkpoints the write-ahead log unless the storage has failed, and closes the
   * database. The log is then empty, unless the disk is full, or a server also uses the database: it must not
   * wait for this process to close.
   */
  readonly close: () => void;
  /** Closes without touching the files, for damaged data; rejects waiting writes. */
  readonly abandon: () => void;
  /**
   * Makes writes wait by timer while another process writes. Otherwise SQLite sleeps, which blocks the event
   * loop.
   */
  readonly waitByTimer: () => void;
  /**
   * Moves the whole write-ahead log into the database and truncates it, so that no deleted data remains in it.
   * False while another connection reads an older state.
   */
  readonly emptyLog: () => boolean;
}

// For momentary locks, such as another process opening the database.
const SHORT_BUSY_TIMEOUT_MS = 5;

/**
 * Opens a data folder whose database is current, creating it if missing. Throws a StorageError if migrations
 * are pending: they cannot be undone, so they are left to `catalogue migrate` or a start that makes a backup
 * first. With `patience`, writes wait by timer instead of sleeping.
 */
export function openStorage(folder: string, patience?: Patience): Storage {
  prepareFolder(folder);
  refusePhotosAlone(folder);
  return assemble(openDatabase(folder), folder, checkpointPolitely(folder), patience);
}

/** Like `openStorage`, but throws a StorageError instead of creating a database. */
export function openExistingStorage(folder: string, patience?: Patience): Storage {
  return assemble(openExistingDatabase(folder), folder, checkpointPolitely(folder), patience);
}

type Checkpoint = (connection: Connection) => unknown;

function checkpointWhole(connection: Connection): boolean {
  return connection.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0;
}

/**
 * A full checkpoint waits for readers and blocks writers, so while a server runs only a passive one is done.
 */
function checkpointPolitely(folder: string): Checkpoint {
  return (connection) => {
    if (isServed(folder) === false) checkpointWhole(connection);
    else connection.pragma('wal_checkpoint(PASSIVE)');
  };
}

/** On a full disk all acknowledged writes stay in the log, and the next start reads them there. */
function checkpointIfRoom(connection: Connection, checkpoint: Checkpoint): void {
  try {
    checkpoint(connection);
  } catch (error) {
    if (storageFailure(error) !== 'full') throw error;
  }
}

function assemble(
  connection: Connection,
  folder: string,
  checkpoint: Checkpoint,
  patience?: Patience,
): Storage {
  try {
    const { version, pending } = migrationState(connection);
    const isNew = version === 0 && migrate(connection).length > 0;
    if (version > 0 && pending.length > 0)
      throw new StorageError(
        `the database in ${folder} is from an older version; back it up, then run: catalogue migrate`,
      );
    const queries = loadQueries(connection);
    const transactions = new WriteTransactions(connection, patience);
    const abandon = (): void => {
      abandonDatabase(connection);
    };
    const close = (): void => {
      connection.pragma(`busy_timeout = ${String(BUSY_TIMEOUT_MS)}`);
      transactions.flush();
      if (transactions.hasFailed()) abandon();
      else {
        checkpointIfRoom(connection, checkpoint);
        connection.close();
      }
    };
    const waitByTimer = (): void => {
      connection.pragma(`busy_timeout = ${String(SHORT_BUSY_TIMEOUT_MS)}`);
    };
    const keys = createKeyStore(queries);
    const emptyLog = (): boolean => checkpointWhole(connection);
    if (patience) waitByTimer();
    return { connection, queries, transactions, keys, isNew, close, abandon, waitByTimer, emptyLog };
  } catch (error) {
    abandonDatabase(connection);
    throw error;
  }
}

/** A data folder that a server has locked, before its database is opened. */
export interface ClaimedFolder {
  /** Names of the pending migrations; empty for a new database, which `open` creates. */
  readonly pending: () => readonly string[];
  /** Applies them, all or none, and returns their names. */
  readonly migrate: () => readonly string[];
  /** Like `openStorage`. Closing or abandoning the storage releases the lock. */
  readonly open: () => Storage;
  /** Releases the lock of a folder that was not opened. */
  readonly release: () => void;
}

/**
 * Locks a data folder for a server and completes an interrupted restore. Throws a StorageError if another
 * server holds the lock or the database is unusable.
 */
export function claimFolder(folder: string): ClaimedFolder {
  prepareFolder(folder);
  const release = lockFolder(folder);
  try {
    finishSwap(folder);
    return {
      pending: () => readPending(folder),
      migrate: () => migrateFolder(folder),
      open: () => {
        refusePhotosAlone(folder);
        const storage = assemble(openDatabase(folder), folder, checkpointWhole);
        const andRelease = (letGo: () => void) => (): void => {
          letGo();
          release();
        };
        return { ...storage, close: andRelease(storage.close), abandon: andRelease(storage.abandon) };
      },
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

function readPending(folder: string): readonly string[] {
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
 * Runs `work` with a data folder locked, so that no server uses it. First completes an interrupted restore and
 * passes the outcome to `work`. Rejects with a StorageError while a server runs, and with errors of `work`.
 */
export async function withOwnFolder<Result>(
  folder: string,
  work: (swap: Swap) => Result | Promise<Result>,
): Promise<Result> {
  prepareFolder(folder);
  const release = lockFolder(folder);
  try {
    return await work(finishSwap(folder));
  } finally {
    release();
  }
}

/**
 * Opens a replica, a data folder that only another process writes to. Throws a StorageError unless it has a
 * database of this version.
 */
export function openReplica(folder: string): Storage {
  const connection = openForReading(databasePath(folder));
  try {
    if (migrationState(connection).pending.length > 0)
      throw new StorageError(
        `the database in ${folder} is from an older version; bring the primary up to this version first`,
      );
    const queries = loadQueries(connection);
    const transactions = new ReadTransactions(connection);
    const close = (): void => {
      connection.close();
    };
    const keys = createKeyReader(queries);
    const closing = { close, abandon: close, waitByTimer: () => undefined, emptyLog: () => true };
    return { connection, queries, transactions, keys, isNew: false, ...closing };
  } catch (error) {
    connection.close();
    throw error;
  }
}
