import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { STATIC_FOLDER, type StaticFile, contentHash, fillIn, staticFile } from '../static-files.ts';
import { createThread } from '../threads.ts';

const ASSET = /^(?:docs.*\.(?:js|css)|favicon\.svg)$/;

/**
 * Reads a file in `static/`, with `values`, of which none holds markup, in place of `{{name}}` if there are any. Throws
 * when it is missing.
 */
export function readStatic(name: string, values?: Readonly<Record<string, string>>): StaticFile {
  const body = readFileSync(new URL(name, STATIC_FOLDER));
  return staticFile(name, values ? Buffer.from(fillIn(body.toString(), values)) : body);
}

/**
 * Reads the files that the page loads, by name. The version changes with every one of them, so that browsers may cache
 * them for ever.
 */
export function readAssets(): { readonly assets: ReadonlyMap<string, StaticFile>; readonly version: string } {
  const names = readdirSync(STATIC_FOLDER)
    .filter((name) => ASSET.test(name))
    .sort();
  const assets = new Map(names.map((name) => [name, readStatic(name)]));
  return { assets, version: contentHash([...assets].map(([name, { tag }]) => name + tag).join()) };
}

/**
 * The JSON form of a file in YAML. In a thread: for the description of this API it takes 0.2 s, in which the event loop
 * would stand still. Rejects when the thread cannot be started.
 */
export async function toJson({ body }: StaticFile): Promise<StaticFile> {
  const library = createRequire(import.meta.url).resolve('yaml');
  const code = `return (yaml) => JSON.stringify(require(${JSON.stringify(library)}).parse(yaml));`;
  const thread = createThread(code, 'reads the description');
  try {
    return staticFile('swagger.json', Buffer.from(String(await thread.run(body.toString()))));
  } finally {
    thread.end();
  }
}
