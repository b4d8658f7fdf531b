import { type Dirent, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../kit/system-error.ts';
import { stampOf } from '../../storage/folder.ts';
import { DAY_MS } from '../../kit/time.ts';

/** The ending of backups that are one file. */
export const TAR_ENDING = '.tar';

const PARTIAL = '.partial-';
const DATED = /^catalogue-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:\.tar)?$/;
const LEFT_OVER = /^catalogue-\d{8}T\d{6}Z(?:\.tar)?\.partial-[A-Za-z0-9]{6}$/;

/** A backup that is named after the moment at which it was started. */
export interface DatedBackup {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly moment: number;
}

/** The name of a backup made at this moment, to the second. */
export function datedName(moment: Date): string {
  return `catalogue-${stampOf(moment)}`;
}

/** The dated backups in a folder, the oldest first; none when there is no such folder. */
export function datedBackups(folder: string): DatedBackup[] {
  return entriesIn(folder)
    .filter((entry) => (entry.name.endsWith(TAR_ENDING) ? entry.isFile() : entry.isDirectory()))
    .filter(({ name }) => DATED.test(name))
    .map(({ name }) => ({ name, moment: Date.parse(name.replace(DATED, '$1-$2-$3T$4:$5:$6Z')) }))
    .filter(({ moment }) => !Number.isNaN(moment))
    .sort((left, right) => left.moment - right.moment);
}

/** When the newest backup in a folder was started, in seconds since 1970; undefined when none can be seen. */
export function newestBackup(folder: string): number | undefined {
  try {
    const newest = datedBackups(folder).findLast(({ moment }) => moment <= Date.now());
    return newest && newest.moment / 1000;
  } catch {
    // A folder that cannot be read is reported when a backup is due.
    return undefined;
  }
}

/** The beginning of the name of the folder in which a backup is put together; six random characters follow. */
export function partialPrefix(target: string): string {
  return target + PARTIAL;
}

/**
 * Removes the oldest dated backups next to the new one until `keep` are left, that one included, and the remains of
 * backups that were killed more than a day ago. Nothing else is touched. Returns the names removed.
 */
export function rotate(newest: string, keep: number): string[] {
  const folder = dirname(newest);
  for (const name of readdirSync(folder).filter((entry) => LEFT_OVER.test(entry))) {
    const path = join(folder, name);
    if (Date.now() - lstatSync(path).mtimeMs > DAY_MS) rmSync(path, { recursive: true, force: true });
  }
  const names = datedBackups(folder).map(({ name }) => name);
  const others = names.filter((name) => name !== basename(newest));
  const surplus = others.slice(0, Math.max(0, others.length - keep + 1));
  for (const name of surplus) {
    // What is half removed must not pass for a backup.
    const path = join(folder, name);
    const going = `${partialPrefix(path)}remove`;
    rmSync(going, { recursive: true, force: true });
    renameSync(path, going);
    rmSync(going, { recursive: true, force: true });
  }
  return surplus;
}

/** The entries of a folder; none when there is no such folder. Throws the system's error when it cannot be read. */
export function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
