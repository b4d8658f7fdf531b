import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { codeOf, reasonOf } from '../kit/system-error.ts';
import { databaseAdvice } from './failures.ts';
import { makeFolder } from './folder.ts';

export type Connection = Database.Database;

/** Marks a file as a restaurant catalogue ("RCAT" in ASCII), so that no other program's database is taken for one. */
const APPLICATION_ID = 0x52434154;
/** How long a connection waits for another process that is writing. */
export const BUSY_TIMEOUT_MS = 5_000;

/** The data cannot be used, for a reason that an operator can act on. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** The database file of a data folder. */
export function databasePath(folder: string): string {
  return join(folder, 'catalogue.db');
}

/** The verified data of a restore; once it is renamed to this, the restore is only ever completed. */
export function restoredFolder(folder: string): string {
  return join(folder, 'restore.ready');
}

/** Throws a StorageError in the middle of a restore, when the old database may be gone and no empty one must be started. */
export function refuseHalfRestored(folder: string): void {
  if (existsSync(restoredFolder(folder)))
    throw new StorageError(
      `a restore into ${folder} was cut short; it is completed by the next start of the service, or by: catalogue restore --finish`,
    );
}

/** Makes the data folder, for its owner alone. Throws a StorageError when that cannot be done, or when it is a file. */
export function prepareFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new StorageError(`cannot make the data folder ${folder}: ${reasonOf(error)}`);
  }
}

/**
 * Opens the database of a data folder with every safety set and read back, and makes it when it is not there. A commit
 * is on the disk when it returns. Throws a StorageError when the file cannot be used, is damaged, or belongs to another
 * program.
 */
export function openDatabase(folder: string): Connection {
  return open(folder, false);
}

/** The same for a database that must exist. Throws a StorageError where there is none, and makes no file. */
export function openExistingDatabase(folder: string): Connection {
  return open(folder, true);
}

function open(folder: string, mustExist: boolean): Connection {
  const path = databasePath(folder);
  refuseHalfRestored(folder);
  let connection: Connection | undefined;
  try {
    checkFirst(path);
    if (mustExist && !existsSync(path)) throw new StorageError(`there is no catalogue: ${path} is missing`);
    connection = new Database(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: mustExist });
    const isNew = refuseForeignFile(connection, path);
    if (isNew && mustExist) throw new StorageError(`there is no catalogue: ${path} is empty`);
    chmodSync(path, 0o600);
    applyPragmas(connection);
    if (isNew) connection.pragma(`application_id = ${String(APPLICATION_ID)}`);
    return connection;
  } catch (error) {
    if (connection) abandonDatabase(connection);
    throw openingError(error, path);
  }
}

/** The StorageError for an error of opening `path`. */
export function openingError(error: unknown, path: string): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError(databaseAdvice(error, path) ?? `cannot open ${path}: ${reasonOf(error)}`);
}

/**
 * Closes a connection and leaves the files as they are. The last one that may write would checkpoint the write-ahead log
 * into a file that is damaged; while another one is open it is not the last.
 */
export function abandonDatabase(connection: Connection): void {
  let other: Connection | undefined;
  try {
    other = new Database(connection.name, { readonly: true });
    other.pragma('application_id');
  } catch {
    // The log of a database that cannot be read is not checkpointed either.
  }
  connection.close();
  other?.close();
}

/** Refuses a damaged or foreign file before there is a connection that may write to it. */
function checkFirst(path: string): void {
  if (!existsSync(path) || statSync(path).size === 0) return;
  const connection = new Database(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    refuseForeignFile(connection, path);
  } catch (error) {
    // A process that was killed over a new database has left changes to undo first, by a connection that may write.
    if (codeOf(error)?.startsWith('SQLITE_READONLY') !== true) throw error;
  } finally {
    connection.close();
  }
}

/** SQLite reopens a WAL database with `synchronous=NORMAL`, which loses acknowledged writes at a power cut. */
function applyPragmas(connection: Connection): void {
  const settings: readonly (readonly [string, string, unknown])[] = [
    ['journal_mode', 'WAL', 'wal'],
    ['synchronous', 'FULL', 2],
    ['foreign_keys', 'ON', 1],
    ['trusted_schema', 'OFF', 0],
    ['cell_size_check', 'ON', 1],
    ['journal_size_limit', String(64 * 1024 * 1024), 64 * 1024 * 1024],
    // Writes that follow each other soon are checkpointed together: a quarter of the work of 1,000 pages.
    ['wal_autocheckpoint', '4000', 4000],
    // Deleted content is overwritten: what users erase or purge must not be left in free pages.
    ['secure_delete', 'ON', 1],
    // In KiB. With 100,000 restaurants their rows just fit; half of it made reading one of them take five times as long.
    ['cache_size', '-8000', -8000],
    ['mmap_size', '0', 0],
    ['temp_store', 'MEMORY', 2],
  ];
  for (const [name, value, expected] of settings) {
    connection.pragma(`${name} = ${value}`);
    const actual: unknown = connection.pragma(name, { simple: true });
    if (actual !== expected)
      throw new StorageError(`the database refuses ${name}=${value} (it is ${String(actual)})`);
  }
}

/** Throws a StorageError for the database of another program, before anything is written. Returns whether it is a new one. */
export function refuseForeignFile(connection: Connection, path: string): boolean {
  const id: unknown = connection.pragma('application_id', { simple: true });
  if (id === APPLICATION_ID) return false;
  const tables = connection.prepare<[], { name: string }>('SELECT name FROM sqlite_schema LIMIT 1').all();
  if (id !== 0 || tables.length > 0) throw new StorageError(`${path} is not a database of this service`);
  return true;
}

/** The version of SQLite in this program. */
export function sqliteVersion(): string {
  const connection = new Database(':memory:');
  try {
    return String(connection.prepare('SELECT sqlite_version()').pluck().get());
  } finally {
    connection.close();
  }
}
