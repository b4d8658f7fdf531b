import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { entriesIn } from './lists.ts';
import { TAR_ENDING, datedAt, isLeftOver, partialPrefix } from './names.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Removes the oldest dated backups beside the new one until `keep` are left, that one included, and what backups that
 * were killed more than a day ago left behind. Nothing else is touched. Gives the names removed.
 */
export function rotate(newest: string, keep: number): string[] {
  const folder = dirname(newest);
  const names = readdirSync(folder);
  for (const name of names.filter(isLeftOver)) {
    const path = join(folder, name);
    if (Date.now() - lstatSync(path).mtimeMs > DAY_MS) rmSync(path, { recursive: true, force: true });
  }
  const others = datedBackups(folder).filter((name) => name !== basename(newest));
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

/** The names of the dated backups in a folder, the oldest first; none when there is no such folder. */
export function datedBackups(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => (entry.name.endsWith(TAR_ENDING) ? entry.isFile() : entry.isDirectory()))
    .flatMap(({ name }) => {
      const moment = datedAt(name);
      return moment === undefined ? [] : [{ name, moment }];
    })
    .sort((left, right) => left.moment - right.moment)
    .map(({ name }) => name);
}

/** When the dated backups in a folder were begun, in milliseconds since 1970, the oldest first. */
export function backupMoments(folder: string): number[] {
  return datedBackups(folder).flatMap((name) => datedAt(name) ?? []);
}

/** When the newest backup in a folder was begun, in seconds since 1970; undefined when there is none to be seen. */
export function newestBackup(folder: string): number | undefined {
  try {
    const newest = backupMoments(folder).findLast((moment) => moment <= Date.now());
    return newest === undefined ? undefined : newest / 1000;
  } catch {
    // A folder that cannot be read is told of when a backup is due.
    return undefined;
  }
}
