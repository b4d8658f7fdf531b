import { readFileSync } from 'node:fs';
import { parseJson, propertiesOf } from './objects.ts';

/** The version of the program, as its package says. */
export function readVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return String(propertiesOf(parseJson(manifest))?.get('version'));
}
