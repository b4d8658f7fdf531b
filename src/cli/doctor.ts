import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, readConfig, readDataFolder } from '../config/config.ts';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { escapeControls } from '../http/log.ts';
import { checkBackups, checkPrivate } from '../operations/inspection/files.ts';
import { type OlderDatabase, checkData } from '../operations/inspection/data.ts';
import { type Finding, counted, fault, note, ok, risk } from '../operations/inspection/findings.ts';
import { maxOpenFiles } from '../operations/metrics/process.ts';
import { sqliteVersion } from '../storage/database.ts';
import { readVersion } from '../kit/version.ts';
import { reasonOf } from '../kit/system-error.ts';
import type { Command } from './command.ts';
import { announceDataFolder, misspeltSettings } from './settings.ts';
import { checkSettings } from './doctor-settings.ts';
import { print } from './terminal.ts';

// Below it a commit and a checkpoint of two connections may damage the database.
const OLDEST_SQLITE = [3, 51, 3] as const;
const FEW_FILES = 1024;

export const command: Command = {
  summary: 'look for what is wrong or unsafe',
  help: [
    'Usage: catalogue doctor',
    '',
    'Looks at versions, settings, files and the database, and changes nothing; where backups go it writes a file and',
    'removes it. The service may be running.',
    'Run it as the user of the service, where the service runs. Each line begins with one of',
    '',
    '  ok     as it should be',
    '  note   good to know',
    '  risk   works, and is not safe',
    '  fault  keeps the service from working',
    '',
    'Exit code 0: no fault; 1: a fault.',
  ].join('\n'),
  run: async (args) => {
    parseArgs({ args, options: {} });
    let code = 0;
    for await (const { level, text } of examine(process.cwd(), new Date())) {
      print(escapeControls(`${level.padEnd(5)}  ${text}`));
      if (level === 'fault') code = 1;
    }
    return code;
  },
};

async function* examine(workingFolder: string, now: Date): AsyncGenerator<Finding, void, undefined> {
  const sqlite = sqliteVersion();
  const { node } = process.versions;
  yield ok(`version ${readVersion()}, Node ${node}, SQLite ${sqlite}, ${process.platform} ${process.arch}`);
  yield* checkNode(node);
  if (!isAtLeast(sqlite, OLDEST_SQLITE))
    yield fault(`SQLite ${sqlite} may damage the database; install the service anew`);
  if (process.getuid?.() === 0) yield risk('this command runs as root; run the service as a user of its own');
  const files = maxOpenFiles();
  if (files !== undefined && files < FEW_FILES)
    yield risk(`only ${counted(files, 'file')} may be open at once; raise it to 1024 or more (ulimit -n)`);
  yield* checkPrivate(resolve(workingFolder, '.env'), 'the file of settings');
  yield* checkConfigured(workingFolder, now);
}

/** The range that package.json promises. */
function* checkNode(version: string): Generator<Finding, void, undefined> {
  const [major = 0] = version.split('.').map(Number);
  const isTested =
    (major === 20 && isAtLeast(version, [20, 19, 0])) ||
    (major === 22 && isAtLeast(version, [22, 13, 0])) ||
    major >= 24;
  if (!isTested) yield risk(`Node ${version} is not supported; use Node 22 or 24`);
  else if (major === 20) yield note('Node 20 gets no security fixes any more; use Node 22 or 24');
}

function isAtLeast(version: string, oldest: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  const index = oldest.findIndex((part, position) => (parts[position] ?? 0) !== part);
  return index === -1 || (parts[index] ?? 0) > (oldest[index] ?? 0);
}

async function* checkConfigured(workingFolder: string, now: Date): AsyncGenerator<Finding, void, undefined> {
  let environment: Environment;
  try {
    environment = readEnvironment(workingFolder);
  } catch (error) {
    yield fault(`.env in ${workingFolder} cannot be read (${reasonOf(error)})`);
    return;
  }
  const folder = readDataFolder(environment);
  announceDataFolder(folder);
  const result = readConfig(environment);
  for (const text of result.ok ? result.warnings : result.faults) yield (result.ok ? risk : fault)(text);
  for (const text of misspeltSettings(environment, result.settings)) yield risk(text);
  if (!result.ok) {
    yield* checkData(folder, now, 'upgraded');
    return;
  }
  const { config, settings } = result;
  yield* checkSettings(config, settings, now);
  yield* checkData(folder, now, olderDatabase(config));
  const backups = resolve(workingFolder, settings.get('BACKUP_DIR') ?? resolve(folder, 'backups'));
  const { readOnly, backups: schedule } = config.operations;
  const areScheduled = schedule !== undefined;
  const isChosen = areScheduled || settings.has('BACKUP_DIR');
  const matters = config.production && !readOnly;
  yield* checkBackups(backups, { dataFolder: folder, matters, areScheduled, isChosen }, now);
}

function olderDatabase({ operations }: Config): OlderDatabase {
  if (operations.readOnly) return 'refused by replica';
  return operations.migrate === 'auto' ? 'upgraded' : 'refused';
}
