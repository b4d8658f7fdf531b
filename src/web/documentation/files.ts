import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { STATIC_FOLDER, type StaticFile, contentHash, fillIn, staticFile } from '../../kit/static-files.ts';
import { Thread } from '../../kit/threads.ts';

const ASSET = /^(?:(?:docs|manual).*\.(?:js|css)|favicon\.svg)$/;

/**
 * Reads a file in `static/`, with `values`, of which none holds markup, in place of `{{name}}` if there are any. Throws
 * when it is missing.
 */
export function readStatic(name: string, values?: Readonly<Record<string, string>>): StaticFile {
  const body = readFileSync(new URL(name, STATIC_FOLDER));
  return staticFile(name, values ? Buffer.from(fillIn(body.toString(), values)) : body);
}

/** The files that pages load, by name. The version changes with every one of them, so that browsers may cache them for ever. */
export interface Assets {
  readonly assets: ReadonlyMap<string, StaticFile>;
  readonly version: string;
  /** The address below which this version is served. */
  readonly base: string;
}

/** Reads the files that the page of the API and the manual load. */
export function readAssets(): Assets {
  const names = readdirSync(STATIC_FOLDER)
    .filter((name) => ASSET.test(name))
    .sort();
  const assets = new Map(names.map((name) => [name, readStatic(name)]));
  const version = contentHash([...assets].map(([name, { tag }]) => name + tag).join());
  return { assets, version, base: `/api/docs/assets/${version}` };
}

/** What `make` makes when it is first called. What fails today, such as a thread that cannot be started, is tried again. */
export function madeOnce<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

/**
 * The JSON form of a file in YAML. In a thread: for the description of this API it takes 0.2 s, in which the event loop
 * would stand still. Rejects when the thread cannot be started.
 */
export async function toJson({ body }: StaticFile): Promise<StaticFile> {
  const library = createRequire(import.meta.url).resolve('yaml');
  const code = `return (yaml) => JSON.stringify(require(${JSON.stringify(library)}).parse(yaml));`;
  const thread = new Thread(code, 'reads the description');
  try {
    return staticFile('swagger.json', Buffer.from(String(await thread.run(body.toString()))));
  } finally {
    thread.end();
  }
}
