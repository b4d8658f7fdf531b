import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { codeOf } from '../kit/system-error.ts';

/** Variables by name: those of this process, or a test's. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** True when a variable has a value. An empty one counts as unset, as compose files write it. */
export function isSet(environment: Environment, name: string): boolean {
  return (environment[name]?.trim() ?? '') !== '';
}

/** The environment of this process, with the `.env` file in `folder` as fallback. Throws when that cannot be read. */
export function readEnvironment(folder: string): Environment {
  return { ...readSettingsFile(folder), ...process.env };
}

/** Explains in half a sentence why the data folder is where it is, to an operator who expected it elsewhere. */
export function explainDataFolder(folder: string): string {
  const file = settingsFile(folder);
  const settings = readSettingsFile(folder);
  if (isSet(process.env, 'DATA_DIR')) return 'as DATA_DIR in the environment says';
  if (isSet({ ...settings, ...process.env }, 'DATA_DIR')) return `as DATA_DIR in ${file} says`;
  return settings
    ? `DATA_DIR is set neither in the environment nor in ${file}`
    : `DATA_DIR is not set in the environment, and there is no ${file}`;
}

/** True when `npm start`, or a program that behaves like npm, started this process. */
export function isStartedByNpm(): boolean {
  return process.env['npm_lifecycle_event'] === 'start';
}

function settingsFile(folder: string): string {
  return resolve(folder, '.env');
}

/** Undefined when there is no such file. */
function readSettingsFile(folder: string): Environment | undefined {
  try {
    return parseEnv(readFileSync(settingsFile(folder), 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
