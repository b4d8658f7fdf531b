import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, readConfig, readDataFolder, readEnvironment } from '../config.ts';
import type { Environment } from '../config-variables.ts';
import { escapeControls } from '../http/log.ts';
import { checkBackups } from '../inspection/files.ts';
import { type OlderDatabase, checkData } from '../inspection/data.ts';
import { checkPrivate } from '../inspection/files.ts';
import { type Finding, counted, fault, note, ok, risk } from '../inspection/findings.ts';
import { maxOpenFiles } from '../metrics/process.ts';
import { sqliteVersion } from '../storage/database.ts';
import { readVersion } from '../version.ts';
import { reasonOf } from '../system-error.ts';
import type { Command } from './command.ts';
import { announceDataFolder } from './data-folder.ts';
import { checkSettings } from './doctor-settings.ts';
import { misspeltSettings } from './misspelt.ts';
import { print } from './terminal.ts';

// Below it a commit and a checkpoint of two connections may damage the database.
const OLDEST_SQLITE = [3, 51, 3] as const;
const FEW_FILES = 1024;

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'look for what is wrong or unsafe',
  help: [
    'Usage: catalogue doctor',
    '',
    'Looks at versions, settings, files and the database, and changes nothing. It works beside a running service.',
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
    parseArgs({ args: [...args], options: {} });
    const findings = await examine(process.cwd(), new Date());
    for (const { level, text } of findings) print(escapeControls(`${level.padEnd(5)}  ${text}`));
    return findings.some(({ level }) => level === 'fault') ? 1 : 0;
  },
};

async function examine(workingFolder: string, now: Date): Promise<readonly Finding[]> {
  return [
    ...checkVersions(),
    ...checkProcess(),
    ...checkPrivate(resolve(workingFolder, '.env'), 'the file of settings'),
    ...(await checkConfigured(workingFolder, now)),
  ];
}

function checkVersions(): readonly Finding[] {
  const sqlite = sqliteVersion();
  const { node } = process.versions;
  const versions = `version ${readVersion()}, Node ${node}, SQLite ${sqlite}, ${process.platform} ${process.arch}`;
  return [
    ok(versions),
    ...checkNode(node),
    ...(isAtLeast(sqlite, OLDEST_SQLITE)
      ? []
      : [fault(`SQLite ${sqlite} may damage the database; install the service anew`)]),
  ];
}

/** The range that package.json promises. */
function checkNode(version: string): readonly Finding[] {
  const [major = 0] = version.split('.').map(Number);
  const isTested =
    (major === 20 && isAtLeast(version, [20, 19, 0])) ||
    (major === 22 && isAtLeast(version, [22, 13, 0])) ||
    major >= 24;
  if (!isTested) return [risk(`Node ${version} is not supported; use Node 22 or 24`)];
  if (major > 20) return [];
  return [note('Node 20 gets no security fixes any more; use Node 22 or 24')];
}

function isAtLeast(version: string, oldest: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  const index = oldest.findIndex((part, position) => (parts[position] ?? 0) !== part);
  return index === -1 || (parts[index] ?? 0) > (oldest[index] ?? 0);
}

function checkProcess(): readonly Finding[] {
  const files = maxOpenFiles();
  return [
    ...(process.getuid?.() === 0
      ? [risk('this command runs as root; run the service as a user of its own')]
      : []),
    ...(files !== undefined && files < FEW_FILES
      ? [risk(`only ${counted(files, 'file')} may be open at once; raise it to 1024 or more (ulimit -n)`)]
      : []),
  ];
}

async function checkConfigured(workingFolder: string, now: Date): Promise<readonly Finding[]> {
  let environment: Environment;
  try {
    environment = readEnvironment(workingFolder);
  } catch (error) {
    return [fault(`.env in ${workingFolder} cannot be read (${reasonOf(error)})`)];
  }
  const folder = readDataFolder(environment);
  announceDataFolder(folder);
  const result = readConfig(environment);
  const misspelt = misspeltSettings(environment, result.settings).map(risk);
  if (!result.ok) return [...result.faults.map(fault), ...misspelt, ...checkData(folder, now, 'upgraded')];
  const { config, settings, warnings } = result;
  const backups = settings.get('BACKUP_DIR') ?? resolve(config.dataFolder, 'backups');
  return [
    ...warnings.map(risk),
    ...misspelt,
    ...(await checkSettings(config, settings, now)),
    ...checkData(config.dataFolder, now, olderDatabase(config)),
    ...checkBackups(
      resolve(workingFolder, backups),
      config.dataFolder,
      config.production && !config.operations.readOnly,
      now,
    ),
  ];
}

function olderDatabase({ operations }: Config): OlderDatabase {
  if (operations.readOnly) return 'refused by replica';
  return operations.migrate === 'auto' ? 'upgraded' : 'refused';
}
