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

/** Facts about this service that the page needs before its first request. */
export interface PageSettings {
  readonly authMode: string;
  readonly registrationIsOpen: boolean;
  /** The identity providers whose sign-in ends at the page. */
  readonly providers: readonly string[];
}

/** All that the documentation consists of, read once. */
export interface DocumentationFiles {
  readonly page: StaticFile;
  readonly yaml: StaticFile;
  /** The JSON form of `yaml`, made when it is first asked for. */
  readonly json: () => Promise<StaticFile>;
  /** The files that the page loads, by name. */
  readonly assets: ReadonlyMap<string, StaticFile>;
  /** Changes with every asset, so that browsers may cache assets for ever. */
  readonly version: string;
}

const FOLDER = new URL('../../static/', import.meta.url);
const ASSET = /^(?:docs.*\.(?:js|css)|favicon\.svg)$/;
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Reads the files in `static/`. Throws when one is missing. */
export function readDocumentation(settings: PageSettings): DocumentationFiles {
  const read = (name: string): Buffer => readFileSync(new URL(name, FOLDER));
  const names = readdirSync(FOLDER)
    .filter((name) => ASSET.test(name))
    .sort();
  const assets = new Map(
    names.map((name) => [name, staticFile(TYPES[name.split('.').at(-1) ?? ''] ?? '', read(name))]),
  );
  const version = hash([...assets].map(([name, { tag }]) => name + tag).join());
  const page = fill(read('docs.html').toString(), {
    assets: `/api/docs/assets/${version}`,
    authMode: settings.authMode,
    registration: settings.registrationIsOpen ? 'open' : 'closed',
    providers: settings.providers.join(' '),
  });
  const yaml = read('swagger.yaml');
  let json: Promise<StaticFile> | undefined;
  const makeJson = async (): Promise<StaticFile> => {
    try {
      return staticFile('application/json; charset=utf-8', Buffer.from(await toJson(yaml.toString())));
    } catch (error) {
      // A thread that could not be started today may be started tomorrow.
      json = undefined;
      throw error;
    }
  };
  return {
    page: staticFile('text/html; charset=utf-8', Buffer.from(page)),
    yaml: staticFile('application/yaml', yaml),
    json: () => (json ??= makeJson()),
    assets,
    version,
  };
}

function staticFile(type: string, body: Buffer): StaticFile {
  return { type, body, tag: `"${hash(body)}"` };
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16);
}

/** In a thread: for the description of this API it takes 0.2 s, in which the event loop would stand still. */
async function toJson(yaml: string): Promise<string> {
  const library = createRequire(import.meta.url).resolve('yaml');
  const code = `return (yaml) => JSON.stringify(require(${JSON.stringify(library)}).parse(yaml));`;
  const thread = createThread(code, 'reads the description');
  try {
    return String(await thread.run(yaml));
  } finally {
    thread.end();
  }
}

/** Puts values, of which none holds markup, in place of `{{name}}`. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`docs.html asks for "${name}"`);
    return value;
  });
}
