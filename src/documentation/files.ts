import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createThread } from '../threads.ts';

/** A file of the documentation as it is sent. */
export interface StaticFile {
  readonly type: string;
  readonly body: Buffer;
  /** Its entity tag. */
  readonly tag: string;
}

const FOLDER = new URL('../../static/', import.meta.url);
const ASSET = /^(?:docs.*\.(?:js|css)|favicon\.svg)$/;
const TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  yaml: 'application/yaml',
  json: 'application/json; charset=utf-8',
};
const TYPE_BY_ENDING: ReadonlyMap<string | undefined, string> = new Map(Object.entries(TYPES));

/**
 * Reads a file in `static/`, with `values`, of which none holds markup, in place of `{{name}}` if there are any. Throws
 * when it is missing.
 */
export function readStatic(name: string, values?: Readonly<Record<string, string>>): StaticFile {
  const body = readFileSync(new URL(name, FOLDER));
  const type = TYPE_BY_ENDING.get(name.split('.').at(-1)) ?? '';
  return staticFile(type, values ? Buffer.from(fill(body.toString(), values)) : body);
}

/**
 * Reads the files that the page loads, by name. The version changes with every one of them, so that browsers may cache
 * them for ever.
 */
export function readAssets(): { readonly assets: ReadonlyMap<string, StaticFile>; readonly version: string } {
  const names = readdirSync(FOLDER)
    .filter((name) => ASSET.test(name))
    .sort();
  const assets = new Map(names.map((name) => [name, readStatic(name)]));
  return { assets, version: hash([...assets].map(([name, { tag }]) => name + tag).join()) };
}

function staticFile(type: string, body: Buffer): StaticFile {
  return { type, body, tag: `"${hash(body)}"` };
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16);
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
    return staticFile(TYPES.json, Buffer.from(String(await thread.run(body.toString()))));
  } finally {
    thread.end();
  }
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`docs.html asks for "${name}"`);
    return value;
  });
}
