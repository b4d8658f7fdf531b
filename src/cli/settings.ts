import { type Stats, statSync } from 'node:fs';
import { type ConfigResult, readConfig, readDataFolder } from '../config/config.ts';
import { type Environment, explainDataFolder, isSet, readEnvironment } from '../config/environment.ts';
import { nearlyNamed } from '../kit/input/unknown.ts';
import { databasePath, restoredFolder } from '../storage/database.ts';
import { type Storage, openExistingStorage } from '../storage/storage.ts';
import { codeOf, describeFailure } from '../kit/system-error.ts';
import { CommandError } from './command.ts';
import { commandPatience, complain } from './terminal.ts';

const WORDS = /^[^-_]+[-_]+[^-_]/;
// OpenSSL's own, though it looks like one of ours.
const FOREIGN: ReadonlySet<string> = new Set(['SSL_CERT_FILE']);

/**
 * The configuration of this process, with warnings that include misspelt names. Throws a CommandError that names every
 * wrong variable, one line each, and the misspelt ones, which may be the reason.
 */
export function loadSettings(): Extract<ConfigResult, { ok: true }> {
  const environment = readEnvironment(process.cwd());
  const result = readConfig(environment);
  const misspelt = misspeltSettings(environment, result.settings);
  if (!result.ok) throw new CommandError([...result.faults, ...misspelt].join('\n'));
  return { ...result, warnings: [...result.warnings, ...misspelt] };
}

/** Prints the data folder of a command on standard error, so that a wrong one is noticed at once. */
export function announceDataFolder(folder: string): void {
  complain(`Data folder: ${folder}`);
}

/**
 * Announces and returns the data folder of this process, an absolute path, even when other settings are wrong. It need
 * not exist. Throws a CommandError when it is a file.
 */
export function useDataFolder(): string {
  const folder = readDataFolder(readEnvironment(process.cwd()));
  announceDataFolder(folder);
  if (statusOf(folder)?.isDirectory() === false)
    throw new CommandError(`the data folder ${folder} is a file; set DATA_DIR to a folder`);
  return folder;
}

/**
 * Like `useDataFolder`, for a command that needs an existing catalogue, or one whose restore was interrupted: throws a
 * CommandError that says where it looked and how to choose another folder. Creates nothing.
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

/** Opens the catalogue for `work` and closes it; writes wait for other processes. */
export async function withCatalogue<Result>(work: (storage: Storage) => Promise<Result>): Promise<Result> {
  const storage = openExistingStorage(useCatalogue(), commandPatience());
  try {
    return await work(storage);
  } finally {
    storage.close();
  }
}

/** Prints that a command has created a catalogue, which surprises operators who expected an existing one. */
export function announceNewCatalogue(folder: string): void {
  complain(`New catalogue in ${databasePath(folder)}`);
}

function statusOf(path: string): Stats | undefined {
  try {
    // Not with throwIfNoEntry: false, which would also hide that a part of the path is a file.
    return statSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new CommandError(`cannot use the data folder: ${describeFailure(error)}`);
  }
}

/**
 * A line for each variable that is set, is not a setting, and was probably meant to be one; never with its value.
 * Variables without a value are left out, since they would have no effect under the right name either.
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

/** The settings with nearly this name, and those whose names begin with its two or more words. */
function meantBy(given: string, names: readonly string[]): readonly string[] {
  const near = nearlyNamed(given, names);
  const start = `${given.toUpperCase().replaceAll('-', '_')}_`;
  const longer = WORDS.test(given) ? names.filter((name) => name.startsWith(start)) : [];
  // Omits the `_FILE` form of a secret that is listed itself.
  const apart = longer.filter((name) => !name.endsWith('_FILE') || !longer.includes(name.slice(0, -5)));
  return names.filter((name) => near.includes(name) || apart.includes(name));
}
