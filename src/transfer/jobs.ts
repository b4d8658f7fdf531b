import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OverloadedError, Queue } from '../kit/queue.ts';
import { reasonOf } from '../kit/system-error.ts';
import type { WorkEnd } from '../people/request-thread.ts';
import { StorageError } from '../storage/database.ts';
import { type ImportWork, Meter, RETRY_LATER, STOPPING, UPLOAD, importInThread } from './import-thread.ts';
import type { AskedImport } from './upload.ts';

type AskedJob = AskedImport & Pick<ImportWork, 'writer' | 'permit' | 'keyed' | 'ownerId' | 'adminsOnly'>;

/** The answer to a request that has waited too long for its turn. */
export const OTHERS_AHEAD = 'Others are still ahead. Please try again.';

/** A file that waits to be imported, in a folder for itself and temporary files. */
export interface WaitingFile {
  readonly folder: string;
  readonly handle: FileHandle;
  /** Removes the folder and all in it; may be called again. */
  readonly end: () => Promise<void>;
}

/** An import that waits for its turn or is under way. */
export interface ImportJob {
  readonly meter: Meter;
  /** Ends it: at once while it waits, else after its current transaction. */
  readonly stop: () => void;
  /** Settles once nothing is written any more and the file is gone. Rejects when the thread could not do its work. */
  readonly ended: Promise<WorkEnd>;
}

/** The imports of this process, one at a time. Users take turns, administrators first. */
export class ImportJobs {
  readonly #dataFolder: string;
  readonly #trashDays: number;
  readonly #root: string;
  readonly #queue = new Queue({ atOnce: 1 });
  readonly #stops = new Set<() => void>();
  #isStopped = false;

  constructor(dataFolder: string, trashDays: number) {
    this.#dataFolder = dataFolder;
    this.#trashDays = trashDays;
    this.#root = join(dataFolder, 'imports');
  }

  /** Removes files left by a crash. Call it while holding the lock of the data folder. Rejects with a StorageError. */
  async removeLeftovers(): Promise<void> {
    try {
      await rm(this.#root, { recursive: true, force: true });
    } catch (error) {
      throw new StorageError(`cannot empty the folder of imports ${this.#root}: ${reasonOf(error)}`);
    }
  }

  /** Creates the file for an upload. Rejects with the system's error if the disk fails. */
  async createFile(): Promise<WaitingFile> {
    const folder = join(this.#root, randomBytes(16).toString('hex'));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(join(folder, UPLOAD), 'wx', 0o600);
    const end = async (): Promise<void> => {
      await handle.close();
      await rm(folder, { recursive: true, force: true });
    };
    return { folder, handle, end };
  }

  /**
   * Imports a file when its turn comes, and removes it at the end. `maxWaitMs` is how long it waits at most: a client without
   * progress lines hears nothing meanwhile.
   */
  start({ folder, end }: WaitingFile, asked: AskedJob, isAdmin: boolean, maxWaitMs?: number): ImportJob {
    const [meter, gone] = [new Meter(), new AbortController()];
    const stop = (): void => {
      meter.stop();
      gone.abort();
    };
    this.#stops.add(stop);
    const folders = { dataFolder: this.#dataFolder, folder };
    const work = { ...asked, ...folders, trashDays: this.#trashDays, memory: meter.memory };
    const turn = { key: String(asked.ownerId), goesFirst: isAdmin, maxWaitMs, signal: gone.signal };
    const run = async (): Promise<WorkEnd> => {
      try {
        const endTurn = await this.#queue.take(turn);
        return await importInThread(work).finally(endTurn);
      } catch (error) {
        if (!(error instanceof OverloadedError)) throw error;
        const message = this.#isStopped ? STOPPING : OTHERS_AHEAD;
        return { outcome: 'refused', status: 503, message, headers: RETRY_LATER };
      } finally {
        this.#stops.delete(stop);
        await end();
      }
    };
    const ended = run();
    if (this.#isStopped) stop();
    // The rejection is handled later, when the progress reader awaits `ended`.
    ended.catch(() => undefined);
    return { meter, stop, ended };
  }

  /** Ends all imports, and any later one. */
  stop(): void {
    this.#isStopped = true;
    for (const stop of this.#stops) stop();
  }
}
