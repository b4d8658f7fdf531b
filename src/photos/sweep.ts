import type { Transactions } from '../storage/transaction.ts';
import { reasonOf } from '../system-error.ts';
import { EXTENSIONS, PREFIXES, type PhotoFiles } from './files.ts';
import type { PhotoLedger } from './store.ts';

export interface PhotoSweeperOptions {
  readonly files: PhotoFiles;
  readonly ledger: PhotoLedger;
  readonly transactions: Pick<Transactions, 'write'>;
  /** Told of everything that the operator should know. */
  readonly report: (message: string, fields: Readonly<Record<string, string | number>>) => void;
}

/** Keeps the files of photos and their rows together. */
export interface PhotoSweeper {
  /** Removes what a crash left of uploads; to be awaited before the first upload of this run. */
  readonly recover: () => Promise<void>;
  /** From now on, beside the service: looks all files over once, and empties the trash again and again. */
  readonly start: () => void;
  /** Returns at once; the database is not asked any more. */
  readonly stop: () => void;
}

const HOUR_MS = 60 * 60 * 1000;
// A backup that read the rows before a deletion has had time to take the files.
const TRASH_MS = 15 * 60 * 1000;
const TRASH_EVERY_MS = 60 * 1000;
const TRASH_AT_ONCE = 100;
const REPORTED = 20;

/** Makes a sweeper that has not begun. */
export function createPhotoSweeper(options: PhotoSweeperOptions): PhotoSweeper {
  const { files, ledger, report } = options;
  let stopped = false;
  const isStopped = (): boolean => stopped;
  let timer: NodeJS.Timeout | undefined;

  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!stopped) report('looking after photo files failed', { error: reasonOf(error) });
    }
  }

  return {
    recover: async () => {
      for (const stem of await files.cutShort()) {
        const names = EXTENSIONS.map((extension) => `${stem}.${extension}`);
        for (const name of ledger.strangersAmong(names)) await files.remove(name);
        await files.clear(stem);
      }
    },
    start: () => {
      void guarded(async () => {
        await emptyTrash(options, isStopped);
        await lookOver(options, isStopped);
      });
      timer = setInterval(() => void guarded(() => emptyTrash(options, isStopped)), TRASH_EVERY_MS);
      timer.unref();
    },
    stop: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
}

async function emptyTrash(
  { files, ledger, transactions }: PhotoSweeperOptions,
  isStopped: () => boolean,
): Promise<void> {
  const before = new Date(Date.now() - TRASH_MS).toISOString();
  while (!isStopped()) {
    const names = ledger.trash(before, TRASH_AT_ONCE);
    for (const name of names) await files.remove(name);
    if (names.length === 0 || isStopped()) return;
    await transactions.write(() => {
      ledger.removeTrash(names);
    });
  }
}

/** Folder by folder, so that the service is not held up by a hundred thousand photos. */
async function lookOver(
  { files, ledger, report }: PhotoSweeperOptions,
  isStopped: () => boolean,
): Promise<void> {
  let removed = 0;
  let missing = 0;
  for (const prefix of PREFIXES) {
    const names = await files.namesIn(prefix);
    if (isStopped()) return;
    const rows = ledger.missingFrom(prefix, names);
    for (const name of ledger.strangersAmong(names)) {
      // A younger one may belong to an upload that is under way.
      const writtenAt = await files.writtenAt(name);
      if (writtenAt === undefined || Date.now() - writtenAt < HOUR_MS) continue;
      await files.remove(name);
      removed += 1;
    }
    for (const { id, filename } of rows) {
      // It may have come after the folder was read.
      if ((await files.sizeOf(filename)) !== undefined) continue;
      missing += 1;
      if (missing <= REPORTED) report('the file of a photo is missing', { photo: id, filename });
    }
  }
  if (removed > 0) report('removed files that belonged to no photo', { files: removed });
  if (missing > REPORTED) report('the files of more photos are missing', { photos: missing });
}
