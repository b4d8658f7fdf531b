import Database from 'better-sqlite3';
import { codeOf } from '../kit/system-error.ts';
import { driverAdvice } from './driver.ts';

/**
 * `full`: no space on the disk; `failed`: the disk or the file is broken; `busy`: another process is writing;
 * `exhausted`: no file could be opened, most often since too many are. Only `failed` leaves in doubt what is stored.
 */
export type StorageFailure = 'full' | 'failed' | 'busy' | 'exhausted';

/** The kind of storage failure that `error` is, by the code of the driver or the system; undefined when it is none. */
export function storageFailure(error: unknown): StorageFailure | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  // The driver has a code of its own for a full disk when it is the index of the write-ahead log that finds no space.
  if (/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/.test(code)) return 'full';
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy';
  if (/^(EMFILE|ENFILE|SQLITE_CANTOPEN.*)$/.test(code)) return 'exhausted';
  if (/^(SQLITE_(IOERR|CORRUPT|NOTADB|READONLY)|EIO$|EROFS$)/.test(code)) return 'failed';
  return undefined;
}

/** Whether `error` shows that the database itself is broken, and not just the file of a photo. */
export function isDatabaseFailure(error: unknown): boolean {
  return error instanceof Database.SqliteError && storageFailure(error) === 'failed';
}

/**
 * The message to the operator for an error of `database`, or of the driver, that stops a command, in one line; undefined
 * when `error` is of another kind.
 */
export function databaseAdvice(error: unknown, database: string): string | undefined {
  if (!(error instanceof Database.SqliteError)) return driverAdvice(error);
  const { code } = error;
  // The driver quotes statements of the schema, which have lines of their own.
  const message = error.message.replace(/\s+/g, ' ').slice(0, MAX_REASON);
  if (storageFailure(error) === 'full') return `no space on the disk of ${database}: free some and try again`;
  if (storageFailure(error) === 'busy') return `${database} is in use by another process: ${message}`;
  if (code.startsWith('SQLITE_IOERR'))
    return `${database} cannot be read or written: ${message}; look after its disk`;
  if (/^SQLITE_(CANTOPEN|READONLY)/.test(code))
    return `${database} cannot be opened: ${message}; who runs this must own it and its folder`;
  // Our statements fail for other reasons only on a database that is not as it was made.
  return `${database} is damaged: ${message}; ${DAMAGE_ADVICE}`;
}

const MAX_REASON = 200;
const DAMAGE_ADVICE = 'put a backup in its place (catalogue restore), and keep this one for catalogue check';

/** Whether `error` is a broken UNIQUE constraint: the net under the checks that name the duplicate. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE';
}
