import Database from 'better-sqlite3';

/**
 * `full`: no room on the disk; `failed`: the disk or the file is broken; `busy`: another process is writing;
 * `exhausted`: no file could be opened, most often since too many are. Only `failed` leaves in doubt what is stored.
 */
export type StorageFailure = 'full' | 'failed' | 'busy' | 'exhausted';

/** What kind of storage failure `error` is, told by the driver's code; undefined when it is none. */
export function storageFailure(error: unknown): StorageFailure | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(code)) return 'full';
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy';
  if (/^(EMFILE|ENFILE|SQLITE_CANTOPEN.*)$/.test(code)) return 'exhausted';
  if (/^SQLITE_(IOERR|CORRUPT|NOTADB|READONLY)/.test(code)) return 'failed';
  return undefined;
}

/** Whether `error` is a broken UNIQUE constraint: the net under the checks that name the duplicate. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE';
}

/** The code of a failure of the driver or the system, such as ENOENT; undefined when it has none. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof Database.SqliteError) return error.code;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
