import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { codeOf, databaseAdvice } from './failures.ts';

export type Connection = Database.Database;

/** Marks a file as a restaurant catalogue ("RCAT" in ASCII), so that no other program's database is taken for one. */
const APPLICATION_ID = 0x52434154;
const BUSY_TIMEOUT_MS = 5_000;
const FOLDER_IS_READ_ONLY = /^SQLITE_(CANTOPEN|READONLY_DIRECTORY)/;

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

/** Makes the data folder, for its owner alone. Throws a StorageError when that cannot be done. */
export function prepareFolder(folder: string): void {
  try {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StorageError(`cannot make the data folder ${folder}: ${reason(error)}`);
  }
}

/**
 * Opens the database of a data folder with every safety set and read back. A commit is on the disk when it returns.
 * Throws a StorageError when the file cannot be used, is damaged, or belongs to another program.
 */
export function openDatabase(folder: string): Connection {
  const path = databasePath(folder);
  refuseHalfRestored(folder);
  let connection: Connection | undefined;
  try {
    lookFirst(path);
    connection = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    const isNew = refuseForeignFile(connection, path);
    chmodSync(path, 0o600);
    applyPragmas(connection);
    if (isNew) connection.pragma(`application_id = ${String(APPLICATION_ID)}`);
    return connection;
  } catch (error) {
    if (connection) abandonDatabase(connection);
    if (error instanceof StorageError) throw error;
    throw new StorageError(databaseAdvice(error, path) ?? `cannot open ${path}: ${reason(error)}`);
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

/**
 * Opens a database file for reading alone, beside whoever writes it. Where its folder cannot be written, which the
 * write-ahead log of a file that is in use wants, all of the file is taken into memory. Throws a StorageError when there
 * is none, or as `openDatabase` does.
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
    if (error instanceof StorageError) throw error;
    if (!existsSync(path)) throw new StorageError(`there is no catalogue: ${path} is missing`);
    throw new StorageError(`cannot open ${path}: ${reason(error)}`);
  }
}

function openUnwritten(path: string): Connection {
  // A connection that may only read leaves the files of the log behind that it has to make; another removes them.
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

/** SQLite reopens a WAL database with `synchronous=NORMAL`, which loses acknowledged writes at a power cut. */
function applyPragmas(connection: Connection): void {
  const settings: readonly (readonly [string, string, unknown])[] = [
    ['journal_mode', 'WAL', 'wal'],
    ['synchronous', 'FULL', 2],
    ['foreign_keys', 'ON', 1],
    ['trusted_schema', 'OFF', 0],
    ['cell_size_check', 'ON', 1],
    ['journal_size_limit', String(64 * 1024 * 1024), 64 * 1024 * 1024],
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

/** Before anything is written to the file. Gives whether it is a new one. */
function refuseForeignFile(connection: Connection, path: string): boolean {
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

/** Copies the database of one data folder, as it is at this moment, into another; nothing where there is none. */
export function copyDatabase(from: string, to: string): void {
  refuseHalfRestored(from);
  if (!existsSync(databasePath(from))) return;
  const connection = openDatabase(from);
  try {
    connection.prepare('VACUUM INTO ?').run(databasePath(to));
  } finally {
    connection.close();
  }
}

/** A held lock on a data folder; it ends with the process, however that ends. */
export interface FolderLock {
  readonly release: () => void;
}

/**
 * Lets one server at a time serve a data folder. The lock is the operating system's, taken through SQLite on a file
 * of its own: nothing stale is left behind by a crash. Throws a StorageError when another server holds it.
 */
export function lockFolder(folder: string): FolderLock {
  const path = join(folder, 'server.lock');
  // Longer than it takes somebody to look whether it is held.
  const connection = new Database(path, { timeout: 200 });
  try {
    connection.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new StorageError(`another server is running on the data folder ${folder}`);
    throw new StorageError(
      `cannot lock the data folder ${folder}: ${reason(error)}; when no server runs there, remove ${path}`,
    );
  }
  return {
    release: () => {
      connection.close();
    },
  };
}

/** Whether a server holds the lock of a data folder; undefined when that cannot be told. Makes no file. */
export function isServed(folder: string): boolean | undefined {
  const path = join(folder, 'server.lock');
  if (!existsSync(path)) return false;
  let connection: Connection | undefined;
  try {
    connection = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
    connection.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    const isHeld = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
    return isHeld ? true : undefined;
  } finally {
    connection?.close();
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
