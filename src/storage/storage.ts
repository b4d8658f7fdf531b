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

/** An open data folder, as the modules use it. */
export interface Storage {
  readonly connection: Connection;
  readonly queries: Queries;
  readonly transactions: Transactions;
  readonly keys: KeyStore;
  /** Whether the database was made just now. */
  readonly isNew: boolean;
  /**
   * Stores the writes that wait, checkpoints the write-ahead log unless the storage has failed, and closes both. The log
   * is empty then, unless the disk is full or a server uses it too, which must not wait for the close of another process.
   */
  readonly close: () => void;
  /** Closes both as they are, for data that turned out to be damaged; writes that wait are rejected. */
  readonly abandon: () => void;
  /**
   * From now on no statement sleeps until another process has finished writing, which would stop the event loop: writes
   * wait by timer instead.
   */
  readonly waitByTimer: () => void;
  /**
   * Moves all of the write-ahead log into the database and empties its file, so that nothing deleted is left in it. False
   * while another connection reads an older state.
   */
  readonly emptyLog: () => boolean;
}

// For locks of a moment, such as that of another process opening the database.
const SHORT_BUSY_TIMEOUT_MS = 5;

/**
 * Opens a data folder whose database is up to date; a missing one is made. Throws a StorageError otherwise: there
 * is no way back from a migration, so it is left to a start that makes a backup first, or to `catalogue migrate`. With a
 * `patience` writes wait by timer while another process writes, instead of sleeping.
 */
export function openStorage(folder: string, patience?: Patience): Storage {
  prepareFolder(folder);
  refusePhotosAlone(folder);
  return assemble(openDatabase(folder), folder, checkpointPolitely(folder), patience);
}

/** The same for a catalogue that must exist. Throws a StorageError where there is none, and makes nothing. */
export function openExistingStorage(folder: string, patience?: Patience): Storage {
  return assemble(openExistingDatabase(folder), folder, checkpointPolitely(folder), patience);
}

type Checkpoint = (connection: Connection) => unknown;

function checkpointWhole(connection: Connection): boolean {
  return connection.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0;
}

/** A whole checkpoint waits for readers and blocks writers; while a server runs, only as much is done as disturbs no one. */
function checkpointPolitely(folder: string): Checkpoint {
  return (connection) => {
    if (isServed(folder) === false) checkpointWhole(connection);
    else connection.pragma('wal_checkpoint(PASSIVE)');
  };
}

/** On a full disk all that was acknowledged stays in the log, and the next start reads it there. */
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

/** A data folder whose lock a server holds, before its database is opened. */
export interface ClaimedFolder {
  /** Names of the migrations that its database lacks; none for a new one, which is made by `open`. */
  readonly pending: () => readonly string[];
  /** Applies them, all or none, and returns their names. */
  readonly migrate: () => readonly string[];
  /** As `openStorage`. The lock is released when the storage is closed or abandoned. */
  readonly open: () => Storage;
  /** Releases the lock of a folder that was not opened. */
  readonly release: () => void;
}

/**
 * Takes the lock of a data folder for a server, and completes a restore that was cut short. Throws a StorageError when
 * another server has it, or when its database cannot be used.
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

/** Applies what the database of a folder lacks, all or none. The lock of the folder must be held. Returns the names. */
export function migrateFolder(folder: string): readonly string[] {
  const connection = openExistingDatabase(folder);
  try {
    return migrate(connection);
  } finally {
    connection.close();
  }
}

/**
 * Runs `work` on a data folder that no server uses meanwhile, after a restore that was cut short is completed; `work` is
 * called with the outcome of that. Rejects with a StorageError while a server runs, and with errors of `work`.
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
 * Opens a data folder in which nothing is written: a replica, whose data another process updates. Throws a StorageError
 * when there is no database of this version of the service.
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
