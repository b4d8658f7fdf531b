import {
  type Connection,
  databasePath,
  lockFolder,
  openDatabase,
  openForReading,
  prepareFolder,
  StorageError,
} from './database.ts';
import { type KeyStore, createKeyReader, createKeyStore } from './keys.ts';
import { migrate, migrationState } from './migrations.ts';
import { type Queries, loadQueries } from './statements.ts';
import { finishSwap } from './swap.ts';
import { type Transactions, createReadTransactions, createTransactions } from './transaction.ts';

/** An open data folder: what the rooms of the house are given of it. */
export interface Storage {
  readonly connection: Connection;
  readonly queries: Queries;
  readonly transactions: Transactions;
  readonly keys: KeyStore;
  /** Brings the write-ahead log into the database file and lets go of both. */
  readonly close: () => void;
}

/**
 * Opens a data folder whose database is up to date; a new one is made on the way. Throws a StorageError otherwise:
 * an older database is migrated on purpose, with `catalogue migrate`, since there is no way back.
 */
export function openStorage(folder: string): Storage {
  prepareFolder(folder);
  const connection = openDatabase(folder);
  try {
    const { version, pending } = migrationState(connection);
    if (version === 0) migrate(connection);
    else if (pending.length > 0)
      throw new StorageError(
        `the database in ${folder} is from an older version; back it up, then run: catalogue migrate`,
      );
    const queries = loadQueries(connection);
    return {
      connection,
      queries,
      transactions: createTransactions(connection),
      keys: createKeyStore(queries),
      close: () => {
        connection.pragma('wal_checkpoint(TRUNCATE)');
        connection.close();
      },
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The same for a server, which has the folder to itself until it closes. Completes a restore that was cut short. */
export function openServedStorage(folder: string): Storage {
  prepareFolder(folder);
  const lock = lockFolder(folder);
  try {
    finishSwap(folder);
    const storage = openStorage(folder);
    return {
      ...storage,
      close: () => {
        storage.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Opens a data folder in which nothing is written: a replica, kept up to date by somebody else. Throws a StorageError
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
    return {
      connection,
      queries,
      transactions: createReadTransactions(connection),
      keys: createKeyReader(queries),
      close: () => {
        connection.close();
      },
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}
