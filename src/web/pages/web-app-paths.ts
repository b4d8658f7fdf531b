import { propertiesOf } from '../../kit/objects.ts';
import { STATIC_FOLDER } from '../../kit/static-files.ts';

const MODULE = new URL('app/routes.js', STATIC_FOLDER);
const PATTERN = /^\/(?::?[a-z-]+(?:\/:?[a-z-]+)*)?$/i;
const LOADED_LATER = /\bimport\(\s*["']\.\/([\w./-]+)["']\s*\)/;

/** A page of the web app. */
export interface PagePath {
  /** The pattern of its paths, such as `/restaurants/:id`. */
  readonly pattern: string;
  /** The module of its screen, by its path among the app's files. */
  readonly view: string;
}

/**
 * The pages of the web app. They are those that the app itself finds its screens by. Rejects when its table of them cannot
 * be read.
 */
export async function readPagePaths(): Promise<readonly PagePath[]> {
  const loaded: unknown = await import(MODULE.href);
  const table = propertiesOf(loaded)?.get('ROUTES');
  const rows: readonly unknown[] = Array.isArray(table) ? table : [];
  const paths = rows.map(pathOf).filter((path) => path !== undefined);
  if (paths.length === 0 || paths.length < rows.length)
    throw new Error(`${MODULE.pathname} must export ROUTES, an array of rows with a pattern and a view each`);
  return paths;
}

function pathOf(row: unknown): PagePath | undefined {
  const [pattern, load] = ['pattern', 'view'].map((name) => propertiesOf(row)?.get(name));
  // The view is loaded by a function, of which only its text says which module it asks for.
  const view = typeof load === 'function' ? LOADED_LATER.exec(String(load))?.[1] : undefined;
  return isPattern(pattern) && view !== undefined ? { pattern, view } : undefined;
}

function isPattern(value: unknown): value is string {
  return typeof value === 'string' && PATTERN.test(value);
}
