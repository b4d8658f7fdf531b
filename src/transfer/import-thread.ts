import { createReadStream, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { callerOf, openCallers } from '../people/accounts/authenticate.ts';
import type { Permit } from '../http/context.ts';
import { HttpError } from '../http/errors.ts';
import { propertiesOf } from '../kit/objects.ts';
import { type KeyedAnswer, createAnswers } from '../storage/answers.ts';
import { type Batch, type Writer, createChangeLog } from '../storage/change-log.ts';
import { databasePath } from '../storage/database.ts';
import { takeSnapshot } from '../storage/snapshot.ts';
import { type Storage, openExistingStorage } from '../storage/storage.ts';
import { codeOf, reasonOf } from '../kit/system-error.ts';
import { runInThread } from '../kit/threads.ts';
import { readEntries } from './formats.ts';
import { createImporter } from './import.ts';
import type { AskedImport } from './input.ts';
import { type Meter, openMeter } from './meter.ts';
import { importAll } from './run.ts';
import type { SourceEntry } from './source.ts';
import { createCatalogueStores } from './stores.ts';
import { type ImportSummary, createTally } from './tally.ts';

/** A file to be imported on a connection of its own. */
export interface ImportWork extends AskedImport {
  readonly dataFolder: string;
  readonly trashDays: number;
  readonly path: string;
  /** A folder for what is needed on the way; it is the caller's to remove. */
  readonly folder: string;
  readonly writer: Writer;
  /** Checked again in the transaction of each batch of rows. */
  readonly permit: Permit;
  /** Under which the answer is stored; undefined for a request without a key. */
  readonly keyed: Pick<KeyedAnswer, 'userId' | 'key' | 'hash'> | undefined;
}

/** The end of an import. What it had stored before it was stopped, or failed, stays. */
export type ImportEnd =
  | { readonly outcome: 'done'; readonly body: string; readonly changeId: number | undefined }
  | { readonly outcome: 'stopped' | 'notPermitted' }
  | { readonly outcome: 'failed'; readonly code: string; readonly reason: string };

// Longer than any other write takes, as on the command line: a part of the file is stored already.
const PATIENCE = { limitMs: 60_000 };

class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Imports a file in a thread of its own, which shows in `meter` how far it has come, and ends when that says so. */
export async function importInThread(work: ImportWork, { memory }: Meter): Promise<ImportEnd> {
  return readEnd(await runInThread(import.meta.url, 'importFile', { ...work, memory }, 'imports a file'));
}

/** The work of that thread. Never rejects: errors that cross threads lose their class and code. */
export async function importFile(work: ImportWork & Pick<Meter, 'memory'>): Promise<ImportEnd> {
  const meter = openMeter(work.memory);
  try {
    return await (work.isDryRun ? importIntoCopy(work, meter) : importInto(work.dataFolder, work, meter));
  } catch (error) {
    if (error instanceof Stopped) return { outcome: 'stopped' };
    if (error instanceof HttpError) return { outcome: 'notPermitted' };
    return { outcome: 'failed', code: codeOf(error) ?? '', reason: reasonOf(error) };
  }
}

/** Other writes do not wait for that, and what stands in one row is known at the next. */
async function importIntoCopy(work: ImportWork, meter: Meter): Promise<ImportEnd> {
  const copy = join(work.folder, 'copy');
  mkdirSync(copy, { mode: 0o700 });
  await takeSnapshot(work.dataFolder, databasePath(copy));
  return importInto(copy, work, meter);
}

async function importInto(folder: string, work: ImportWork, meter: Meter): Promise<ImportEnd> {
  const { isDryRun, keyed } = work;
  const storage = openExistingStorage(folder, PATIENCE);
  try {
    const { transactions, queries } = storage;
    const { batchId, firstChange, ...summary } = await importRows(storage, work, meter);
    const batch_id = isDryRun ? null : (batchId ?? null);
    const body = JSON.stringify({ dry_run: isDryRun, batch_id, ...summary });
    const changeId = batch_id === null ? undefined : firstChange;
    if (keyed && !isDryRun) {
      const answers = createAnswers(queries.file('idempotency'));
      const answer = { status: 200, location: null, changeId: changeId ?? null, body: Buffer.from(body) };
      await transactions.write(() => {
        callerOf(work.permit, openCallers(queries));
        answers.store({ ...keyed, ...answer });
      });
    }
    return { outcome: 'done', body, changeId };
  } finally {
    storage.close();
  }
}

/** The result of an import in the order of its answer. */
interface Imported extends ImportSummary {
  /** Undefined where nothing was changed. */
  readonly batchId: number | undefined;
  readonly firstChange: number | undefined;
  /** Columns that mean nothing to the service. */
  readonly ignored: readonly string[];
}

async function importRows(
  { transactions, queries }: Storage,
  work: ImportWork,
  meter: Meter,
): Promise<Imported> {
  const { path, name, writer, permit, trashDays } = work;
  const log = createChangeLog({ sql: queries.file('change-log'), transactions, trashDays });
  const batch: Batch = { file: name, id: undefined };
  const tally = createTally();
  let ignored: readonly string[] = [];
  const { size } = statSync(path);
  let taken = 0;
  const entries = readEntries(createReadStream(path), work, {
    ignored: (columns) => (ignored = columns),
    leftOut: () => undefined,
    taken: (bytes) => (taken += bytes),
  });
  const callers = openCallers(queries);
  await importAll(untilStopped(entries, meter), {
    transactions,
    // A dry run writes into a copy, which knows nothing of what ended since.
    recheck: () => {
      if (!work.isDryRun) callerOf(permit, callers);
    },
    importEntry: createImporter(createCatalogueStores({ queries }), () => log.begin({ ...writer, batch })),
    batch,
    stored: (outcomes) => {
      tally.add(outcomes);
      meter.advance(outcomes.length, taken / size);
      if (batch.id !== undefined && !work.isDryRun) meter.setBatch(batch.id);
    },
  });
  const { faults, ...counts } = tally.summary();
  return { batchId: batch.id, firstChange: batch.firstChange, ...counts, ignored, faults };
}

/** Throws once it must end. */
async function* untilStopped(entries: AsyncIterable<SourceEntry>, meter: Meter): AsyncGenerator<SourceEntry> {
  for await (const entry of entries) {
    if (meter.isStopped()) throw new Stopped();
    yield entry;
  }
}

function readEnd(sent: unknown): ImportEnd {
  const values = propertiesOf(sent);
  const outcome = values?.get('outcome');
  const [body, changeId] = ['body', 'changeId'].map((name) => values?.get(name));
  if (outcome === 'done' && typeof body === 'string')
    return { outcome, body, changeId: typeof changeId === 'number' ? changeId : undefined };
  if (outcome === 'stopped' || outcome === 'notPermitted') return { outcome };
  if (outcome !== 'failed') throw new TypeError('a thread that imports a file sent no outcome');
  return { outcome, code: String(values?.get('code')), reason: String(values?.get('reason')) };
}
