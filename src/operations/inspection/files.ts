import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { counted } from '../../kit/sentences.ts';
import { reasonOf } from '../../kit/system-error.ts';
import { DAY_MS } from '../../kit/time.ts';
import { datedBackups } from '../backup/dated.ts';
import { type Findings, note, good, risk } from './findings.ts';

const OLD_DAYS = 2;
const OTHERS = 0o077;
const TRIAL_BYTES = 64 * 1024;
// From manuals, examples and keyboards.
const FAMILIAR =
  /secret|password|passwort|changeme|change[-_ ]?(?:me|this)|example|default|letmein|qwert|asdf|admin|token|test|foobar|12345|abcde|openssl rand|\$\(/i;
const ENOUGH_BITS = 80;

/** Reports a file or folder that other users of this machine can open, if it exists. */
export function* checkPrivate(path: string, noun: string): Findings {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.mode & OTHERS) === 0) return;
  const mode = (stats.mode & 0o777).toString(8).padStart(3, '0');
  const safe = stats.isDirectory() ? '700' : '600';
  yield risk(
    `${noun} ${path} is open to other users of this machine (mode ${mode}); run: chmod ${safe} ${path}`,
  );
}

/** Reports a file with a secret that other users of this machine can open. */
export function* checkSecretFile(path: string, noun: string): Findings {
  // A container shows its secrets to all its users on purpose.
  if (!path.startsWith('/run/secrets/')) yield* checkPrivate(path, noun);
}

export interface BackupSettings {
  readonly dataFolder: string;
  /** True if it is a risk to have no backup. */
  readonly matters: boolean;
  /** True if the service makes backups. */
  readonly areScheduled: boolean;
  /** True if backups go to the folder even if it does not exist yet. */
  readonly isChosen: boolean;
}

/**
 * Checks how old the newest backup in a folder is, whether it would be lost together with the data, and whether a backup
 * can be written there, by writing a file.
 */
export function* checkBackups(folder: string, settings: BackupSettings, now: Date): Findings {
  const { dataFolder, matters, areScheduled, isChosen } = settings;
  const unsafe = matters ? risk : note;
  const advice = areScheduled
    ? 'the service makes them while it runs; when one fails, its log says why'
    : 'set BACKUP_SCHEDULE, or run catalogue backup every day';
  const refusal = refusedWriting(folder);
  if (refusal !== undefined && (isChosen || existsSync(folder)))
    yield risk(`no backup can be written to ${folder} (${refusal}); change its rights, or BACKUP_DIR`);
  try {
    const backups = datedBackups(folder);
    const newest = backups.at(-1);
    if (!newest) {
      yield unsafe(`there is no backup in ${folder}; ${advice}`);
      return;
    }
    const days = Math.floor((now.getTime() - newest.moment) / DAY_MS);
    const text = `the newest backup in ${folder} is ${counted(days, 'day')} old (${backups.length} in all)`;
    const isOnSameDisk = statSync(folder).dev === statSync(dataFolder).dev;
    yield days < OLD_DAYS ? good(text) : unsafe(`${text}; ${advice}`);
    if (isOnSameDisk)
      yield note(`${folder} is on the disk of the data; keep a copy of the backups on another machine`);
    yield* checkPrivate(folder, 'the folder of backups');
  } catch (error) {
    yield risk(`the backups in ${folder} cannot be read (${reasonOf(error)})`);
  }
}

/** Why no file can be created in a folder, or in its nearest existing parent; undefined if one can. */
function refusedWriting(folder: string): string | undefined {
  if (!existsSync(folder) && folder !== dirname(folder)) return refusedWriting(dirname(folder));
  const path = join(folder, `.doctor-${randomUUID()}`);
  try {
    writeFileSync(path, Buffer.alloc(TRIAL_BYTES), { flag: 'wx', mode: 0o600 });
    return undefined;
  } catch (error) {
    return reasonOf(error);
  } finally {
    if (existsSync(path)) rmSync(path);
  }
}

/** Why a secret is easy to guess; undefined if it does not seem so. The text does not contain the secret. */
export function secretWeakness(secret: string): string | undefined {
  if (/\$\(|openssl rand/.test(secret)) return 'is a command that was not run';
  if (FAMILIAR.test(secret)) return 'holds a word or a sequence that is tried first';
  const periods = Array.from({ length: Math.floor(secret.length / 2) }, (_, index) => index + 1);
  if (periods.some((period) => secret.slice(period) === secret.slice(0, -period))) return 'repeats itself';
  // The entropy of its characters, by how often each occurs in it.
  let bits = 0;
  for (const character of new Set(secret)) {
    const count = secret.split(character).length - 1;
    bits -= count * Math.log2(count / secret.length);
  }
  return bits < ENOUGH_BITS ? 'has too few different characters' : undefined;
}
