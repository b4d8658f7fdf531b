import { type Stats, statSync } from 'node:fs';
import { type ConfigResult, readConfig, readDataFolder } from '../config/config.ts';
import { type Environment, explainDataFolder, isSet, readEnvironment } from '../config/environment.ts';
import { nearlyNamed } from '../kit/input/unknown.ts';
import { databasePath, restoredFolder } from '../storage/database.ts';
import { type Storage, openExistingStorage } from '../storage/storage.ts';
import { describeFailure } from '../kit/system-error.ts';
import { CommandError } from './command.ts';
import { commandPatience, complain } from './terminal.ts';

const WORDS = /^[^-_]+[-_]+[^-_]/;
// Names of other programs that look like one of ours: it names the authorities that OpenSSL trusts.
const FOREIGN: ReadonlySet<string> = new Set(['SSL_CERT_FILE']);

/**
 * The configuration of this process with the effective value of every variable, and warnings, also of misspelt names.
 * Throws a CommandError that names every wrong variable, one line each, and those whose names are misspelt, which may be
 * why.
 */
export function loadSettings(): Extract<ConfigResult, { ok: true }> {
  const environment = readEnvironment(process.cwd());
  const result = readConfig(environment);
  const misspelt = misspeltSettings(environment, result.settings);
  if (!result.ok) throw new CommandError([...result.faults, ...misspelt].join('\n'));
  return { ...result, warnings: [...result.warnings, ...misspelt] };
}

/** Says on standard error which data folder a command uses, so that a wrong one is noticed at once. */
export function announceDataFolder(folder: string): void {
  complain(`Data folder: ${folder}`);
}

/**
 * The data folder of this process, an absolute path, whatever its other settings are; it is announced. Throws a
 * CommandError when it is a file. It need not be there.
 */
export function useDataFolder(): string {
  const folder = readDataFolder(readEnvironment(process.cwd()));
  announceDataFolder(folder);
  if (statusOf(folder)?.isDirectory() === false)
    throw new CommandError(`the data folder ${folder} is a file; set DATA_DIR to a folder`);
  return folder;
}

/**
 * The same for a command that needs a catalogue which is there, or one whose restore was cut short: throws a
 * CommandError that says where it looked and how to choose another folder. Makes nothing.
 */
export function useCatalogue(): string {
  const folder = useDataFolder();
  if (!statusOf(databasePath(folder)) && !statusOf(restoredFolder(folder)))
    throw new CommandError(
      `there is no catalogue in ${folder}: catalogue.db is missing (${explainDataFolder(process.cwd())}); ` +
        'set DATA_DIR to the folder that holds it, or run this in the folder of the .env that names it',
    );
  return folder;
}

/** Opens the catalogue for `work`, which waits while other processes write, and closes it. */
export async function withCatalogue<Result>(work: (storage: Storage) => Promise<Result>): Promise<Result> {
  const storage = openExistingStorage(useCatalogue(), commandPatience());
  try {
    return await work(storage);
  } finally {
    storage.close();
  }
}

/** Says that a command has made a catalogue, which is a surprise where one was meant to be. */
export function announceNewCatalogue(folder: string): void {
  complain(`New catalogue in ${databasePath(folder)}`);
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new CommandError(`cannot use the data folder: ${describeFailure(error)}`);
  }
}

/**
 * Names that are set, are no settings, and were probably meant to be one: a line each, never with the value.
 * `settings` has all settings by their names. A variable without a value is left out, since it would have no effect
 * under the right name either.
 */
export function misspeltSettings(
  environment: Environment,
  settings: ReadonlyMap<string, string>,
): readonly string[] {
  return Object.keys(environment)
    .filter((name) => !settings.has(name) && !FOREIGN.has(name) && isSet(environment, name))
    .toSorted()
    .flatMap((name) => {
      const meant = meantBy(name, [...settings.keys()]);
      return meant.length === 0 ? [] : [`${name} is not a setting; did you mean ${meant.join(' or ')}?`];
    });
}

/** The settings that are nearly named so, and those of which several words of the name are the beginning. */
function meantBy(given: string, names: readonly string[]): readonly string[] {
  const near = nearlyNamed(given, names);
  const start = `${given.toUpperCase().replaceAll('-', '_')}_`;
  const longer = WORDS.test(given) ? names.filter((name) => name.startsWith(start)) : [];
  // Without the file of a secret that is named too.
  const apart = longer.filter((name) => !name.endsWith('_FILE') || !longer.includes(name.slice(0, -5)));
  return names.filter((name) => near.includes(name) || apart.includes(name));
}
