import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../kit/system-error.ts';
import type { WorkEnd } from '../people/accounts/request-thread.ts';
import { StorageError } from '../storage/database.ts';
import { type ImportWork, Meter, UPLOAD, importInThread } from './import-thread.ts';
import type { AskedImport } from './upload.ts';

/** A file that waits to be imported, in a folder for itself and temporary files. */
export interface WaitingFile {
  readonly folder: string;
  readonly handle: FileHandle;
  /** Removes the folder and all in it; may be called again. */
  readonly end: () => Promise<void>;
}

/** An import that is under way. */
export interface ImportJob {
  readonly meter: Meter;
  /** Settles once nothing is written any more and the file is gone. Rejects when the thread could not do its work. */
  readonly ended: Promise<WorkEnd>;
}

/** The imports of this process, one at a time. */
export class ImportJobs {
  readonly #dataFolder: string;
  readonly #trashDays: number;
  readonly #root: string;
  #current: Meter | undefined;
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

  isUnderWay(): boolean {
    return this.#current !== undefined;
  }

  /** Starts to import a file, which is removed at the end. Throws while another import is under way. */
  start(
    { folder, end }: WaitingFile,
    asked: AskedImport & Pick<ImportWork, 'writer' | 'permit' | 'keyed' | 'ownerId' | 'adminsOnly'>,
  ): ImportJob {
    if (this.#current) throw new Error('two imports at once');
    const meter = (this.#current = new Meter());
    if (this.#isStopped) meter.stop();
    const folders = { dataFolder: this.#dataFolder, folder };
    const work = { ...asked, ...folders, trashDays: this.#trashDays, memory: meter.memory };
    const ended = importInThread(work)
      .finally(end)
      .finally(() => {
        this.#current = undefined;
      });
    // The rejection is handled later, when the progress reader awaits `ended`.
    ended.catch(() => undefined);
    return { meter, ended };
  }

  /** Ends the running import, and any later one, after its current transaction. */
  stop(): void {
    this.#isStopped = true;
    this.#current?.stop();
  }
}
