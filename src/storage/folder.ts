import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { codeOf, reasonOf } from '../kit/system-error.ts';
import { type Connection, StorageError, databasePath } from './database.ts';

/**
 * Creates the data folder with access for its owner only. Throws a StorageError if that fails or the path is a
 * file.
 */
export function prepareFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new StorageError(`cannot make the data folder ${folder}: ${reasonOf(error)}`);
  }
}

/**
 * Creates a folder and its missing parents with access for their owner only; an existing folder stays as it is.
 * Throws the system's error, or an error whose message is readable. `mkdirSync` with `recursive` would never
 * return on file systems such as /proc, where folders cannot be created.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  let path = folder;
  let status = statSync(path, { throwIfNoEntry: false });
  while (status === undefined && path !== dirname(path)) {
    missing.unshift(path);
    path = dirname(path);
    status = statSync(path, { throwIfNoEntry: false });
  }
  if (status?.isDirectory() !== true) throw new Error(`${path} is a file, not a folder`);
  for (const one of missing)
    try {
      mkdirSync(one, { mode: 0o700 });
    } catch (error) {
      // Another process may just have created it.
      const isThere = statSync(one, { throwIfNoEntry: false })?.isDirectory() === true;
      if (codeOf(error) === 'EEXIST' && isThere) continue;
      if (codeOf(error) === 'ENOENT')
        throw new Error(`no folder can be made in ${dirname(one)}`, { cause: error });
      throw error;
    }
}

/** Flushes a file or folder to disk. A new name survives a power cut only once its folder is flushed. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

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

const PREFIX = /^[0-9a-f]{2}$/;

/**
 * Throws a StorageError for a data folder that contains photos but no database. Startup deletes photo files
 * that no row refers to, so a new database would cost an operator who has yet to restore the old one all
 * photos.
 */
export function refusePhotosAlone(folder: string): void {
  if ((statSync(databasePath(folder), { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const photos = join(folder, 'photos');
  if (namesIn(photos).some((name) => PREFIX.test(name) && namesIn(join(photos, name)).length > 0))
    throw new StorageError(
      `there are photos in ${photos}, but ${databasePath(folder)} is missing: put it back (catalogue restore), or move the photos away for a new catalogue`,
    );
}

/** Empty if the folder is missing; other faults surface when it is used. */
function namesIn(path: string): readonly string[] {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(path) : [];
}
