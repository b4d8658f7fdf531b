import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { storageFailure } from './failures.ts';

/** Tracks whether the data folder's disk is full, judging by failed writes. */
export interface Room {
  /**
   * Report every failure here. After one for lack of space, the disk counts as full until a write succeeds or a
   * probe finds space.
   */
  readonly noteFailure: (error: unknown) => void;
  readonly isFull: () => boolean;
  readonly stop: () => void;
}

const TRY_EVERY_MS = 2_000;
const ENOUGH = Buffer.alloc(1024 * 1024);

/** `commits` returns the number of committed write transactions. Probes only after a write has failed. */
export function watchRoom(folder: string, commits: () => number): Room {
  let commitsAtFailure: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const isFull = (): boolean => commitsAtFailure === commits();

  function tryLater(): void {
    timer = setTimeout(() => void look(), TRY_EVERY_MS).unref();
  }

  async function look(): Promise<void> {
    if (!isFull() || (await hasRoom(folder))) timer = commitsAtFailure = undefined;
    else tryLater();
  }

  return {
    isFull,
    noteFailure: (error) => {
      if (storageFailure(error) !== 'full') return;
      commitsAtFailure = commits();
      if (timer === undefined) tryLater();
    },
    stop: () => {
      clearTimeout(timer);
    },
  };
}

/** Writes a file, since the free space that the system reports ignores quotas. */
async function hasRoom(folder: string): Promise<boolean> {
  const path = join(folder, 'room.tmp');
  try {
    const file = await open(path, 'w', 0o600);
    try {
      // Unlinked first, so that nothing remains even after a crash.
      await unlink(path);
      await file.writeFile(ENOUGH);
      return true;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}
