import { type Config, readConfig } from '../../src/config/config.ts';

export type Variables = Readonly<Record<string, string>>;

/** The configuration that these variables make. Throws when they are refused. */
export function configOf(environment: Variables): Config {
  return accepted(environment).config;
}

/** What these variables are refused for; nothing when they are accepted. */
export function faultsOf(environment: Variables): readonly string[] {
  const result = readConfig(environment);
  return result.ok ? [] : result.faults;
}

/** What the start warns of. Throws when the variables are refused. */
export function warningsOf(environment: Variables): readonly string[] {
  return accepted(environment).warnings;
}

function accepted(environment: Variables) {
  const result = readConfig(environment);
  if (!result.ok) throw new Error(result.faults.join('\n'));
  return result;
}
