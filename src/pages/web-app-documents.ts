import { type StaticFile, contentHash, fillIn, staticFile } from '../static-files.ts';
import type { WebAppFiles } from './web-app-files.ts';

/** The files of the web app that depend on the service, and the address of all others. */
export interface WebAppDocuments {
  /** Changes with every byte that is served, so that browsers may cache the files for ever. */
  readonly version: string;
  /** The page at every address of the app. */
  readonly page: StaticFile;
  readonly worker: StaticFile;
  readonly manifest: StaticFile;
}

/** Where the files of a version are served. */
export const FILES_PATH = '/app';

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};

/** Fills them in for a catalogue of this name, which may hold markup. Throws for a template that asks for more. */
export function fillDocuments({ files, templates, core }: WebAppFiles, name: string): WebAppDocuments {
  const contents = [...[...files].map(([path, { tag }]) => path + tag), ...Object.values(templates), name];
  const version = contentHash(contents.join('\n'));
  const base = `${FILES_PATH}/${version}`;
  const filled = (file: string, template: string, values: Readonly<Record<string, string>>): StaticFile =>
    staticFile(file, Buffer.from(fillIn(template, { ...values, base })));
  return {
    version,
    page: filled('index.html', templates.page, { name: asHtml(name), preloads: preloads(base, core) }),
    worker: filled('sw.js', templates.worker, { version, shell: JSON.stringify(shellOf(files, base)) }),
    manifest: filled('manifest.webmanifest', templates.manifest, { name: insideJson(name) }),
  };
}

function asHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function insideJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Without these a browser would learn of a module only when it has read the one that imports it. */
function preloads(base: string, [, ...modules]: readonly string[]): string {
  return modules.map((path) => `<link rel="modulepreload" href="${base}/${path}" />`).join('\n    ');
}

/** All that every screen may need without a network: the app's own code and styles, and what renders them. */
function shellOf(files: WebAppFiles['files'], base: string): string[] {
  const paths = [...files.keys()].filter(
    (path) =>
      /\.(?:js|css)$/.test(path) && (!path.startsWith('vendor/') || path.startsWith('vendor/lit-html/')),
  );
  return [...paths, 'icons/icon.svg'].map((path) => `${base}/${path}`);
}
