import { readFileSync } from 'node:fs';
import { parseJson, propertiesOf } from './objects.ts';

/** The program's version, from package.json. */
export function readVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return String(propertiesOf(parseJson(manifest))?.get('version'));
}
