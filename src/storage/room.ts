import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { storageFailure } from './failures.ts';

/** Whether the disk of the data folder has room for writes, as far as they have shown. */
export interface Room {
  /** To be called with each failure: one for want of space counts until a write works again, or there is space. */
  readonly noteFailure: (error: unknown) => void;
  readonly isFull: () => boolean;
  readonly stop: () => void;
}

const TRY_EVERY_MS = 2_000;
const ENOUGH = Buffer.alloc(1024 * 1024);

/** `commits` is how many write transactions were committed so far. Nothing is tried while no write has failed. */
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

/** By writing: what the system says of free space leaves out quotas. */
async function hasRoom(folder: string): Promise<boolean> {
  const path = join(folder, 'room.tmp');
  try {
    const file = await open(path, 'w', 0o600);
    try {
      // Nothing is left of it, however the process ends.
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
