import { type Config, type ConfigResult, readConfig, readEnvironment } from '../config.ts';
import { CommandError } from './command.ts';

/** The configuration of this process. Throws a CommandError that names every wrong variable, one line each. */
export function loadConfig(): Config {
  return loadSettings().config;
}

/** The configuration with the effective value of every variable. Throws like `loadConfig`. */
export function loadSettings(): Extract<ConfigResult, { ok: true }> {
  const result = readConfig(readEnvironment(process.cwd()));
  if (!result.ok) throw new CommandError(result.faults.join('\n'));
  return result;
}
