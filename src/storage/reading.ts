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
 * Opens a database file read-only while another process may write to it. If its folder is not writable, so that
 * the write-ahead log's files cannot be created, reads the whole file into memory instead. Throws a
 * StorageError if the file is missing, or for the reasons that `openDatabase` does.
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
  // A read-only connection would leave behind the log files it creates; a writable one removes them.
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

/** The database's bytes with WAL mode turned off in the header (SQLite file format, section 1.3.3). */
function withoutLog(path: string): Buffer {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0)
    throw new StorageError(`${path} is still being written: its log ${path}-wal is not empty`);
  const bytes = readFileSync(path);
  bytes.fill(1, 18, 20);
  return bytes;
}
