import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../storage/failures.ts';
import { checkPrivate } from './check-files.ts';
import { type Finding, risk, sizeText } from './findings.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const OLD_DAYS = 2;

/** Tells how old the newest backup in a folder is, and how large all are. `matters`: whether it is a risk to have none. */
export function checkBackups(folder: string, matters: boolean, now: Date): readonly Finding[] {
  const advice = 'set BACKUP_SCHEDULE, or make backups in another way';
  const level = matters ? 'risk' : 'note';
  try {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const all = files.map(({ parentPath, name }) => statSync(join(parentPath, name)));
    const newest = all.reduce((latest, { mtimeMs }) => Math.max(latest, mtimeMs), 0);
    const size = sizeText(all.reduce((sum, stats) => sum + stats.size, 0));
    if (all.length === 0) return [{ level, text: `there is no backup in ${folder}; ${advice}` }];
    const days = Math.floor((now.getTime() - newest) / DAY_MS);
    const text = `the newest backup in ${folder} is ${String(days)} days old, all have ${size}`;
    const age: Finding = days < OLD_DAYS ? { level: 'ok', text } : { level, text: `${text}; ${advice}` };
    return [age, ...checkPrivate(folder, 'the folder of backups')];
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [{ level, text: `there is no backup in ${folder}; ${advice}` }];
    return [risk(`the backups in ${folder} cannot be read (${codeOf(error) ?? 'unknown'})`)];
  }
}
