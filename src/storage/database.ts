import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { codeOf, reasonOf } from '../kit/system-error.ts';
import { databaseAdvice } from './failures.ts';
import { schemaFault } from './schema.ts';

export type Connection = Database.Database;

/** Identifies our files ("RCAT" in ASCII), so that another program's database is never opened by mistake. */
const APPLICATION_ID = 0x52434154;
/** How long a connection waits while another process writes. */
export const BUSY_TIMEOUT_MS = 5_000;

const FOLDER_IS_READ_ONLY = /^SQLITE_(CANTOPEN|READONLY_DIRECTORY)/;

/** The data is unusable, for a reason that an operator can fix. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** The path of the database in a data folder. */
export function databasePath(folder: string): string {
  return join(folder, 'catalogue.db');
}

/** Path of a restore's verified data. Once it exists, the restore can only be completed, not undone. */
export function restoredFolder(folder: string): string {
  return join(folder, 'restore.ready');
}

/**
 * Throws a StorageError during a restore: the old database may be gone, and an empty one must not replace it.
 */
export function refuseHalfRestored(folder: string): void {
  if (existsSync(restoredFolder(folder)))
    throw new StorageError(
      `a restore into ${folder} was cut short; it is completed by the next start of the service, or by: catalogue restore --finish`,
    );
}

/**
 * Opens the database of a data folder, creating it if missing, with every safety pragma set and verified. A
 * commit is on the disk when it returns. Throws a StorageError if the file is unusable, damaged, or another
 * program's.
 */
export function openDatabase(folder: string): Connection {
  return open(folder, false);
}

/** Like `openDatabase`, but throws a StorageError instead of creating a database. */
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

/** Turns an error from opening `path` into a StorageError. */
function openingError(error: unknown, path: string): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError(databaseAdvice(error, path) ?? `cannot open ${path}: ${reasonOf(error)}`);
}

/**
 * Closes a connection without touching the files. Normally the last writable connection checkpoints the
 * write-ahead log, here into a damaged file; a second open connection prevents that.
 */
export function abandonDatabase(connection: Connection): void {
  let other: Connection | undefined;
  try {
    other = new Database(connection.name, { readonly: true });
    other.pragma('application_id');
  } catch {
    // SQLite does not checkpoint the log of an unreadable database either.
  }
  connection.close();
  other?.close();
}

/** Refuses a damaged or foreign file before a writable connection is opened. */
function checkFirst(path: string): void {
  if (!existsSync(path) || statSync(path).size === 0) return;
  const connection = new Database(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    refuseForeignFile(connection, path);
  } catch (error) {
    // A process killed while creating the database left a rollback journal, which only a writable connection
    // can replay.
    if (codeOf(error)?.startsWith('SQLITE_READONLY') !== true) throw error;
  } finally {
    connection.close();
  }
}

/**
 * Set on every connection: SQLite would reopen a WAL database with `synchronous=NORMAL`, which loses
 * acknowledged writes in a power cut.
 */
function applyPragmas(connection: Connection): void {
  const settings: readonly (readonly [string, string, unknown])[] = [
    ['journal_mode', 'WAL', 'wal'],
    ['synchronous', 'FULL', 2],
    ['foreign_keys', 'ON', 1],
    ['trusted_schema', 'OFF', 0],
    ['cell_size_check', 'ON', 1],
    ['journal_size_limit', String(64 * 1024 * 1024), 64 * 1024 * 1024],
    // A commit waits for the checkpoint that it starts: of more pages it takes longer, of fewer it comes too often.
    ['wal_autocheckpoint', '1000', 1000],
    // Overwrites deleted content, so that what users erase does not survive in free pages.
    ['secure_delete', 'ON', 1],
    // In KiB. The rows of 100,000 restaurants just fit; with half as much, reading one of them took five times
    // as long.
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

/**
 * Throws a StorageError if SQLite is too old, the database belongs to another program, or its schema is not exactly that of
 * its version, before anything is written. Returns true for a new database.
 */
function refuseForeignFile(connection: Connection, path: string): boolean {
  const tooOld = sqliteFault(versionOf(connection));
  if (tooOld !== undefined) throw new StorageError(tooOld);
  const id: unknown = connection.pragma('application_id', { simple: true });
  if (id === APPLICATION_ID) {
    const fault = schemaFault(connection);
    if (fault !== undefined) throw new StorageError(fault);
    return false;
  }
  const isEmpty = connection.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (id !== 0 || !isEmpty) throw new StorageError(`${path} is not a database of this service`);
  return true;
}

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

export function sqliteVersion(): string {
  const connection = new Database(':memory:');
  try {
    return versionOf(connection);
  } finally {
    connection.close();
  }
}

function versionOf(connection: Connection): string {
  return String(connection.prepare('SELECT sqlite_version()').pluck().get());
}

/**
 * Why a version of SQLite, such as that of a driver that was replaced by hand, is refused: in older ones a crafted file can do
 * harm. Undefined for a version that is new enough.
 */
export function sqliteFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSound = major > 3 || (major === 3 && minor >= 54);
  return isSound ? undefined : `SQLite ${version} is too old, 3.54 or later is needed: run npm ci`;
}
