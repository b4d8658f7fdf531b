import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// The files of packages that the web app loads, by where they lie in the package and under which name they are served.
// Modules keep their places, since they import one another by relative paths.
const PACKAGES: Readonly<Record<string, { readonly folder?: string; readonly files: readonly string[] }>> = {
  'lit-html': {
    files: [
      ...['lit-html.js', 'async-directive.js', 'directive.js', 'directive-helpers.js'],
      ...['class-map', 'guard', 'if-defined', 'keyed', 'live', 'private-async-helpers'].map(inDirectives),
      ...['ref', 'repeat', 'until'].map(inDirectives),
    ],
  },
  leaflet: { folder: 'dist', files: ['leaflet.js', 'leaflet.css'] },
  'protomaps-leaflet': { folder: 'dist', files: ['protomaps-leaflet.js'] },
  'world-atlas': { files: ['land-110m.json', 'land-50m.json'] },
};

/**
 * Reads all files of packages that are served, by their paths: `lit-html/directives/ref.js`. Throws when a package is not
 * installed.
 */
export function readVendorFiles(): readonly (readonly [string, Buffer])[] {
  return Object.entries(PACKAGES).flatMap(([name, { folder = '', files }]) => {
    const root = packageFolder(name);
    return files.map((file) => [`${name}/${file}`, readFileSync(join(root, folder, file))] as const);
  });
}

function inDirectives(name: string): string {
  return `directives/${name}.js`;
}

/** Resolving a module would find the build for Node, and a package need not export its manifest. */
function packageFolder(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const found = folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder));
  if (found === undefined) throw new Error(`the package ${name} is not installed`);
  return found;
}
