import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { datedBackups } from '../backup/dated.ts';
import { reasonOf } from '../../kit/system-error.ts';
import { type Finding, counted, fault, note, ok, risk } from './findings.ts';
import { DAY_MS } from '../../kit/time.ts';

const RENEWAL_DAYS = 14;
const OLD_DAYS = 2;
const OTHERS = 0o077;
const A_LITTLE = 64 * 1024;
// Words of manuals, examples and keyboards.
const FAMILIAR =
  /secret|password|passwort|changeme|change[-_ ]?(?:me|this)|example|default|letmein|qwert|asdf|admin|token|test|foobar|12345|abcde|openssl rand|\$\(/i;
const ENOUGH_BITS = 80;

type Findings = Generator<Finding, void, undefined>;

/** Reports a file or folder that other users of this machine can open; nothing when it is not there. */
export function* checkPrivate(path: string, noun: string): Findings {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.mode & OTHERS) === 0) return;
  const mode = (stats.mode & 0o777).toString(8).padStart(3, '0');
  const safe = stats.isDirectory() ? '700' : '600';
  yield risk(
    `${noun} ${path} is open to other users of this machine (mode ${mode}); run: chmod ${safe} ${path}`,
  );
}

/** The same for a file with a secret. */
export function* checkSecretFile(path: string, noun: string): Findings {
  // A container shows its secrets to all users in it, on purpose.
  if (!path.startsWith('/run/secrets/')) yield* checkPrivate(path, noun);
}

/** Whether a certificate is valid today and in two weeks. */
export function checkDates(path: string, from: Date, until: Date, now: Date): Finding {
  const days = (until.getTime() - now.getTime()) / DAY_MS;
  if (from > now) return fault(`the certificate in ${path} is not valid before ${from.toISOString()}`);
  if (days < 0) return fault(`the certificate in ${path} has ended on ${until.toISOString()}; renew it`);
  const text = `the certificate in ${path} ends on ${until.toISOString()}`;
  return days < RENEWAL_DAYS ? risk(`${text}; renew it`) : ok(text);
}

/** How backups are made, as far as the settings say. */
export interface BackupSettings {
  readonly dataFolder: string;
  /** Whether it is a risk to have none. */
  readonly matters: boolean;
  /** Whether the service makes them. */
  readonly areScheduled: boolean;
  /** Whether backups are to be written to the folder even where it does not exist yet. */
  readonly isChosen: boolean;
}

/**
 * How old the newest backup in a folder is, whether it would be lost with the data, and whether another one can be
 * written there, for which it writes a file.
 */
export function* checkBackups(
  folder: string,
  { dataFolder, matters, areScheduled, isChosen }: BackupSettings,
  now: Date,
): Findings {
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
    yield days < OLD_DAYS ? ok(text) : unsafe(`${text}; ${advice}`);
    if (isOnSameDisk)
      yield note(`${folder} is on the disk of the data; keep a copy of the backups on another machine`);
    yield* checkPrivate(folder, 'the folder of backups');
  } catch (error) {
    yield risk(`the backups in ${folder} cannot be read (${reasonOf(error)})`);
  }
}

/** Why no file can be made in a folder, or in the one in which it would be made; undefined when one can. */
function refusedWriting(folder: string): string | undefined {
  if (!existsSync(folder) && folder !== dirname(folder)) return refusedWriting(dirname(folder));
  const path = join(folder, `.doctor-${randomUUID()}`);
  try {
    writeFileSync(path, Buffer.alloc(A_LITTLE), { flag: 'wx', mode: 0o600 });
    return undefined;
  } catch (error) {
    return reasonOf(error);
  } finally {
    if (existsSync(path)) rmSync(path);
  }
}

/** Why a secret could be guessed; undefined when nothing speaks for it. The answer does not repeat the secret. */
export function secretWeakness(secret: string): string | undefined {
  if (/\$\(|openssl rand/.test(secret)) return 'is a command that was not run';
  if (FAMILIAR.test(secret)) return 'holds a word or a sequence that is tried first';
  if (repeatsItself(secret)) return 'repeats itself';
  if (bitsOf(secret) < ENOUGH_BITS) return 'has too few different characters';
  return undefined;
}

function repeatsItself(secret: string): boolean {
  const periods = Array.from({ length: Math.floor(secret.length / 2) }, (_, index) => index + 1);
  return periods.some((period) => secret.slice(period) === secret.slice(0, -period));
}

/** The bits that a secret would have, had each character been drawn as often as it stands there: never too few. */
function bitsOf(secret: string): number {
  const counts = new Map<string, number>();
  for (const character of secret) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / secret.length);
  return bits;
}
