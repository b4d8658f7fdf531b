import { join } from 'node:path';
import { firstCharacters } from '../kit/input/fields.ts';
import {
  type RequestWork,
  type WorkEnd,
  onOwnConnection,
  refuse,
  workInThread,
} from '../people/request-thread.ts';
import type { Batch } from '../storage/change-log.ts';
import type { AskedImport } from './upload.ts';
import type { ImportFault } from './importer.ts';
import { importAll, totalOf } from './import-all.ts';
import { Notes } from './notes.ts';
import { entriesOf, lookAt } from './read.ts';
import { SavedLists } from './saved-lists.ts';
import { ADMINS_ONLY, UnreadableFile } from './faults.ts';

/** The name of the file in its folder. */
export const UPLOAD = 'file';

/** A file to be imported. */
export interface ImportWork extends RequestWork, AskedImport {
  /** The folder of the file and of temporary files. The caller removes it. */
  readonly folder: string;
  /** The memory of its meter. */
  readonly memory: SharedArrayBuffer;
  /** The owner of the list for saved places; null for the placeholder of mode none. */
  readonly ownerId: number | null;
}

const [STOPPED, ROWS, SHARE, BATCH, CELLS] = [0, 1, 2, 3, 4];
// A share is stored as a whole number.
const WHOLE = 1_000;

/** The progress of an import and the request to stop it, shared between the thread that runs it and its caller. */
export class Meter {
  readonly memory: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(memory = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#cells = new Int32Array(memory);
  }

  /** The number of rows stored so far, and the share of the file that was read. */
  progress(): { readonly rows: number; readonly share: number } {
    const [rows, share] = [Atomics.load(this.#cells, ROWS), Atomics.load(this.#cells, SHARE)];
    return { rows, share: share / WHOLE };
  }

  advance(rows: number, share: number, batchId: number | undefined): void {
    Atomics.store(this.#cells, ROWS, rows);
    Atomics.store(this.#cells, SHARE, Math.floor(share * WHOLE));
    Atomics.store(this.#cells, BATCH, batchId ?? 0);
  }

  /** The batch of the stored rows; undefined before the first one, and for a dry run. */
  batchId(): number | undefined {
    // Ids begin with 1.
    return Atomics.load(this.#cells, BATCH) || undefined;
  }

  /** Ends the import after the current transaction. */
  stop(): void {
    Atomics.store(this.#cells, STOPPED, 1);
  }

  isStopped(): boolean {
    return Atomics.load(this.#cells, STOPPED) === 1;
  }
}

// Longer than any other write waits, since a part of the file may be stored already. The command line waits as long.
const PATIENCE_MS = 60_000;
export const STOPPING = 'The service is stopping; import the file again for the rest';
/** Headers of an answer that other requests or a restart prevent. */
export const RETRY_LATER = { 'Retry-After': '5' };
const MOST_FAULTS = 100;
const MOST_UNKNOWN = 1_000;
// Faults quote the file, in which a cell may have a megabyte.
const MAX_NAME = 255;
const MAX_REASON = 2_000;

/** Imports a file in a separate thread. The rows that were stored before it was stopped, or failed, stay. */
export function importInThread(work: ImportWork): Promise<WorkEnd> {
  return workInThread(import.meta.url, 'importFile', work, 'imports a file');
}

/** The work of that thread. */
export function importFile(work: ImportWork): Promise<WorkEnd> {
  const { folder, name, list, trashDays, writer, keyed, ownerId, adminsOnly } = work;
  const meter = new Meter(work.memory);
  return onOwnConnection(work, PATIENCE_MS, work.dataFolder, async (opened) => {
    const { storage, recheck, storeAnswer } = opened;
    const batch: Batch = { file: name, id: undefined };
    const faults: object[] = [];
    const unknown: object[] = [];
    let unknownTotal = 0;
    const lists = new SavedLists(storage.queries, ownerId, true, list);
    const requireList = (): void => {
      if (!lists.isThere) refuse(404, 'List not found');
    };
    requireList();
    const notes = new Notes();
    const asked = { ...work, path: join(folder, UPLOAD), savedOnly: !recheck().isAdmin };
    const file = await lookAt(asked, notes).catch((error: unknown) => {
      if (!(error instanceof UnreadableFile)) throw error;
      if (error.code === ADMINS_ONLY) refuse(403, error.message);
      refuse(400, error.message, {}, error.code);
    });
    // Nothing is stored while a question is open.
    const isDryRun = work.isDryRun || notes.questions.size > 0;
    let taken = 0;
    const entries = entriesOf(file, notes, (bytes) => (taken += bytes));
    const {
      saved: _saved,
      cut,
      duplicates,
      ...counts
    } = await importAll(entries, {
      storage,
      trashDays,
      writer,
      batch,
      isDryRun,
      lists,
      notes,
      recheck: (hasOthers) => {
        if (meter.isStopped()) refuse(503, STOPPING, RETRY_LATER);
        const { isAdmin } = recheck();
        // Its owner may have deleted it meanwhile.
        requireList();
        if (hasOthers && !isAdmin) refuse(403, new UnreadableFile(ADMINS_ONLY).message);
        return isAdmin || !adminsOnly;
      },
      unknown: ({ line, name }) => {
        unknownTotal += 1;
        if (unknown.length < MOST_UNKNOWN) unknown.push({ line, name });
      },
      failed: (fault) => {
        if (faults.length < MOST_FAULTS) faults.push(faultJson(fault));
      },
      stored: (all) => {
        meter.advance(totalOf(all), Math.min(1, taken / Math.max(1, file.size)), batch.id);
      },
    });
    const filled = lists.json();
    const { id: batch_id = null, firstChange: changeId } = batch;
    const body = JSON.stringify({
      dry_run: isDryRun,
      batch_id,
      list: filled[0] ?? null,
      lists: filled,
      ...counts,
      duplicates,
      unknown_total: unknownTotal,
      unknown,
      notes_cut: cut,
      ...notes.json(),
      faults,
    });
    if (keyed && !isDryRun)
      await storage.transactions.write(() => {
        recheck();
        storeAnswer(body, changeId);
      });
    return { outcome: 'done', body, changeId };
  });
}

function faultJson({ line, name, reason, code }: ImportFault): object {
  return {
    line,
    name: name === undefined ? null : firstCharacters(name, MAX_NAME),
    code,
    reason: firstCharacters(reason, MAX_REASON),
  };
}
