import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { reasonOf } from '../system-error.ts';
import { codeOf, databaseAdvice } from './failures.ts';
import { makeFolder } from './folder.ts';

export type Connection = Database.Database;

/** Marks a file as a restaurant catalogue ("RCAT" in ASCII), so that no other program's database is taken for one. */
const APPLICATION_ID = 0x52434154;
/** How long a connection waits for another process that is writing. */
export const BUSY_TIMEOUT_MS = 5_000;

/** What keeps the service from its data, told so that an operator can act on it. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** The database file of a data folder. */
export function databasePath(folder: string): string {
  return join(folder, 'catalogue.db');
}

/** What a restore has put together and verified; from its renaming to this on, the restore is only ever completed. */
export function restoredFolder(folder: string): string {
  return join(folder, 'restore.ready');
}

/** Throws a StorageError in the middle of a restore, when the old database may be gone and nobody must begin an empty one. */
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

/** The same for a database that must be there: a StorageError where none is, and no file is made. */
export function openExistingDatabase(folder: string): Connection {
  return open(folder, true);
}

function open(folder: string, mustExist: boolean): Connection {
  const path = databasePath(folder);
  refuseHalfRestored(folder);
  let connection: Connection | undefined;
  try {
    lookFirst(path);
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
    if (error instanceof StorageError) throw error;
    throw new StorageError(databaseAdvice(error, path) ?? `cannot open ${path}: ${reasonOf(error)}`);
  }
}

/**
 * Closes a connection and leaves the files as they are. The last one that may write would bring the write-ahead log into
 * the file, which is wrong for one that is damaged; beside another one it is not the last.
 */
export function abandonDatabase(connection: Connection): void {
  let beside: Connection | undefined;
  try {
    beside = new Database(connection.name, { readonly: true });
    beside.pragma('application_id');
  } catch {
    // What cannot be read has no log that could be brought in either.
  }
  connection.close();
  beside?.close();
}

/** Refuses a file that is damaged or not ours before there is a connection that may write to it. */
function lookFirst(path: string): void {
  if (!existsSync(path) || statSync(path).size === 0) return;
  const connection = new Database(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    refuseForeignFile(connection, path);
  } catch (error) {
    // A process that was killed over a new database has left something to be undone first, by one that may write.
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
    // A write that is followed by others soon is brought into the file with them: a quarter of the work of 1,000 pages.
    ['wal_autocheckpoint', '4000', 4000],
    // In KiB. With 100,000 restaurants their rows just fit; half of it made reading one of them take five times as long.
    ['cache_size', '-32000', -32000],
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

/** Throws a StorageError for the database of another program, before anything is written. Gives whether it is a new one. */
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
