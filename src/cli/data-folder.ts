import { type Stats, statSync } from 'node:fs';
import { explainDataFolder, readDataFolder, readEnvironment } from '../config.ts';
import { databasePath, restoredFolder } from '../storage/database.ts';
import { describeFailure } from '../system-error.ts';
import { CommandError } from './command.ts';
import { complain } from './terminal.ts';

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
