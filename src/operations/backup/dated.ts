import { type Dirent, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../kit/system-error.ts';
import { DAY_MS, stampOf } from '../../kit/time.ts';

/** The ending of backups that are one file. */
export const TAR_ENDING = '.tar';

const DATED = /^catalogue-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:\.tar)?$/;
const LEFTOVER = /^catalogue-\d{8}T\d{6}Z(?:\.tar)?\.partial-[A-Za-z0-9]{6}$/;

/** A backup named after the time at which it was started. */
export interface DatedBackup {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly moment: number;
}

/** The name of a backup made at this moment, to the second. */
export function datedName(moment: Date): string {
  return `catalogue-${stampOf(moment)}`;
}

/** The dated backups in a folder, oldest first; none if the folder does not exist. */
export function datedBackups(folder: string): DatedBackup[] {
  return entriesIn(folder)
    .filter((entry) => (entry.name.endsWith(TAR_ENDING) ? entry.isFile() : entry.isDirectory()))
    .filter(({ name }) => DATED.test(name))
    .map(({ name }) => ({ name, moment: Date.parse(name.replace(DATED, '$1-$2-$3T$4:$5:$6Z')) }))
    .filter(({ moment }) => !Number.isNaN(moment))
    .sort((left, right) => left.moment - right.moment);
}

/** When the newest backup in a folder was started, in seconds since 1970; undefined if none can be seen. */
export function newestBackup(folder: string): number | undefined {
  try {
    const newest = datedBackups(folder).findLast(({ moment }) => moment <= Date.now());
    return newest && newest.moment / 1000;
  } catch {
    // The next scheduled backup reports an unreadable folder.
    return undefined;
  }
}

/** A backup is assembled in a folder with this prefix and six random characters. */
export function partialPrefix(target: string): string {
  return `${target}.partial-`;
}

/**
 * Removes the oldest dated backups next to the new one until `keep` are left, including the new one, and what backups
 * that were killed more than a day ago left behind. Touches nothing else. Returns the names of the removed backups.
 */
export function rotate(newest: string, keep: number): string[] {
  const folder = dirname(newest);
  for (const name of readdirSync(folder).filter((entry) => LEFTOVER.test(entry))) {
    const path = join(folder, name);
    if (Date.now() - lstatSync(path).mtimeMs > DAY_MS) rmSync(path, { recursive: true, force: true });
  }
  const others = datedBackups(folder).filter(({ name }) => name !== basename(newest));
  const surplus = others.slice(0, Math.max(0, others.length - keep + 1)).map(({ name }) => name);
  for (const name of surplus) {
    // Renamed first, so that a half removed backup is never mistaken for a whole one.
    const path = join(folder, name);
    const doomed = `${partialPrefix(path)}remove`;
    rmSync(doomed, { recursive: true, force: true });
    renameSync(path, doomed);
    rmSync(doomed, { recursive: true, force: true });
  }
  return surplus;
}

/** The entries of a folder; none if it does not exist. Throws the system's error if it cannot be read. */
export function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
