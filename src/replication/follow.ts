import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError, databasePath, isCopy, prepareFolder } from '../storage/database.ts';
import { lockFolder } from '../storage/lock.ts';
import { openForReading } from '../storage/reading.ts';
import { finishSwap } from '../storage/swap.ts';
import { reasonOf } from '../kit/system-error.ts';
import { type FollowEnd, type FollowWork, followInThread, receiveInThread } from './follow-thread.ts';
import { type FollowMeter, openFollowMeter } from './meter.ts';

type Log = (message: string, fields: Readonly<Record<string, string>>) => void;

export interface FollowOptions extends FollowWork {
  readonly info: Log;
  readonly warn: Log;
  /** Ends the wait for a first snapshot. */
  readonly signal: AbortSignal;
}

/** A replica that follows its primary. */
export interface Following {
  /** Seconds since it was last known to be what the primary was. */
  readonly lag: () => number;
  /** Resolves when nothing is written any more. */
  readonly stop: () => Promise<void>;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const LOOK_EVERY_MS = 250;

/**
 * Follows a primary: fetches a snapshot where there is no database, which is waited for, and then whatever is changed.
 * The folder is locked until it stops. Throws a StorageError when it is in use, or holds data of its own.
 */
export async function startFollowing(options: FollowOptions): Promise<Following> {
  const { dataFolder, signal } = options;
  prepareFolder(dataFolder);
  const release = lockFolder(dataFolder);
  const meter = openFollowMeter();
  const stop = (): void => {
    meter.stop();
  };
  signal.addEventListener('abort', stop);
  try {
    finishSwap(dataFolder);
    refuseOwnData(dataFolder);
    const started = Date.now();
    const run = createRun(options, meter);
    if (!existsSync(databasePath(dataFolder))) await run.receive();
    signal.throwIfAborted();
    const running = run.follow();
    return {
      lag: () => (Date.now() - (meter.heardAt() || started)) / 1000,
      stop: async () => {
        meter.stop();
        await running;
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** The data of a former primary must not go for a snapshot of the new one. */
function refuseOwnData(dataFolder: string): void {
  if (!existsSync(databasePath(dataFolder))) return;
  const connection = openForReading(databasePath(dataFolder));
  try {
    if (!isCopy(connection))
      throw new StorageError(
        `${databasePath(dataFolder)} is no copy of the primary; to follow it, begin with an empty data folder`,
      );
  } finally {
    connection.close();
  }
}

function createRun(options: FollowOptions, meter: FollowMeter) {
  const { info, warn, dataFolder, primaryUrl, token } = options;
  let pauseMs = FIRST_PAUSE_MS;
  let isAway = false;

  function noteReturn(): void {
    if (!isAway) return;
    info('following the primary again', { primary: primaryUrl });
    isAway = false;
    pauseMs = FIRST_PAUSE_MS;
  }

  async function once(work: typeof followInThread): Promise<FollowEnd> {
    const before = meter.heardAt();
    const looking = setInterval(() => {
      if (meter.heardAt() > before) noteReturn();
    }, LOOK_EVERY_MS);
    try {
      return await work({ dataFolder, primaryUrl, token }, meter);
    } catch (error) {
      return { outcome: 'failed', reason: reasonOf(error) };
    } finally {
      clearInterval(looking);
    }
  }

  async function fail(reason: string): Promise<void> {
    if (!isAway) warn('the primary cannot be followed; it is tried again', { reason });
    isAway = true;
    for (let left = pauseMs; left > 0 && !meter.isStopped(); left -= LOOK_EVERY_MS)
      await sleep(LOOK_EVERY_MS);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }

  async function receive(): Promise<void> {
    while (!meter.isStopped()) {
      const { outcome, reason } = await once(receiveInThread);
      if (outcome === 'failed') await fail(reason);
      if (outcome !== 'done') continue;
      info('a snapshot of the primary is in place', { data: dataFolder });
      return;
    }
  }

  async function follow(): Promise<void> {
    while (!meter.isStopped()) {
      const { outcome, reason } = await once(followInThread);
      if (outcome === 'outdated') {
        info('a new snapshot of the primary is needed', { reason });
        await receive();
      } else if (outcome !== 'stopped') await fail(reason);
    }
  }

  return { receive, follow };
}
