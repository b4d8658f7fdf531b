import type { Permit } from '../http/context.ts';
import type { KeyedAnswer } from '../storage/answers.ts';
import type { Writer } from '../storage/change-log.ts';
import { type ImportEnd, importInThread } from './import-thread.ts';
import type { AskedImport } from './input.ts';
import { type Meter, openMeter } from './meter.ts';
import type { Spooled } from './spool.ts';

/** An import that is under way. */
export interface ImportJob {
  readonly progress: Meter['read'];
  /** The batch of what is stored; undefined while nothing is, and for a dry run. */
  readonly batchId: Meter['batchId'];
  /** Has it end after the batch that is being written. */
  readonly stop: () => void;
  /** Settles once nothing is written any more and the file is gone. Rejects when the thread could not do its work. */
  readonly ended: Promise<ImportEnd>;
}

/** An import as a request asks for it. */
export interface WantedImport {
  readonly asked: AskedImport;
  /** It goes with the end of the import. */
  readonly file: Spooled;
  readonly writer: Writer;
  readonly permit: Permit;
  readonly keyed: Pick<KeyedAnswer, 'userId' | 'key' | 'hash'> | undefined;
}

/** The imports of this process, one at a time. */
export interface ImportJobs {
  readonly isUnderWay: () => boolean;
  /** Throws while another one is under way. */
  readonly start: (wanted: WantedImport) => ImportJob;
  /** Has the one that is under way, and all that come, end after a batch. */
  readonly stop: () => void;
}

/** Makes them for a data folder. */
export function createImportJobs(options: {
  readonly dataFolder: string;
  readonly trashDays: number;
}): ImportJobs {
  let current: Meter | undefined;
  let isStopped = false;

  async function run({ asked, file, ...wanted }: WantedImport, meter: Meter): Promise<ImportEnd> {
    const { folder, path } = file;
    try {
      return await importInThread({ ...options, ...asked, ...wanted, folder, path }, meter);
    } finally {
      await file.end().finally(() => {
        current = undefined;
      });
    }
  }

  return {
    isUnderWay: () => current !== undefined,
    start: (wanted) => {
      if (current) throw new Error('two imports at once');
      const meter = (current = openMeter());
      if (isStopped) meter.stop();
      const ended = run(wanted, meter);
      // Whoever reads its progress asks for its end later.
      ended.catch(() => undefined);
      return { progress: meter.read, batchId: meter.batchId, stop: meter.stop, ended };
    },
    stop: () => {
      isStopped = true;
      current?.stop();
    },
  };
}
