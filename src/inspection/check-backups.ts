import { statSync } from 'node:fs';
import { reasonOf } from '../system-error.ts';
import { checkPrivate } from './check-files.ts';
import { type Finding, counted, note, ok, risk } from './findings.ts';
import { backupMoments } from '../backup/rotate.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const OLD_DAYS = 2;

/**
 * Tells how old the newest backup in a folder is, and whether it would be lost with the data. `matters`: whether it is a
 * risk to have none.
 */
export function checkBackups(
  folder: string,
  dataFolder: string,
  matters: boolean,
  now: Date,
): readonly Finding[] {
  const unsafe = matters ? risk : note;
  const advice = 'set BACKUP_SCHEDULE, or run catalogue backup every day';
  try {
    const moments = backupMoments(folder);
    const newest = moments.at(-1);
    if (newest === undefined) return [unsafe(`there is no backup in ${folder}; ${advice}`)];
    const days = Math.floor((now.getTime() - newest) / DAY_MS);
    const text = `the newest backup in ${folder} is ${counted(days, 'day')} old (${moments.length} in all)`;
    return [
      days < OLD_DAYS ? ok(text) : unsafe(`${text}; ${advice}`),
      ...(statSync(folder).dev === statSync(dataFolder).dev
        ? [note(`${folder} is on the disk of the data; keep a copy of the backups on another machine`)]
        : []),
      ...checkPrivate(folder, 'the folder of backups'),
    ];
  } catch (error) {
    return [risk(`the backups in ${folder} cannot be read (${reasonOf(error)})`)];
  }
}
