import { mkdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { propertiesOf } from '../kit/objects.ts';
import { makeCopy } from '../storage/copy.ts';
import {
  type Connection,
  StorageError,
  databasePath,
  openCopy,
  openExistingDatabase,
} from '../storage/database.ts';
import { syncPath } from '../storage/folder.ts';
import { migrationState, newestVersion } from '../storage/migrations.ts';
import { makeStage, swapIn } from '../storage/swap.ts';
import { reasonOf } from '../kit/system-error.ts';
import { runInThread } from '../kit/threads.ts';
import { createApplier } from './apply.ts';
import { type FollowMeter, openFollowMeter } from './meter.ts';
import { openCopiedPhotos } from './photo-files.ts';
import { OutdatedError, type PrimaryAddress, createPrimary } from './primary.ts';

/** What a replica is to follow. */
export interface FollowWork extends PrimaryAddress {
  readonly dataFolder: string;
}

/** The end of following, or of receiving a snapshot: `outdated` when a new snapshot is needed. */
export interface FollowEnd {
  readonly outcome: 'done' | 'stopped' | 'outdated' | 'failed';
  readonly reason: string;
}

type Shared = FollowWork & Pick<FollowMeter, 'memory'>;

const LOOK_EVERY_MS = 100;

/** Puts a snapshot of the primary into the place of the database of a data folder, whose lock must be held, in a thread. */
export async function receiveInThread(work: FollowWork, { memory }: FollowMeter): Promise<FollowEnd> {
  return readEnd(await runInThread(import.meta.url, 'receive', { ...work, memory }, 'receives a snapshot'));
}

/** Applies what the primary sends to the database of a data folder, in a thread, until it is stopped or that fails. */
export async function followInThread(work: FollowWork, { memory }: FollowMeter): Promise<FollowEnd> {
  return readEnd(await runInThread(import.meta.url, 'follow', { ...work, memory }, 'follows the primary'));
}

/** The work of the first of these threads. Never rejects: errors that cross threads lose their class. */
export function receive(work: Shared): Promise<FollowEnd> {
  return untilStopped(work, async (signal) => {
    const { dataFolder } = work;
    const stage = makeStage(dataFolder);
    try {
      const fresh = join(stage, 'new');
      await writeFile(databasePath(fresh), await createPrimary(work, signal).snapshot(newestVersion()), {
        mode: 0o600,
      });
      prepare(fresh);
      const { aside } = swapIn(dataFolder, stage);
      // What it held is on the primary.
      if (aside !== undefined) rmSync(aside, { recursive: true, force: true });
    } finally {
      rmSync(stage, { recursive: true, force: true });
    }
  });
}

function prepare(folder: string): void {
  const connection = openExistingDatabase(folder);
  try {
    makeCopy(connection);
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.close();
  }
  syncPath(databasePath(folder));
  syncPath(folder);
}

/** The work of the second. Never rejects. */
export function follow(work: Shared): Promise<FollowEnd> {
  return untilStopped(work, async (signal, meter) => {
    mkdirSync(work.dataFolder, { recursive: true });
    const connection = openCopy(work.dataFolder);
    try {
      await followOn(connection, work, signal, meter);
    } finally {
      connection.close();
    }
  });
}

async function followOn(
  connection: Connection,
  work: Shared,
  signal: AbortSignal,
  meter: FollowMeter,
): Promise<void> {
  const applier = createApplier(connection);
  const ended = new AbortController();
  const primary = createPrimary(work, AbortSignal.any([signal, ended.signal]));
  const photos = openCopiedPhotos(work.dataFolder, connection, primary, ended.signal);
  const keeping = photos.keep();
  try {
    const { version } = migrationState(connection);
    for await (const line of await primary.rows(applier.place(), version)) {
      const cut = applier.apply(line);
      if (!cut) continue;
      await photos.fetchNow(cut.photos.named);
      cut.commit();
      photos.removeUnnamed(cut.photos.left);
      meter.heard();
    }
    throw new StorageError('the primary has ended the stream');
  } finally {
    applier.undo();
    ended.abort();
    await keeping;
  }
}

/** Does work that ends early when the meter says so. */
async function untilStopped(
  { memory }: Shared,
  work: (signal: AbortSignal, meter: FollowMeter) => Promise<void>,
): Promise<FollowEnd> {
  const meter = openFollowMeter(memory);
  const stopped = new AbortController();
  const looking = setInterval(() => {
    if (meter.isStopped()) stopped.abort(new StorageError('stopped'));
  }, LOOK_EVERY_MS);
  try {
    await work(stopped.signal, meter);
    return { outcome: 'done', reason: '' };
  } catch (error) {
    if (stopped.signal.aborted) return { outcome: 'stopped', reason: '' };
    return { outcome: error instanceof OutdatedError ? 'outdated' : 'failed', reason: reasonOf(error) };
  } finally {
    clearInterval(looking);
  }
}

function readEnd(sent: unknown): FollowEnd {
  const values = propertiesOf(sent);
  const outcome = (['done', 'stopped', 'outdated', 'failed'] as const).find(
    (known) => known === values?.get('outcome'),
  );
  if (!outcome) throw new TypeError('a thread that follows the primary sent no outcome');
  return { outcome, reason: String(values?.get('reason')) };
}
