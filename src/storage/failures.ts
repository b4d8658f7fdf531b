import Database from 'better-sqlite3';
import { codeOf } from '../kit/system-error.ts';

/**
 * `full`: the disk is full; `failed`: the disk or the file is broken; `busy`: another process is writing;
 * `exhausted`: a file could not be opened, usually because too many are open. Only after `failed` is it unknown
 * what was stored.
 */
export type StorageFailure = 'full' | 'failed' | 'busy' | 'exhausted';

const MISFIT = /^(?:unknown function|no such (?:column|function|table)|near "|unrecognized token)/;

/** Classifies an error by its driver or system code; undefined if it is not a storage failure. */
export function storageFailure(error: unknown): StorageFailure | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  // The driver reports a full disk with another code if it was the write-ahead log's index that ran out of
  // space.
  if (/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/.test(code)) return 'full';
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy';
  if (/^(EMFILE|ENFILE|SQLITE_CANTOPEN.*)$/.test(code)) return 'exhausted';
  if (/^(SQLITE_(IOERR|CORRUPT|NOTADB|READONLY)|EIO$|EROFS$)/.test(code)) return 'failed';
  // Our statements are sound, so the schema that one of them or a trigger does not fit is damaged.
  const isMisfit = code === 'SQLITE_ERROR' && error instanceof Error && MISFIT.test(error.message);
  return isMisfit ? 'failed' : undefined;
}

/** True if the database itself is broken, and not just a photo's file. */
export function isDatabaseFailure(error: unknown): boolean {
  return error instanceof Database.SqliteError && storageFailure(error) === 'failed';
}

/**
 * A one-line message for the operator if a command failed because of `database` or the driver; undefined for
 * other errors.
 */
export function databaseAdvice(error: unknown, database: string): string | undefined {
  if (!(error instanceof Database.SqliteError)) return driverAdvice(error);
  const { code } = error;
  // The driver quotes schema statements, which may span lines.
  const message = error.message.replace(/\s+/g, ' ').slice(0, MAX_REASON);
  if (storageFailure(error) === 'full') return `no space on the disk of ${database}: free some and try again`;
  if (storageFailure(error) === 'busy') return `${database} is in use by another process: ${message}`;
  if (code.startsWith('SQLITE_IOERR'))
    return `${database} cannot be read or written: ${message}; check its disk`;
  if (/^SQLITE_(CANTOPEN|READONLY)/.test(code))
    return `${database} cannot be opened: ${message}; the user that runs this must own the file and its folder`;
  // Any other failure of our statements means that the schema is not the one we created.
  return `${database} is damaged: ${message}; ${DAMAGE_ADVICE}`;
}

const MAX_REASON = 200;
const DAMAGE_ADVICE = 'put a backup in its place (catalogue restore), and keep this one for catalogue check';

/** A safety net behind the checks that name the duplicate. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE';
}

// In messages the path of the driver is bare, quoted, or after "(required by".
const FOLDER = /(?:^|'|by )([^'\n]*?)[\\/]node_modules[\\/]better-sqlite3[\\/]/g;

/** A one-line message for the operator if the native SQLite driver is missing or does not load; undefined for other errors. */
function driverAdvice(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const isUnloadable = codeOf(error) === 'ERR_DLOPEN_FAILED';
  const [found] = isUnloadable || codeOf(error) === 'MODULE_NOT_FOUND' ? error.message.matchAll(FOLDER) : [];
  const folder = found?.[1];
  if (folder === undefined) return undefined;
  const reason = error.message.replace(/\s+/g, ' ').slice(0, MAX_REASON);
  const fault = isUnloadable ? `cannot be loaded (${reason})` : 'is not installed';
  return `the SQLite driver for ${process.platform}-${process.arch} ${fault}: run npm ci in ${folder}`;
}
