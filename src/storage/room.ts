import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { storageFailure } from './failures.ts';

const TRY_EVERY_MS = 2_000;
const ENOUGH = Buffer.alloc(1024 * 1024);

/** Knows whether the disk of the data folder is full. Tests that only after a write has failed. */
export class Room {
  readonly #folder: string;
  readonly #commits: () => number;
  #commitsAtFailure: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `commits` returns the number of write transactions that were committed so far. */
  constructor(folder: string, commits: () => number) {
    this.#folder = folder;
    this.#commits = commits;
  }

  /** Call for each failure. A full disk counts as full until a write succeeds or a test file fits. */
  noteFailure(error: unknown): void {
    if (storageFailure(error) !== 'full') return;
    this.#commitsAtFailure = this.#commits();
    if (this.#timer === undefined) this.#tryLater();
  }

  isFull(): boolean {
    return this.#commitsAtFailure === this.#commits();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #tryLater(): void {
    this.#timer = setTimeout(() => void this.#look(), TRY_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    if (!this.isFull() || (await hasRoom(this.#folder))) this.#timer = this.#commitsAtFailure = undefined;
    else this.#tryLater();
  }
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
