import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { STATIC_FOLDER, type StaticFile, staticFile } from '../../kit/static-files.ts';
import { withoutComments } from './comments.ts';
import { createModuleGraph } from './module-imports.ts';
import { readVendorFiles } from './vendor-files.ts';

/** The files of the web app. */
export interface WebAppFiles {
  /** Those that pages load, by their paths below the address of the app's files. */
  readonly files: ReadonlyMap<string, StaticFile>;
  /** The texts of those that are filled in before they are served, by name. */
  readonly templates: Readonly<Record<'page' | 'worker' | 'manifest', string>>;
  /** The paths of the modules that one needs before it can run, itself first. Throws where one is missing. */
  readonly modulesBehind: (path: string) => readonly string[];
}

/** The one style sheet: all of the app's in one request. */
export const STYLES = 'app.css';
const FOLDER = new URL('app/', STATIC_FOLDER);
const TEMPLATES = { page: 'index.html', worker: 'sw.js', manifest: 'manifest.webmanifest' };
const SERVED = /\.(?:js|svg|png|csv|json)$/;
// Variables before their uses, and what is for paper over what is for screens.
const FIRST_STYLES = ['tokens.css', 'parts.css'];
const LAST_STYLES = ['print.css'];

let known: WebAppFiles | undefined;

/** All of them, read at the first call. Throws when one is missing. */
export function readWebApp(): WebAppFiles {
  return (known ??= readAll());
}

function readAll(): WebAppFiles {
  const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
  const isTemplate = new Set(Object.values(TEMPLATES));
  const own = paths.filter((path) => SERVED.test(path) && !isTemplate.has(path));
  const bodies: readonly (readonly [string, Buffer])[] = [
    ...own.map((path) => [path, asSent(path)] as const),
    ...readVendorFiles().map(([path, body]) => [`vendor/${path}`, body] as const),
    ['icons/icon.svg', readFileSync(new URL('favicon.svg', STATIC_FOLDER))],
    [STYLES, joinStyles(paths.filter((path) => path.endsWith('.css')))],
  ];
  const files = new Map(bodies.map(([path, body]) => [path, staticFile(path, body)]));
  return {
    files,
    templates: {
      page: read(TEMPLATES.page).toString(),
      worker: read(TEMPLATES.worker).toString(),
      manifest: read(TEMPLATES.manifest).toString(),
    },
    modulesBehind: createModuleGraph((path) => files.get(path)?.body.toString()),
  };
}

function asSent(path: string): Buffer {
  return path.endsWith('.js') ? Buffer.from(withoutComments(read(path).toString())) : read(path);
}

function read(path: string): Buffer {
  return readFileSync(new URL(path, FOLDER));
}

function joinStyles(paths: readonly string[]): Buffer {
  const placeOf = (path: string): number => {
    const name = basename(path);
    if (LAST_STYLES.includes(name)) return FIRST_STYLES.length + 1;
    return FIRST_STYLES.includes(name) ? FIRST_STYLES.indexOf(name) : FIRST_STYLES.length;
  };
  // The sort is stable: the rest stays in the order of the names.
  const ordered = paths.toSorted((a, b) => placeOf(a) - placeOf(b));
  return Buffer.concat(ordered.map(read));
}
