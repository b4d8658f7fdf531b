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
import { type CategoryMap, withCategories } from '../transfer/category-map.ts';
import { countCuisines, proposalLines, proposeCategories, rowsByCategory } from '../transfer/proposal.ts';
import { NO_COUNTS, importAll, totalOf } from '../transfer/import-all.ts';
import { Notes } from '../transfer/notes.ts';
import { entriesOf } from '../transfer/read.ts';
import { SavedLists } from '../transfer/saved-lists.ts';
import { counted } from '../kit/sentences.ts';
import { type Command, CommandError, FLAG, TEXT, UsageError, onlyOne } from './command.ts';
import { type ImportFile, encodingOf, importFormatOf, openCategoryMap, withFile } from './import-file.ts';
import { FaultReport, noteLines } from './import-report.ts';
import { announceNewCatalogue, loadSettings, useDataFolder } from './settings.ts';
import { Progress, bar, commandPatience, complain, print } from './terminal.ts';

const OPTIONS = {
  format: TEXT,
  encoding: TEXT,
  map: TEXT,
  faults: TEXT,
  user: TEXT,
  list: TEXT,
  'swap-coordinates': TEXT,
  'propose-map': FLAG,
  'dry-run': FLAG,
};

// The user of AUTH_MODE=none, who has no email.
const PLACEHOLDER = 'placeholder';

export const command: Command = {
  summary: 'import a file of restaurants',
  help: [
    'Usage: catalogue import FILE [--dry-run] [--map FILE] [--faults FILE] [--format F] [--encoding E]',
    '       catalogue import FILE --user EMAIL [--list NAME] [--dry-run]',
    '       catalogue import FILE --propose-map',
    '',
    'Imports restaurants from CSV, JSON (also GeoJSON, Overpass, and one object a line), KML, KMZ and GPX, the saved places and',
    'reviews of Google Takeout, and zip archives of these, such as that of Takeout itself. FILE may be - for standard input.',
    'Its content says what it is, unless --format does.',
    '',
    'CSV columns are recognised by their headings, in nine languages: the field names of the API and many others; cuisine, a list',
    'whose first entry is the category and all of whose entries are food types; price, one to four currency signs; and the',
    'parts of an address. A restaurant that exists (same id in another catalogue, or same name and address) is updated; empty',
    'values change nothing. A value that cannot be used is left out, and said; only rows without a name are refused.',
    '',
    '  --format F     csv, ndjson, json, geojson, kml, gpx or zip',
    '  --encoding E   a label such as utf-8, windows-1252 or shift_jis, if the file is not in the encoding that it appears to be in',
    '  --swap-coordinates true|false  whether latitude and longitude of the file are swapped, where it looks like that',
    '  --map FILE     a CSV of two columns, cuisine and category, for categories other than the first cuisine; the row * is for',
    '                 all cuisines without a row',
    '  --propose-map  print such a map for this file, and import nothing',
    '  --faults FILE  write all rows that failed to FILE, as CSV: line, name, reason',
    '  --user EMAIL   put saved places on a list of this user, with their notes; placeholder is the user of AUTH_MODE=none.',
    '                 The list is named after the file; "Want to go" and "Favourites" are the built-in lists',
    '  --list NAME    the name or id of another list for them',
    '  --dry-run      report what would happen, and change nothing',
    '',
    'Exit code 1 if any row failed. The service may be running.',
  ].join('\n'),
  run: async (args) => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    const file = onlyOne(positionals, 'import takes one file');
    const source = {
      file,
      format: importFormatOf(values.format),
      encoding: encodingOf(values.encoding),
      swap: swapOf(values['swap-coordinates']),
    };
    if (values.list !== undefined && values.user === undefined) throw new UsageError('--list needs --user');
    if (values['propose-map'] === true) return proposeMap(source);
    if (values.user !== undefined && file === '-')
      throw new UsageError('--user needs the name of a file, which is the name of the list');
    refuseOverwriting(values.faults, [file, values.map]);
    const { auth, history } = loadSettings().config;
    const dataFolder = useDataFolder();
    const map = values.map === undefined ? undefined : await openCategoryMap(values.map);
    // With a user, the file is named after a private list, and administrators can see the names of batches.
    const isNamed = file !== '-' && values.user === undefined;
    const batch: Batch = { file: isNamed ? basename(file) : null, id: undefined };
    const isDryRun = values['dry-run'] === true;
    const { user, list, faults: faultsFile } = values;
    const isHidden = user === PLACEHOLDER && auth.mode !== 'none';
    const own = {
      source,
      map,
      faultsFile,
      user,
      isHidden,
      list,
      trashDays: history.trashDays,
      batch,
      isDryRun,
    };
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
  /** Whether the service shows no lists of this user. */
  readonly isHidden: boolean;
  /** The name or id of a list. */
  readonly list: string | undefined;
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

/** Whether to swap; undefined if the operator did not say. */
function swapOf(said: string | undefined): boolean | undefined {
  if (said === undefined) return undefined;
  if (said !== 'true' && said !== 'false') throw new UsageError('--swap-coordinates must be true or false');
  return said === 'true';
}

async function importFile(options: ImportOptions, folder: string): Promise<number> {
  const { source, map, user, list, trashDays, batch, isDryRun } = options;
  const progress = new Progress();
  const notes = new Notes();
  const name = source.file === '-' ? null : basename(source.file);
  const faults = new FaultReport(options.faultsFile, progress);
  let counts = NO_COUNTS;
  const total = (): string => counted(totalOf(counts), 'row');
  try {
    await withFile(source, name, notes, async (file) => {
      if (notes.questions.has('swap_coordinates') && !isDryRun)
        throw new CommandError(
          `latitude and longitude seem to be swapped (${notes.json().swapped?.example ?? ''}); ` +
            'nothing was imported: say --swap-coordinates true, or false to leave these positions out',
        );
      let read = 0;
      const all = entriesOf(file, notes, (bytes) => (read += bytes));
      progress.follow(() => `${bar(read / Math.max(1, file.size))} ${total()}`);
      const storage = openStorage(folder, commandPatience(progress));
      try {
        progress.clear();
        if (storage.isNew && !isDryRun) announceNewCatalogue(folder);
        const lists =
          user === undefined
            ? undefined
            : new SavedLists(storage.queries, ownerIdOf(user, storage.queries), false, chosenList(list));
        if (lists?.isThere === false) throw new CommandError(`there is no list ${list ?? ''} of this user`);
        const { saved, cut, duplicates } = await importAll(map ? withCategories(all, map) : all, {
          storage,
          trashDays,
          writer: COMMAND_LINE,
          batch,
          isDryRun,
          lists,
          notes,
          failed: (fault) => {
            faults.add(fault);
          },
          stored: (now) => (counts = now),
        });
        if (lists && saved === 0) progress.complain('no list was changed: the file has no saved places');
        const filled = lists?.json().map((one) => one.name) ?? [];
        if (filled.length > 0) progress.complain(`saved places and their notes go on: ${filled.join(', ')}`);
        if (filled.length > 0 && options.isHidden)
          progress.complain('no account has that list: placeholder is the user of AUTH_MODE=none');
        if (cut > 0) progress.complain(`cut to ${NOTE_MAX} characters: ${counted(cut, 'note')}`);
        if (duplicates > 0)
          progress.complain(
            `${counted(duplicates, 'new restaurant')} may have been there before; the app shows them under /duplicates`,
          );
      } finally {
        storage.close();
      }
    });
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
  for (const line of noteLines(notes.json())) complain(line);
  print(
    `${total()}: ${Object.entries(counts)
      .map(([result, count]) => `${count} ${result}`)
      .join(', ')}`,
  );
  return counts.failed > 0 || totalOf(counts) === 0 ? 1 : 0;
}

function chosenList(list: string | undefined): number | string | undefined {
  return list !== undefined && /^\d+$/.test(list) ? Number(list) : list;
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
  const notes = new Notes();
  const counts = await withFile(source, null, notes, (file) =>
    countCuisines(entriesOf(file, notes, () => undefined)),
  );
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
