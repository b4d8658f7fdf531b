import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UserStore } from '../people/accounts/users.ts';
import { NOTE_MAX } from '../people/lists/input.ts';
import { databasePath, refuseHalfRestored } from '../storage/database.ts';
import { storageFailure } from '../storage/failures.ts';
import { type Storage, openStorage } from '../storage/storage.ts';
import { type Batch, COMMAND_LINE } from '../storage/change-log.ts';
import type { CategoryMap } from '../transfer/category-map.ts';
import { countCuisines, proposalLines, proposeCategories, rowsByCategory } from '../transfer/proposal.ts';
import { NO_COUNTS, importAll, totalOf } from '../transfer/import-all.ts';
import { SavedList } from '../transfer/saved-lists.ts';
import { counted } from '../kit/sentences.ts';
import { type Command, CommandError, FLAG, TEXT, UsageError, onlyOne } from './command.ts';
import { type ImportFile, encodingOf, formatOf, openCategoryMap, openEntries } from './import-file.ts';
import { FaultReport } from './import-report.ts';
import { announceNewCatalogue, loadSettings, useDataFolder } from './settings.ts';
import { Progress, bar, commandPatience, complain, print } from './terminal.ts';

const OPTIONS = {
  format: TEXT,
  encoding: TEXT,
  map: TEXT,
  faults: TEXT,
  user: TEXT,
  'propose-map': FLAG,
  'dry-run': FLAG,
};

// The user of AUTH_MODE=none, who has no email.
const PLACEHOLDER = 'placeholder';

export const command: Command = {
  summary: 'import a file of restaurants',
  help: [
    'Usage: catalogue import FILE [--dry-run] [--map FILE] [--faults FILE] [--format F] [--encoding E]',
    '       catalogue import FILE --user EMAIL [--dry-run]',
    '       catalogue import FILE --propose-map',
    '',
    'Imports restaurants from CSV, NDJSON or GeoJSON, and the saved places of Google Takeout (Saved Places.json,',
    'Saved/<list>.csv). FILE may be - for standard input. The extension of FILE says its format, unless --format does.',
    '',
    'CSV columns are recognised by their headings: the field names of the API; cuisine, a comma-separated list whose first',
    'entry is the category and all of whose entries are food types; price, one to four currency signs; and city, which is added',
    'to the address. A restaurant that exists (same google_place_id, or same name and address) is updated; empty values change',
    'nothing. Rows that cannot be imported are listed, and all others are imported.',
    '',
    '  --format F     csv, ndjson, geojson or kml',
    '  --encoding E   utf-8, utf-16le or windows-1252, if the file is not in the encoding that it appears to be in',
    '  --map FILE     a CSV of two columns, cuisine and category, for categories other than the first cuisine; the row * is for',
    '                 all cuisines without a row',
    '  --propose-map  print such a map for this file, and import nothing',
    '  --faults FILE  write all rows that failed to FILE, as CSV: line, name, reason',
    '  --user EMAIL   put the places of Google Takeout on a list of this user, with their notes; placeholder is the user of',
    '                 AUTH_MODE=none. The list is named after the file; "Want to go" and "Favourites" are the built-in lists',
    '  --dry-run      report what would happen, and change nothing',
    '',
    'Exit code 1 if any row failed. The service may be running.',
  ].join('\n'),
  run: async (args) => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    const file = onlyOne(positionals, 'import takes one file');
    const source = { file, format: formatOf(file, values.format), encoding: encodingOf(values.encoding) };
    if (values['propose-map'] === true) return proposeMap(source);
    if (values.user !== undefined && file === '-')
      throw new UsageError('--user needs the name of a file, which is the name of the list');
    refuseOverwriting(values.faults, [file, values.map]);
    const { trashDays } = loadSettings().config.history;
    const dataFolder = useDataFolder();
    const map = values.map === undefined ? undefined : await openCategoryMap(values.map);
    // With a user, the file is named after a private list, and administrators can see the names of batches.
    const isNamed = file !== '-' && values.user === undefined;
    const batch: Batch = { file: isNamed ? basename(file) : null, id: undefined };
    const isDryRun = values['dry-run'] === true;
    const own = { source, map, faultsFile: values.faults, user: values.user, trashDays, batch, isDryRun };
    if (isDryRun) return tryOut(dataFolder, (folder) => importFile(own, folder));
    try {
      return await importFile(own, dataFolder);
    } finally {
      // What was stored before a failure can be undone as well.
      if (batch.id !== undefined)
        print(`This is batch ${batch.id}; to undo it: catalogue revert --batch ${batch.id}`);
    }
  },
};

interface ImportOptions {
  readonly source: ImportFile;
  readonly map: CategoryMap | undefined;
  readonly faultsFile: string | undefined;
  /** The email of the owner of a list, or `placeholder`. */
  readonly user: string | undefined;
  readonly trashDays: number;
  /** Has an id once the import has stored something. */
  readonly batch: Batch;
  readonly isDryRun: boolean;
}

/** Refuses a faults file that is also an input, or is standard output, which has the summary. */
function refuseOverwriting(faults: string | undefined, read: readonly (string | undefined)[]): void {
  if (faults === undefined) return;
  if (faults === '' || faults === '-') throw new UsageError('--faults takes the name of a file');
  if (read.some((file) => file !== undefined && resolve(file) === resolve(faults)))
    throw new UsageError('--faults must not name a file that is read');
}

async function importFile(options: ImportOptions, folder: string): Promise<number> {
  const { source, map, user, trashDays, batch, isDryRun } = options;
  const progress = new Progress();
  const { entries, share, title } = openEntries(source, map, progress);
  const faults = new FaultReport(options.faultsFile, progress);
  let counts = NO_COUNTS;
  const total = (): string => counted(totalOf(counts), 'row');
  progress.follow(() => {
    const read = share();
    return `${read === undefined ? '' : `${bar(read)} `}${total()}`;
  });
  try {
    const storage = openStorage(folder, commandPatience(progress));
    try {
      progress.clear();
      if (storage.isNew && !isDryRun) announceNewCatalogue(folder);
      const list =
        user === undefined
          ? undefined
          : new SavedList(storage.queries, ownerIdOf(user, storage.queries), title, false);
      const { saved, cut, duplicates } = await importAll(entries, {
        storage,
        trashDays,
        writer: COMMAND_LINE,
        batch,
        isDryRun,
        list,
        failed: (fault) => {
          faults.add(fault);
        },
        stored: (all) => (counts = all),
      });
      if (list && saved === 0) progress.complain('no list was changed: the file has no saved places');
      if (cut > 0) progress.complain(`cut to ${NOTE_MAX} characters: ${counted(cut, 'note')}`);
      if (duplicates > 0)
        progress.complain(
          `${counted(duplicates, 'new restaurant')} may have been there before; the app shows them under /duplicates`,
        );
    } finally {
      storage.close();
    }
  } catch (error) {
    if (storageFailure(error) !== 'busy') throw error;
    throw new CommandError(
      `other processes kept writing to the database for a minute; done so far: ${total()} of the file; ` +
        'run the same import again for the rest',
    );
  } finally {
    progress.close();
    faults.close();
  }
  print(
    `${total()}: ${Object.entries(counts)
      .map(([result, count]) => `${count} ${result}`)
      .join(', ')}`,
  );
  return counts.failed > 0 ? 1 : 0;
}

/** The id of a user, null for the placeholder. Throws a CommandError when there is no such user. */
function ownerIdOf(user: string, queries: Storage['queries']): number | null {
  if (user === PLACEHOLDER) return null;
  const found = new UserStore(queries).findByEmail(user)?.user;
  if (!found) throw new CommandError(`there is no user with the email ${user}`);
  return found.id;
}

/** Prints a category map for the first cuisines of a file, in the form that `--map` reads. */
async function proposeMap(source: ImportFile): Promise<number> {
  const counts = await countCuisines(openEntries(source, undefined, new Progress()).entries);
  if (counts.length === 0) throw new CommandError(`no row of ${source.file} has a cuisine or a category`);
  const proposed = proposeCategories(counts);
  for (const line of proposalLines(proposed)) print(line);
  const categories = [...rowsByCategory(proposed)];
  const names = categories.map(([category, rows]) => `${category} ${rows}`).join(', ');
  complain(
    `${counted(counts.length, 'first cuisine')}, ${categories.length} categories with their rows: ${names}`,
  );
  return 0;
}

/** Runs `work`, which writes nothing, on the data folder, or on an empty one if there is no database. */
async function tryOut(folder: string, work: (folder: string) => Promise<number>): Promise<number> {
  refuseHalfRestored(folder);
  if (existsSync(databasePath(folder))) return sayDry(await work(folder));
  complain(`There is no catalogue in ${folder} yet: the import would make one.`);
  const empty = mkdtempSync(join(tmpdir(), 'catalogue-dry-run-'));
  try {
    return sayDry(await work(empty));
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
}

function sayDry(code: number): number {
  print('Dry run: nothing was changed.');
  return code;
}
