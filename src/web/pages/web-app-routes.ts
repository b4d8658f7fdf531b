import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, posix } from 'node:path';
import { IMMUTABLE } from '../../http/conditional.ts';
import { notFound } from '../../http/errors.ts';
import { staticReply } from '../../http/reply.ts';
import { PUBLIC_READ, type Route } from '../../http/router.ts';
import { propertiesOf } from '../../kit/objects.ts';
import {
  STATIC_FOLDER,
  type StaticFile,
  asHtml,
  contentHash,
  fillIn,
  staticFile,
} from '../../kit/static-files.ts';

const FOLDER = new URL('app/', STATIC_FOLDER);
// Have placeholders, filled in before serving.
const TEMPLATES = ['index.html', 'sw.js', 'manifest.webmanifest'];
const SERVED = /\.(?:js|svg|png|csv|json)$/;
// The module that starts the app, and the one with its table of pages.
const ENTRY = 'main.js';
const PAGES = new URL('routes.js', FOLDER);
// All style sheets in one file: variables before their uses, print rules after screen rules.
const STYLES = 'app.css';
const FIRST_STYLES = ['tokens.css', 'parts.css'];
const LAST_STYLE = 'print.css';
const FRESH = 'no-cache';

/**
 * The web app for a catalogue of this name: its page at each of its URLs, its files, service worker and manifest.
 * `tileOrigin` is the other server that maps load tiles from, if any. Rejects if a file is missing.
 */
export async function webAppRoutes(name: string, tileOrigin: string | undefined): Promise<readonly Route[]> {
  const files = readFiles();
  const templates = TEMPLATES.map((file) => read(file).toString());
  // Changes with every byte served, so that browsers may cache the files forever.
  const version = contentHash(
    [...[...files].map(([path, { tag }]) => path + tag), ...templates, name].join('\n'),
  );
  const base = `/app/${version}`;
  const filled = (index: number, values: Readonly<Record<string, string>>): StaticFile =>
    staticFile(TEMPLATES[index] ?? '', Buffer.from(fillIn(templates[index] ?? '', { ...values, base })));
  const imports = new Map(
    [...files].map(([path, { body }]) => [
      path,
      path.endsWith('.js') ? importsIn(body.toString(), path) : [],
    ]),
  );

  // A worker gets the policy of its own script.
  const policy = { 'Content-Security-Policy': policyFor(tileOrigin) };
  // Other tile servers refuse requests without a referrer.
  const ofPage = { ...policy, 'Referrer-Policy': 'strict-origin-when-cross-origin' };
  const pages = (await readPages()).map(({ pattern, view }) => {
    // Without preloads a browser finds a module only after reading the one that imports it.
    const modules = new Set([...modulesBehind(ENTRY, imports).slice(1), ...modulesBehind(view, imports)]);
    const links = [...modules].map((path) => `<link rel="modulepreload" href="${base}/${path}" />`);
    const page = filled(0, { name: asHtml(name), preloads: links.join('\n    ') });
    return { pattern, reply: staticReply(page, FRESH, ofPage) };
  });
  const shell = [...files.keys()].filter((path) => SHELL.test(path)).map((path) => `${base}/${path}`);
  const worker = staticReply(filled(1, { version, shell: JSON.stringify(shell) }), FRESH, policy);
  const manifest = staticReply(filled(2, { name: JSON.stringify(name).slice(1, -1) }), FRESH);

  const row = { ...PUBLIC_READ, limit: 'exempt', operationId: 'webApp' } as const;
  return [
    ...pages.map(({ pattern, reply }) => ({ ...row, pattern, handle: () => reply })),
    {
      ...row,
      pattern: '/app/:version/*path',
      handle: ({ parameters }) => {
        const isCurrent = parameters.get('version') === version;
        const found = isCurrent ? files.get(parameters.get('path') ?? '') : undefined;
        // Serving a current file under an older version would mix it with cached files of that version.
        if (!found) throw notFound('File', { 'Cache-Control': 'no-store' });
        return staticReply(found, IMMUTABLE);
      },
    },
    { ...row, pattern: '/sw.js', handle: () => worker },
    { ...row, pattern: '/manifest.webmanifest', handle: () => manifest },
  ];
}

function policyFor(tileOrigin: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' blob: data:${tileOrigin === undefined ? '' : ` ${tileOrigin}`}`,
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

// Everything the screens may need offline: the app's code and styles, the renderer, and the map. Vector tiles, which
// the operator chooses, need the network anyway, and so does the detailed coastline.
const SHELL =
  /^(?:(?!vendor\/).*\.(?:js|css)|vendor\/(?:lit-html|leaflet)\/.*|vendor\/world-atlas\/land-110m\.json|icons\/icon\.svg)$/;

let known: ReadonlyMap<string, StaticFile> | undefined;

/** The files that pages load, by path below the app's URL prefix. Read on the first call. */
function readFiles(): ReadonlyMap<string, StaticFile> {
  if (known) return known;
  const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
  const own = paths.filter((path) => SERVED.test(path) && !TEMPLATES.includes(path));
  const bodies: readonly (readonly [string, Buffer])[] = [
    ...own.map((path) => [path, asSent(path)] as const),
    ...readVendorFiles(),
    ['icons/icon.svg', readFileSync(new URL('favicon.svg', STATIC_FOLDER))],
    [STYLES, joinStyles(paths.filter((path) => path.endsWith('.css')))],
  ];
  known = new Map(bodies.map(([path, body]) => [path, staticFile(path, body)]));
  return known;
}

function read(path: string): Buffer {
  return readFileSync(new URL(path, FOLDER));
}

function asSent(path: string): Buffer {
  return path.endsWith('.js') ? Buffer.from(withoutComments(read(path).toString())) : read(path);
}

function joinStyles(paths: readonly string[]): Buffer {
  const placeOf = (path: string): number => {
    const first = FIRST_STYLES.indexOf(basename(path));
    return first === -1 ? FIRST_STYLES.length + (basename(path) === LAST_STYLE ? 1 : 0) : first;
  };
  // The sort is stable: the rest stays in the order of the names.
  return Buffer.concat(paths.toSorted((a, b) => placeOf(a) - placeOf(b)).map(read));
}

// Only lines that are entirely comment: a comment after code might be inside a string.
const LINES_OF_COMMENTS = /^[ \t]*(?:\/\*\*(?:(?!\*\/)[^])*\*\/|\/\/[^\n]*)[ \t]*\n/gm;

/** Removes a JavaScript module's comments, which contain the types and make up a third of its bytes. */
export function withoutComments(code: string): string {
  return code.replace(LINES_OF_COMMENTS, '');
}

const DIRECTIVES = 'class-map guard if-defined keyed live private-async-helpers ref repeat until'.split(' ');

// The package files that the web app loads. Modules keep their relative paths, since they import each other by them.
const PACKAGES = [
  {
    name: 'lit-html',
    folder: '',
    files: [
      'lit-html.js',
      'async-directive.js',
      'directive.js',
      'directive-helpers.js',
      ...DIRECTIVES.map((directive) => `directives/${directive}.js`),
    ],
  },
  { name: 'leaflet', folder: 'dist', files: ['leaflet.js', 'leaflet.css'] },
  { name: 'protomaps-leaflet', folder: 'dist', files: ['protomaps-leaflet.js'] },
  { name: 'world-atlas', folder: '', files: ['land-110m.json', 'land-50m.json'] },
];

/** Throws if a package is not installed. */
function readVendorFiles(): readonly (readonly [string, Buffer])[] {
  return PACKAGES.flatMap(({ name, folder, files }) => {
    // Resolving a module would find the Node build, and a package need not export its manifest.
    const roots = createRequire(import.meta.url).resolve.paths(name) ?? [];
    const root = roots.map((path) => join(path, name)).find((path) => existsSync(path));
    if (root === undefined) throw new Error(`the package ${name} is not installed`);
    return files.map((file) => [`vendor/${name}/${file}`, readFileSync(join(root, folder, file))] as const);
  });
}

// In code formatted by Prettier or minified, a statement starts a line or follows another one. Dynamic imports and
// type imports in comments do not match.
const STATEMENT = /(?:^|;)(?:import|export)\b(?:[\w$*{},\s]*\bfrom)?\s*["']([^"']+)["']/gm;

/** The paths of the modules that an ES module imports. */
export function importsIn(source: string, path: string): readonly string[] {
  return [...source.matchAll(STATEMENT)].map(([, named = '']) => posix.join(posix.dirname(path), named));
}

/** The paths of all modules that one needs before it can run, itself first. Throws if one has no entry in `imports`. */
export function modulesBehind(entry: string, imports: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set([entry]);
  // Also visits what is added during the loop.
  for (const path of found) {
    const needs = imports.get(path);
    if (!needs) throw new Error(`${entry} needs the module ${path}, which is not there`);
    for (const needed of needs) found.add(needed);
  }
  return [...found];
}

const PATTERN = /^\/(?::?[a-z-]+(?:\/:?[a-z-]+)*)?$/i;
const LOADED_LATER = /\bimport\(\s*["']\.\/([\w./-]+)["']\s*\)/;

/** Reads the app's own table of screens: patterns such as `/restaurants/:id`, each with the path of its screen's module. */
async function readPages() {
  const table = propertiesOf(await import(PAGES.href))?.get('ROUTES');
  const rows: readonly unknown[] = Array.isArray(table) ? table : [];
  const pages = rows.flatMap((row) => {
    const [pattern, load] = ['pattern', 'view'].map((column) => propertiesOf(row)?.get(column));
    // The view is loaded by a function; only its source says which module it loads.
    const view = typeof load === 'function' ? LOADED_LATER.exec(String(load))?.[1] : undefined;
    const isPage = typeof pattern === 'string' && PATTERN.test(pattern) && view !== undefined;
    return isPage ? [{ pattern, view }] : [];
  });
  if (pages.length === 0 || pages.length < rows.length)
    throw new Error(`${PAGES.pathname} must export ROUTES, an array of rows with a pattern and a view each`);
  return pages;
}
