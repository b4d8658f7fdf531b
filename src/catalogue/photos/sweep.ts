import { setImmediate as breathe } from 'node:timers/promises';
import { reasonOf } from '../../kit/system-error.ts';
import type { Storage } from '../../storage/storage.ts';
import { PREFIXES, PhotoFiles, namesOf } from './files.ts';
import { PhotoLedger } from './store.ts';

type Report = (message: string, fields: Readonly<Record<string, string | number>>) => void;

const TRASH_EVERY_MS = 60 * 1000;
const TRASH_AT_ONCE = 100;
const REPORTED = 20;
// File names per query, which takes less than a millisecond.
const SLICE = 200;
const DIGITS = Array.from({ length: 16 }, (_, digit) => digit.toString(16));

/** Photo files, and the task that makes them match the rows of photos. */
export interface OpenPhotos {
  readonly files: PhotoFiles;
  readonly sweeper: PhotoSweeper;
}

/**
 * Opens the folder and the table of photos, and removes the remains of uploads interrupted by a crash. The folder of a
 * replica is only read.
 */
export async function openPhotos(
  storage: Storage,
  dataFolder: string,
  isReplica: boolean,
  report: Report,
): Promise<OpenPhotos> {
  const files = new PhotoFiles(dataFolder);
  const sweeper = new PhotoSweeper(files, storage, report);
  if (!isReplica) {
    await files.makeFolder();
    await sweeper.removeRemains();
  }
  return { files, sweeper };
}

/** Makes the files of photos match their rows. */
export class PhotoSweeper {
  readonly #files;
  readonly #ledger;
  readonly #transactions;
  readonly #report;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #opened = Promise.resolve();

  constructor(files: PhotoFiles, { queries, transactions }: Storage, report: Report) {
    this.#files = files;
    this.#ledger = new PhotoLedger(queries.file('photos'));
    this.#transactions = transactions;
    this.#report = report;
  }

  /** Removes the remains of uploads interrupted by a crash. Await it before accepting the first upload. */
  async removeRemains(): Promise<void> {
    for (const stem of await this.#files.cutShort()) {
      for (const name of this.#ledger.unreferenced(namesOf(stem))) await this.#files.remove(name);
      await this.#files.clear(stem);
    }
  }

  /** Removes files without a row, opens uploads, reports photos without a file, and empties the trash regularly. */
  start(): void {
    this.#opened = this.#guarded(() => this.#removeUnreferenced());
    void this.#opened.then(() => this.#guarded(() => this.#reportMissing())).then(this.wake);
    this.#timer = setInterval(this.wake, TRASH_EVERY_MS).unref();
  }

  /**
   * Resolves once uploads may be accepted, even if the sweep failed: while `start` removes files without a row, it would
   * remove new ones as well.
   */
  opened(): Promise<void> {
    return this.#opened;
  }

  /** Removes due files from the trash now. */
  readonly wake = (): void => {
    void this.#guarded(() => this.#emptyTrash());
  };

  /** Returns at once; the sweeper no longer uses the database. */
  readonly stop = (): void => {
    this.#isStopped = true;
    clearInterval(this.#timer);
  };

  // A method, because TypeScript assumes that a field does not change across an await.
  #hasStopped(): boolean {
    return this.#isStopped;
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#hasStopped()) this.#report('looking after photo files failed', { error: reasonOf(error) });
    }
  }

  async #emptyTrash(): Promise<void> {
    const now = new Date().toISOString();
    while (!this.#hasStopped()) {
      const names = this.#ledger.trash(now, TRASH_AT_ONCE);
      for (const name of names) await this.#files.remove(name);
      if (names.length === 0 || this.#hasStopped()) return;
      await this.#transactions.write(() => {
        this.#ledger.removeTrash(names);
      });
    }
  }

  /**
   * No upload is in progress, so a file that is in neither a row nor the trash is left over from an interrupted upload or
   * from before an older database was restored. Skips folders that cannot be read.
   */
  async #removeUnreferenced(): Promise<void> {
    let removed = 0;
    let hasFailed = false;
    for (const prefix of await this.#files.prefixes()) {
      try {
        const names = await this.#files.namesIn(prefix);
        for (let start = 0; start < names.length; start += SLICE) {
          if (this.#hasStopped()) return;
          for (const name of this.#ledger.unreferenced(names.slice(start, start + SLICE))) {
            await this.#files.removeFrom(prefix, name);
            removed += 1;
          }
          await breathe();
        }
      } catch (error) {
        if (!hasFailed && !this.#hasStopped())
          this.#report('looking after photo files failed', { error: reasonOf(error) });
        hasFailed = true;
      }
    }
    if (removed > 0) this.#report('removed files that belonged to no photo', { files: removed });
  }

  async #reportMissing(): Promise<void> {
    let missing = 0;
    const present = await this.#files.prefixes();
    for (const prefix of PREFIXES) {
      // Most catalogues have few photos: split the query in sixteen only if there are some.
      if (this.#hasStopped()) return;
      if (this.#ledger.missingFrom(prefix, []).length === 0) continue;
      const names = present.includes(prefix) ? await this.#files.namesIn(prefix) : [];
      for (const first of DIGITS.map((digit) => prefix + digit)) {
        if (this.#hasStopped()) return;
        const own = names.filter((name) => name.startsWith(first));
        for (const { id, filename } of this.#ledger.missingFrom(first, own)) {
          // The file may have been placed after the folder was read.
          if ((await this.#files.sizeOf(filename)) !== undefined) continue;
          missing += 1;
          if (missing <= REPORTED) this.#report('the file of a photo is missing', { photo: id, filename });
        }
        await breathe();
      }
    }
    if (missing > REPORTED) this.#report('the files of more photos are missing', { photos: missing });
  }
}
