import type { Environment } from '../config-variables.ts';
import { nearlyNamed } from '../input/nearly.ts';

const WORDS = /^[^-_]+[-_]+[^-_]/;
// Names of other programs that look like one of ours: it names the authorities that OpenSSL trusts.
const FOREIGN: ReadonlySet<string> = new Set(['SSL_CERT_FILE']);

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
    .filter((name) => !settings.has(name) && !FOREIGN.has(name) && (environment[name]?.trim() ?? '') !== '')
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
  return names.filter((name) => near.includes(name) || (longer.includes(name) && !isTwin(name, longer)));
}

/** Whether this names the file of a secret that is named too. */
function isTwin(name: string, names: readonly string[]): boolean {
  return name.endsWith('_FILE') && names.includes(name.slice(0, -'_FILE'.length));
}
