import { setImmediate as breathe } from 'node:timers/promises';
import type { Transactions } from '../../storage/transaction.ts';
import { reasonOf } from '../../kit/system-error.ts';
import { PREFIXES, type PhotoFiles, namesOf } from './files.ts';
import type { PhotoLedger } from './store.ts';

export interface PhotoSweeperOptions {
  readonly files: PhotoFiles;
  readonly ledger: PhotoLedger;
  readonly transactions: Pick<Transactions, 'write'>;
  /** Called with everything that the operator should know. */
  readonly report: (message: string, fields: Readonly<Record<string, string | number>>) => void;
}

/** Keeps the files of photos and their rows consistent. */
export interface PhotoSweeper {
  /**
   * From now on, while the service runs: removes the files that belong to no photo, opens uploads, reports the photos without
   * a file, and empties the trash again and again.
   */
  readonly start: () => void;
  /**
   * Resolves once uploads may be accepted: while `start` removes files, one without a row is a stranger, whatever its
   * age. It resolves too when that could not be found out.
   */
  readonly opened: () => Promise<void>;
  /** Empties the trash at once of what is due. */
  readonly wake: () => void;
  /** Returns at once; the database is not asked any more. */
  readonly stop: () => void;
}

const TRASH_EVERY_MS = 60 * 1000;
const TRASH_AT_ONCE = 100;
const REPORTED = 20;
// Names that the database is asked about at once: less than a millisecond.
const SLICE = 200;
const DIGITS = Array.from({ length: 16 }, (_, digit) => digit.toString(16));

/** Makes a sweeper that has not started. */
export function createPhotoSweeper(options: PhotoSweeperOptions): PhotoSweeper {
  const { report } = options;
  let stopped = false;
  const sweep = { ...options, isStopped: (): boolean => stopped };
  let timer: NodeJS.Timeout | undefined;
  let opened = Promise.resolve();

  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!stopped) report('looking after photo files failed', { error: reasonOf(error) });
    }
  }

  const empty = (): Promise<void> => guarded(() => emptyTrash(sweep));

  return {
    opened: () => opened,
    start: () => {
      opened = guarded(() => removeStrangers(sweep));
      void opened.then(() => guarded(() => reportMissing(sweep))).then(empty);
      timer = setInterval(() => void empty(), TRASH_EVERY_MS).unref();
    },
    wake: () => void empty(),
    stop: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
}

/** Removes the remains of uploads that a crash cut short; to be awaited before the first upload of this run. */
export async function removeRemains(files: PhotoFiles, ledger: PhotoLedger): Promise<void> {
  for (const stem of await files.cutShort()) {
    for (const name of ledger.strangersAmong(namesOf(stem))) await files.remove(name);
    await files.clear(stem);
  }
}

type Sweep = PhotoSweeperOptions & { readonly isStopped: () => boolean };

async function emptyTrash({ files, ledger, transactions, isStopped }: Sweep): Promise<void> {
  const now = new Date().toISOString();
  while (!isStopped()) {
    const names = ledger.trash(now, TRASH_AT_ONCE);
    for (const name of names) await files.remove(name);
    if (names.length === 0 || isStopped()) return;
    await transactions.write(() => {
      ledger.removeTrash(names);
    });
  }
}

/**
 * No upload is under way: a file that neither a row nor the trash names is what one left that broke off, or that was put
 * back with an older database. A folder that cannot be read is left as it is, and the others are done all the same.
 */
async function removeStrangers({ files, ledger, report, isStopped }: Sweep): Promise<void> {
  let removed = 0;
  let hasFailed = false;
  for (const prefix of await files.prefixes()) {
    try {
      for (const names of slicesOf(await files.namesIn(prefix))) {
        if (isStopped()) return;
        for (const name of ledger.strangersAmong(names)) {
          await files.removeFrom(prefix, name);
          removed += 1;
        }
        await breathe();
      }
    } catch (error) {
      if (!hasFailed && !isStopped()) report('looking after photo files failed', { error: reasonOf(error) });
      hasFailed = true;
    }
  }
  if (removed > 0) report('removed files that belonged to no photo', { files: removed });
}

async function reportMissing({ files, ledger, report, isStopped }: Sweep): Promise<void> {
  let missing = 0;
  const present = await files.prefixes();
  for (const prefix of PREFIXES) {
    // Most catalogues have few photos: sixteen questions are asked only where there are some.
    if (isStopped()) return;
    if (ledger.missingFrom(prefix, []).length === 0) continue;
    const names = present.includes(prefix) ? await files.namesIn(prefix) : [];
    for (const first of DIGITS.map((digit) => prefix + digit)) {
      if (isStopped()) return;
      const own = names.filter((name) => name.startsWith(first));
      for (const { id, filename } of ledger.missingFrom(first, own)) {
        // It may have come after the folder was read.
        if ((await files.sizeOf(filename)) !== undefined) continue;
        missing += 1;
        if (missing <= REPORTED) report('the file of a photo is missing', { photo: id, filename });
      }
      await breathe();
    }
  }
  if (missing > REPORTED) report('the files of more photos are missing', { photos: missing });
}

function* slicesOf(names: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < names.length; start += SLICE) yield names.slice(start, start + SLICE);
}
