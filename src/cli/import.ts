import { type Stats, createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { databasePath, refuseHalfRestored } from '../storage/database.ts';
import { storageFailure } from '../storage/failures.ts';
import { takeSnapshot } from '../storage/snapshot.ts';
import { type Storage, openStorage } from '../storage/storage.ts';
import { type Batch, COMMAND_LINE, createChangeLog } from '../storage/change-log.ts';
import { FIRST_BATCH, nextBatch } from '../transfer/batches.ts';
import { readCsv } from '../transfer/csv.ts';
import type { Format } from '../transfer/export.ts';
import { readGeoJson } from '../transfer/geojson.ts';
import { counted } from '../inspection/findings.ts';
import { type CheckedEntry, type ImportOutcome, checkEntry, createImporter } from '../transfer/import.ts';
import { readNdjson } from '../transfer/ndjson.ts';
import type { SourceEntry, SourceReader } from '../transfer/source.ts';
import { describeFailure } from '../system-error.ts';
import { type Command, CommandError, FLAG, TEXT, onlyOne } from './command.ts';
import { announceNewCatalogue, loadSettings, useDataFolder } from './settings.ts';
import { type Progress, bar, commandPatience, complain, openProgress, print } from './terminal.ts';
import { createCatalogueStores, formatOf } from './stores.ts';

const READERS: Readonly<Record<Format, SourceReader>> = {
  csv: readCsv,
  ndjson: readNdjson,
  geojson: readGeoJson,
};
export const command: Command = {
  summary: 'import a file of restaurants',
  help: [
    'Usage: catalogue import FILE [--format csv|ndjson|geojson] [--dry-run]',
    '',
    'Imports restaurants from CSV, NDJSON or GeoJSON, also from the saved places of Google Takeout (Saved Places.json,',
    'Saved/<list>.csv). FILE may be - for standard input. The format follows from the ending of FILE unless it is named.',
    '',
    'CSV columns are found by their header: the field names of the API, and cuisine, a comma-separated list of which the',
    'first is the category and all are food types. A restaurant that is there already (same google_place_id, or same name',
    'and address) is updated; an empty value changes nothing. Rows that cannot be imported are listed, all others go in.',
    '',
    '  --format F  csv, ndjson or geojson',
    '  --dry-run   report what would happen, on a copy that is thrown away',
    '',
    'Exit code 1 when any row failed. The service may be running.',
  ].join('\n'),
  run: async (args) => {
    const options = { format: TEXT, 'dry-run': FLAG };
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const file = onlyOne(positionals, 'import takes one file');
    const format = formatOf(file, values.format);
    const { trashDays } = loadSettings().config.history;
    const dataFolder = useDataFolder();
    const batch: Batch = { file: file === '-' ? null : basename(file), id: undefined };
    const isDryRun = values['dry-run'] === true;
    const own = { file, format, trashDays, batch, isDryRun };
    if (isDryRun) return onCopy(dataFolder, (copy) => importFile(own, copy));
    try {
      return await importFile(own, dataFolder);
    } finally {
      // What went in before a failure can be undone as well.
      if (batch.id !== undefined)
        print(`This is batch ${batch.id}; to undo it: catalogue revert --batch ${batch.id}`);
    }
  },
};

interface ImportOptions {
  readonly file: string;
  readonly format: Format;
  readonly trashDays: number;
  /** Has an id once something of it is stored. */
  readonly batch: Batch;
  readonly isDryRun: boolean;
}

async function importFile(options: ImportOptions, folder: string): Promise<number> {
  const source = openSource(options.file);
  const progress = openProgress();
  const storage = openStorage(folder, commandPatience(progress));
  const { counts, total, add } = createCounts(progress, source.share);
  try {
    if (storage.isNew && !options.isDryRun) announceNewCatalogue(folder);
    await store(READERS[options.format](source.chunks, reportIgnored), storage, options, add);
    progress.clear();
    const words = Object.entries(counts).map(([result, count]) => `${count} ${result}`);
    print(`${total()}: ${words.join(', ')}`);
    return counts.failed > 0 ? 1 : 0;
  } catch (error) {
    if (storageFailure(error) !== 'busy') throw error;
    throw new CommandError(
      `other processes kept writing to the database for a minute; done so far: ${total()} of the file; ` +
        'run the same import again for the rest',
    );
  } finally {
    progress.clear();
    storage.close();
  }
}

function reportIgnored(columns: readonly string[]): void {
  if (columns.length > 0) complain(`columns left out: ${columns.join(', ')}`);
}

async function store(
  entries: AsyncIterable<SourceEntry>,
  storage: Storage,
  { trashDays, batch }: ImportOptions,
  add: (outcomes: readonly ImportOutcome[]) => void,
): Promise<void> {
  const { transactions, queries } = storage;
  const log = createChangeLog({ sql: queries.file('change-log'), transactions, trashDays });
  const importEntry = createImporter(createCatalogueStores(storage), () =>
    log.begin({ ...COMMAND_LINE, batch }),
  );
  let size = FIRST_BATCH;
  let rows: CheckedEntry[] = [];
  let waitUntil = 0;
  const write = async (): Promise<void> => {
    // As long as the last batch held the write lock, others have it; reading the file counts.
    await pause(Math.max(0, Math.ceil(waitUntil - performance.now())));
    let [started, worked] = [0, 0];
    const batchId = batch.id;
    const run = (): ImportOutcome[] => {
      // Where a run of this was undone, so was the row of the batch.
      batch.id = batchId;
      started = performance.now();
      const stored = rows.map(importEntry);
      worked = performance.now();
      return stored;
    };
    const outcomes = await transactions.write(run).catch((error: unknown) => {
      batch.id = batchId;
      throw error;
    });
    const ended = performance.now();
    size = nextBatch(size, worked - started, ended - started);
    waitUntil = ended + (ended - started);
    rows = [];
    add(outcomes);
  };
  for await (const entry of entries) {
    rows.push(checkEntry(entry));
    if (rows.length >= size) await write();
  }
  await write();
}

/** The file as it arrives, and the share of it that was read; undefined where its size is unknown. */
function openSource(file: string) {
  if (file === '-') return { chunks: process.stdin, share: () => undefined };
  let stats: Stats;
  try {
    stats = statSync(file);
  } catch (error) {
    throw new CommandError(`cannot read ${describeFailure(error)}`);
  }
  if (stats.isDirectory()) throw new CommandError(`${file} is a folder`);
  const stream = createReadStream(file);
  return { chunks: stream, share: () => (stats.size === 0 ? 1 : stream.bytesRead / stats.size) };
}

/** Counts the outcomes, shows how many there are, and prints the reasons of those that failed. */
function createCounts(progress: Progress, readShare: () => number | undefined) {
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const total = (): string =>
    counted(
      Object.values(counts).reduce((sum, count) => sum + count, 0),
      'row',
    );
  const add = (outcomes: readonly ImportOutcome[]): void => {
    for (const outcome of outcomes) {
      counts['reason' in outcome ? 'failed' : outcome.result] += 1;
      if (!('reason' in outcome)) continue;
      progress.clear();
      complain(`line ${outcome.line}: ${outcome.reason}`);
    }
    const share = readShare();
    progress.show(`${share === undefined ? '' : `${bar(share)} `}${total()}`);
  };
  return { counts, total, add };
}

/** Runs `work` on a copy of the data folder's database, or on an empty folder where there is none. */
async function onCopy(folder: string, work: (copy: string) => Promise<number>): Promise<number> {
  const copy = mkdtempSync(join(tmpdir(), 'catalogue-dry-run-'));
  try {
    refuseHalfRestored(folder);
    if (existsSync(databasePath(folder))) await takeSnapshot(folder, databasePath(copy));
    else complain(`There is no catalogue in ${folder} yet: the import would make one.`);
    const code = await work(copy);
    print('Dry run: nothing was changed.');
    return code;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
