import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { reasonOf } from '../kit/system-error.ts';
import { type Connection, StorageError } from './database.ts';

/**
 * Lets only one server at a time use a data folder. The lock belongs to the operating system, through SQLite on
 * a separate file, so it ends with the process, even after a crash. Returns the function that releases it.
 * Throws a StorageError if another server holds it.
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'server.lock');
  // Longer than `isServed` in another process needs.
  const connection = new Database(path, { timeout: 200 });
  try {
    connection.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new StorageError(`another server is running on the data folder ${folder}`);
    throw new StorageError(
      `cannot lock the data folder ${folder}: ${reasonOf(error)}; when no server runs there, remove ${path}`,
    );
  }
  return () => {
    connection.close();
  };
}

/**
 * True if a server holds the lock of a data folder; undefined if that cannot be determined. Creates no file.
 */
export function isServed(folder: string): boolean | undefined {
  const path = join(folder, 'server.lock');
  if (!existsSync(path)) return false;
  let connection: Connection | undefined;
  try {
    connection = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
    connection.pragma('schema_version');
    return false;
  } catch (error) {
    const isHeld = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
    return isHeld ? true : undefined;
  } finally {
    connection?.close();
  }
}
