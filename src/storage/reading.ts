import { existsSync, readFileSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import {
  BUSY_TIMEOUT_MS,
  type Connection,
  StorageError,
  openingError,
  refuseForeignFile,
} from './database.ts';

const FOLDER_IS_READ_ONLY = /^SQLITE_(CANTOPEN|READONLY_DIRECTORY)/;

/**
 * Opens a database file for reading alone, while another process may write it. Where its folder cannot be written, as the
 * write-ahead log of a file in use needs, all of the file is read into memory. Throws a StorageError when there is none,
 * or as `openDatabase` does.
 */
export function openForReading(path: string): Connection {
  let connection: Connection | undefined;
  try {
    connection = openUnwritten(path);
    for (const setting of [
      'query_only = ON',
      'trusted_schema = OFF',
      'cell_size_check = ON',
      'temp_store = MEMORY',
    ])
      connection.pragma(setting);
    if (refuseForeignFile(connection, path)) throw new StorageError(`${path} is empty`);
    return connection;
  } catch (error) {
    connection?.close();
    const isMissing = !(error instanceof StorageError) && !existsSync(path);
    throw isMissing
      ? new StorageError(`there is no catalogue: ${path} is missing`)
      : openingError(error, path);
  }
}

function openUnwritten(path: string): Connection {
  // A connection that may only read leaves behind the files of the log that it has to make; another one removes them.
  const readonly = existsSync(`${path}-wal`);
  const connection = new Database(path, { readonly, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    connection.pragma('schema_version');
    return connection;
  } catch (error) {
    connection.close();
    const needsFolder = error instanceof Database.SqliteError && FOLDER_IS_READ_ONLY.test(error.code);
    if (!needsFolder) throw error;
    return new Database(withoutLog(path), { readonly: true });
  }
}

/** The bytes of a database as one that needs no write-ahead log (SQLite file format, section 1.3.3). */
function withoutLog(path: string): Buffer {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0)
    throw new StorageError(`${path} is still being written: its log ${path}-wal is not empty`);
  const bytes = readFileSync(path);
  bytes.fill(1, 18, 20);
  return bytes;
}
