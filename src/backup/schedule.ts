import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { reasonOf } from '../system-error.ts';
import { isDue } from './due.ts';
import { backupMoments } from './rotate.ts';

type Tell = (message: string, fields?: Readonly<Record<string, string | number>>) => void;

export interface ScheduleOptions {
  /** Minutes after midnight, local time. */
  readonly minuteOfDay: number;
  /** Where the backups go; made when it is not there. */
  readonly folder: string;
  /** How many are kept. */
  readonly keep: number;
  /** How long after the start it is looked for the first time whether a backup is due, in milliseconds. */
  readonly firstLookMs: number;
  readonly log: { readonly info: Tell; readonly error: Tell };
}

/** Backups that are made once a day beside the service. */
export interface BackupSchedule {
  readonly start: () => void;
  /** Calls a backup under way off, and resolves when nothing of it is left. */
  readonly stop: () => Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('../../bin/catalogue', import.meta.url));
const LOOK_EVERY_MS = 60 * 1000;
const PAUSE_MS = 60 * 60 * 1000;
const MAX_TOLD = 2_000;

/**
 * Makes a schedule that has not begun. Looks again and again whether the newest backup is older than the last scheduled
 * moment: so one that was missed while the service was down is made up for, and a clock that jumps does no harm. The
 * backup is a process of its own, so that the service goes on meanwhile.
 */
export function createBackupSchedule(options: ScheduleOptions): BackupSchedule {
  const { minuteOfDay, folder, keep, firstLookMs, log } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: { readonly stop: () => void; readonly ended: Promise<void> } | undefined;
  let stopped = false;
  // By a clock that does not jump.
  let pausedUntil = 0;

  function fail(reason: string): void {
    pausedUntil = performance.now() + PAUSE_MS;
    log.error('the scheduled backup failed', { reason });
  }

  function look(): void {
    if (running || stopped || performance.now() < pausedUntil) return;
    try {
      if (!isDue(backupMoments(folder), new Date(), minuteOfDay)) return;
    } catch (error) {
      fail(reasonOf(error));
      return;
    }
    log.info('a scheduled backup begins', { folder });
    const { stop, outcome } = startBackup(folder, keep);
    const ended = outcome.then((reason) => {
      running = undefined;
      if (reason === undefined) log.info('a scheduled backup is made', { folder });
      else if (!stopped) fail(reason);
    });
    running = { stop, ended };
  }

  function schedule(delay: number): void {
    timer = setTimeout(() => {
      look();
      schedule(LOOK_EVERY_MS);
    }, delay).unref();
  }

  return {
    start: () => {
      schedule(firstLookMs);
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      running?.stop();
      await running?.ended;
    },
  };
}

interface StartedBackup {
  readonly stop: () => void;
  /** Why it failed, undefined when it did not. */
  readonly outcome: Promise<string | undefined>;
}

function startBackup(folder: string, keep: number): StartedBackup {
  const child = spawn(process.execPath, [PROGRAM, 'backup', `${folder}/`, '--keep', String(keep)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return { stop: () => child.kill('SIGTERM'), outcome: outcomeOf(child) };
}

/** Why a process failed, in the last line that it wrote; undefined when it did not. */
function outcomeOf(child: ChildProcess): Promise<string | undefined> {
  let told = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    told = (told + chunk.toString()).slice(-MAX_TOLD);
  });
  return new Promise((resolve) => {
    child.on('error', (error) => {
      resolve(reasonOf(error));
    });
    child.on('close', (code, signal) => {
      const line = told.trimEnd().split('\n').at(-1) ?? '';
      resolve(code === 0 ? undefined : line || `it ended with ${signal ?? `code ${String(code)}`}`);
    });
  });
}
