import { type StaticFile, asHtml, contentHash, fillIn, staticFile } from '../../kit/static-files.ts';
import type { WebAppFiles } from './web-app-files.ts';

/** The files of the web app that depend on the service, and the address of all others. */
export interface WebAppDocuments {
  /** Changes with every byte that is served, so that browsers may cache the files for ever. */
  readonly version: string;
  /** The page whose screen is the module of this path. Throws where a module that it needs is missing. */
  readonly pageOf: (view: string) => StaticFile;
  readonly worker: StaticFile;
  readonly manifest: StaticFile;
}

/** Where the files of a version are served. */
export const FILES_PATH = '/app';

// The module that starts the app.
const ENTRY = 'main.js';

/** Fills them in for a catalogue of this name, which may hold markup. Throws for a template that asks for more. */
export function fillDocuments(app: WebAppFiles, name: string): WebAppDocuments {
  const { files, templates } = app;
  const contents = [...[...files].map(([path, { tag }]) => path + tag), ...Object.values(templates), name];
  const version = contentHash(contents.join('\n'));
  const base = `${FILES_PATH}/${version}`;
  const filled = (file: string, template: string, values: Readonly<Record<string, string>>): StaticFile =>
    staticFile(file, Buffer.from(fillIn(template, { ...values, base })));
  return {
    version,
    pageOf: (view) =>
      filled('index.html', templates.page, { name: asHtml(name), preloads: preloads(app, base, view) }),
    worker: filled('sw.js', templates.worker, { version, shell: JSON.stringify(shellOf(files, base)) }),
    manifest: filled('manifest.webmanifest', templates.manifest, { name: insideJson(name) }),
  };
}

function insideJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Without these a browser would learn of a module only when it has read the one that imports it. */
function preloads({ modulesBehind }: WebAppFiles, base: string, view: string): string {
  const modules = new Set([...modulesBehind(ENTRY).slice(1), ...modulesBehind(view)]);
  return [...modules].map((path) => `<link rel="modulepreload" href="${base}/${path}" />`).join('\n    ');
}

// Vector tiles are a choice of the operator's, and come from the network as well; so does the finer coast.
const SHELL =
  /^(?:(?!vendor\/).*\.(?:js|css)|vendor\/(?:lit-html|leaflet)\/.*|vendor\/world-atlas\/land-110m\.json|icons\/icon\.svg)$/;

/** All that the screens may need without a network: the app's own code and styles, what renders them, and the map. */
function shellOf(files: WebAppFiles['files'], base: string): string[] {
  return [...files.keys()].filter((path) => SHELL.test(path)).map((path) => `${base}/${path}`);
}
