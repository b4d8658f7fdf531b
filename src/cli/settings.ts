import { type Config, type ConfigResult, readConfig, readEnvironment } from '../config.ts';
import { CommandError } from './command.ts';
import { misspeltSettings } from './misspelt.ts';

/**
 * The configuration of this process. Throws a CommandError that names every wrong variable, one line each, and those
 * whose names are misspelt, which may be why.
 */
export function loadConfig(): Config {
  return loadSettings().config;
}

/**
 * The configuration with the effective value of every variable, and warnings, also of misspelt names. Throws like
 * `loadConfig`.
 */
export function loadSettings(): Extract<ConfigResult, { ok: true }> {
  const environment = readEnvironment(process.cwd());
  const result = readConfig(environment);
  const misspelt = misspeltSettings(environment, result.settings);
  if (!result.ok) throw new CommandError([...result.faults, ...misspelt].join('\n'));
  return { ...result, warnings: [...result.warnings, ...misspelt] };
}
