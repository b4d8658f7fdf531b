import { propertiesOf } from '../objects.ts';
import { STATIC_FOLDER } from '../static-files.ts';

const MODULE = new URL('app/routes.js', STATIC_FOLDER);
const PATTERN = /^\/(?::?[a-z-]+(?:\/:?[a-z-]+)*)?$/i;

/**
 * The patterns of the paths at which the web app has a page, such as `/restaurants/:id`. They are those that the app
 * itself finds its pages by. Rejects when its table of them cannot be read.
 */
export async function readPagePatterns(): Promise<readonly string[]> {
  const loaded: unknown = await import(MODULE.href);
  const table = propertiesOf(loaded)?.get('ROUTES');
  const rows: readonly unknown[] = Array.isArray(table) ? table : [];
  const patterns = rows.map((row) => propertiesOf(row)?.get('pattern')).filter(isPattern);
  if (patterns.length === 0 || patterns.length < rows.length)
    throw new Error(`${MODULE.pathname} must export ROUTES, an array of rows with a pattern each`);
  return patterns;
}

function isPattern(value: unknown): value is string {
  return typeof value === 'string' && PATTERN.test(value);
}
