import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { codeOf, reasonOf } from '../../kit/system-error.ts';
import { HOUR_MS, MINUTE_MS } from '../../kit/time.ts';
import { datedBackups } from './dated.ts';

type Log = (message: string, fields?: Readonly<Record<string, string | number>>) => void;

export interface ScheduleOptions {
  /** Minutes after midnight, local time. */
  readonly minuteOfDay: number;
  /** The folder of the backups, created if missing. */
  readonly folder: string;
  /** How many backups remain. */
  readonly keep: number;
  /** Milliseconds until the first check. */
  readonly firstCheckMs: number;
  readonly log: { readonly info: Log; readonly error: Log };
}

const PROGRAM = fileURLToPath(new URL('../../../bin/catalogue', import.meta.url));
const CHECK_EVERY_MS = MINUTE_MS;
const PAUSE_AFTER_FAILURE_MS = HOUR_MS;

/**
 * Makes a backup once a day, in a separate process so that the service is not slowed down. Checks every minute whether the
 * newest backup is older than the last scheduled time; so it makes up for a backup missed while the service was down, and
 * tolerates a clock that jumps. Returns a function that stops the schedule and any backup in progress, and resolves once
 * that backup's files are gone.
 */
export function startBackupSchedule(options: ScheduleOptions): () => Promise<void> {
  const { minuteOfDay, folder, keep, firstCheckMs, log } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: { readonly kill: () => void; readonly ended: Promise<void> } | undefined;
  let isStopped = false;
  // On the monotonic clock.
  let pausedUntil = 0;

  function fail(reason: string): void {
    pausedUntil = performance.now() + PAUSE_AFTER_FAILURE_MS;
    log.error('the scheduled backup failed', { reason });
  }

  function check(): void {
    if (running || isStopped || performance.now() < pausedUntil) return;
    try {
      const made = datedBackups(folder).map(({ moment }) => moment);
      if (isDue(made, new Date(), minuteOfDay)) start();
    } catch (error) {
      fail(reasonOf(error));
    }
  }

  function start(): void {
    log.info('a scheduled backup begins', { folder });
    const args = [PROGRAM, 'backup', `${folder}/`, '--keep', String(keep)];
    const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
    const child = execFile(process.execPath, args, (error, _, stderr) => {
      running = undefined;
      const line = stderr.trimEnd().split('\n').at(-1) ?? '';
      const cause = (): string => `it ended with ${error?.signal ?? `code ${String(error?.code)}`}`;
      if (!error) log.info('a scheduled backup is made', { folder });
      else if (!isStopped) fail(line || (codeOf(error) === undefined ? cause() : reasonOf(error)));
      end(undefined);
    });
    running = { kill: () => child.kill(), ended };
  }

  function schedule(delay: number): void {
    timer = setTimeout(() => {
      check();
      schedule(CHECK_EVERY_MS);
    }, delay).unref();
  }

  schedule(firstCheckMs);
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    running?.kill();
    await running?.ended;
  };
}

/**
 * The last time up to `now` at which local clocks showed this minute of the day, in milliseconds since 1970. If the clock
 * skips that minute in spring, an hour later counts; if it shows the minute twice in autumn, the first time counts.
 */
export function lastScheduled(now: Date, minuteOfDay: number): number {
  const at = (daysBack: number): number =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBack, 0, minuteOfDay).getTime();
  const today = at(0);
  return today <= now.getTime() ? today : at(1);
}

/**
 * True if no backup was started since the last scheduled time. `made` are the times of the existing backups; those in the
 * future were named by a clock that was wrong, and do not count.
 */
export function isDue(made: readonly number[], now: Date, minuteOfDay: number): boolean {
  const scheduled = lastScheduled(now, minuteOfDay);
  return !made.some((moment) => moment >= scheduled && moment <= now.getTime());
}
