import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { reasonOf } from '../../kit/system-error.ts';
import { datedBackups } from './dated.ts';
import { HOUR_MS } from '../../kit/time.ts';

type Log = (message: string, fields?: Readonly<Record<string, string | number>>) => void;

export interface ScheduleOptions {
  /** Minutes after midnight, local time. */
  readonly minuteOfDay: number;
  /** The folder of the backups; made when it is not there. */
  readonly folder: string;
  /** How many are left. */
  readonly keep: number;
  /** How long after the start it is checked for the first time whether a backup is due, in milliseconds. */
  readonly firstLookMs: number;
  readonly log: { readonly info: Log; readonly error: Log };
}

const PROGRAM = fileURLToPath(new URL('../../../bin/catalogue', import.meta.url));
const CHECK_EVERY_MS = 60 * 1000;
const PAUSE_MS = HOUR_MS;
const MAX_OUTPUT = 2_000;

/**
 * Makes a backup once a day until the function that it returns is called, which calls a backup under way off, and resolves
 * when nothing of it is left. Checks again and again whether the newest backup is older than the last scheduled moment:
 * so one that was missed while the service was down is made up for, and a clock that jumps does no harm. The backup is a
 * process of its own, so that the service goes on meanwhile.
 */
export function startBackupSchedule(options: ScheduleOptions): () => Promise<void> {
  const { minuteOfDay, folder, keep, firstLookMs, log } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: { readonly kill: () => void; readonly ended: Promise<void> } | undefined;
  let stopped = false;
  // By a clock that does not jump.
  let pausedUntil = 0;

  function fail(reason: string): void {
    pausedUntil = performance.now() + PAUSE_MS;
    log.error('the scheduled backup failed', { reason });
  }

  function check(): void {
    if (running || stopped || performance.now() < pausedUntil) return;
    try {
      const made = datedBackups(folder).map(({ moment }) => moment);
      if (!isDue(made, new Date(), minuteOfDay)) return;
    } catch (error) {
      fail(reasonOf(error));
      return;
    }
    log.info('a scheduled backup begins', { folder });
    const { kill, failure } = startBackup(folder, keep);
    const ended = failure.then((reason) => {
      running = undefined;
      if (reason === undefined) log.info('a scheduled backup is made', { folder });
      else if (!stopped) fail(reason);
    });
    running = { kill, ended };
  }

  function schedule(delay: number): void {
    timer = setTimeout(() => {
      check();
      schedule(CHECK_EVERY_MS);
    }, delay).unref();
  }

  schedule(firstLookMs);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    running?.kill();
    await running?.ended;
  };
}

/**
 * The last moment up to `now` at which a clock on the wall showed this minute of the day, in milliseconds since 1970.
 * Where the clock skips that minute in spring, an hour later counts; where it shows it twice in autumn, the first time.
 */
export function lastScheduled(now: Date, minuteOfDay: number): number {
  const at = (daysBack: number): number =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBack, 0, minuteOfDay).getTime();
  const today = at(0);
  return today <= now.getTime() ? today : at(1);
}

/**
 * Whether a backup should be made: none was started since the last scheduled moment. `made` are the moments of the
 * existing backups; those in the future were named by a clock that was wrong, and do not count.
 */
export function isDue(made: readonly number[], now: Date, minuteOfDay: number): boolean {
  const scheduled = lastScheduled(now, minuteOfDay);
  return !made.some((moment) => moment >= scheduled && moment <= now.getTime());
}

/** Its failure resolves at its end to the last line that it wrote; to undefined when it succeeded. */
function startBackup(folder: string, keep: number) {
  const child = spawn(process.execPath, [PROGRAM, 'backup', `${folder}/`, '--keep', String(keep)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-MAX_OUTPUT);
  });
  const failure = new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => {
      resolve(reasonOf(error));
    });
    child.on('close', (code, signal) => {
      const line = output.trimEnd().split('\n').at(-1) ?? '';
      resolve(code === 0 ? undefined : line || `it ended with ${signal ?? `code ${String(code)}`}`);
    });
  });
  return { kill: () => child.kill('SIGTERM'), failure };
}
