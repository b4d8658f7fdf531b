import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { IMMUTABLE } from '../../http/conditional.ts';
import type { RequestContext } from '../../http/context.ts';
import { requireFound } from '../../http/errors.ts';
import { prefersJson } from '../../http/negotiation.ts';
import { type Reply, staticReply } from '../../http/reply.ts';
import { PUBLIC_FILE, type Route } from '../../http/router.ts';
import { once } from '../../kit/once.ts';
import { STATIC_FOLDER, type StaticFile, contentHash, fillIn, staticFile } from '../../kit/static-files.ts';

const ASSET = /^(?:(?:docs|manual).*\.(?:js|css)|favicon\.svg)$/;
const FRESH = 'no-cache';
// The page loads our own files and responses, and pictures made from them.
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

function readStatic(name: string): Buffer {
  return readFileSync(new URL(name, STATIC_FOLDER));
}

/**
 * Routes for `/api/docs` and below and `/api/swagger.yaml`, the URL prefix of the files that the API page and the manual
 * load, and a function that prepares slow parts ahead. `settings` are facts about this service that the API page needs
 * before its first request. Throws if a file is missing.
 */
export function documentationRoutes(settings: Readonly<Record<string, string>>): {
  readonly routes: readonly Route[];
  readonly assets: string;
  readonly loadAhead: () => Promise<unknown>;
} {
  const names = readdirSync(STATIC_FOLDER)
    .filter((name) => ASSET.test(name))
    .sort();
  const files = new Map(names.map((name) => [name, staticFile(name, readStatic(name))]));
  // Changes with any of the files, so that browsers may cache them forever.
  const version = contentHash([...files].map(([name, { tag }]) => name + tag).join());
  const assets = `/api/docs/assets/${version}`;
  const template = readStatic('docs.html').toString();
  const page = staticFile('docs.html', Buffer.from(fillIn(template, { ...settings, assets })));
  const yaml = staticFile('swagger.yaml', readStatic('swagger.yaml'));
  const json = once(() => toJson(yaml));

  async function docs({ request }: RequestContext): Promise<Reply> {
    const headers = { Vary: 'Accept' };
    if (prefersJson(request.headers.accept)) return staticReply(await json(), FRESH, headers);
    return staticReply(page, FRESH, { ...headers, 'Content-Security-Policy': PAGE_POLICY });
  }

  function asset({ parameters }: RequestContext): Reply {
    const file = requireFound(files.get(parameters.get('file') ?? ''), 'File');
    return staticReply(file, parameters.get('version') === version ? IMMUTABLE : FRESH);
  }

  const asJson = async (): Promise<Reply> => staticReply(await json(), FRESH);
  const asYaml = (): Reply => staticReply(yaml, FRESH);
  return {
    routes: [
      { ...PUBLIC_FILE, pattern: '/api/docs', operationId: 'getDocs', handle: docs },
      {
        ...PUBLIC_FILE,
        pattern: '/api/docs/swagger.json',
        operationId: 'getDescriptionAsJson',
        handle: asJson,
      },
      { ...PUBLIC_FILE, pattern: '/api/swagger.yaml', operationId: 'getDescription', handle: asYaml },
      {
        ...PUBLIC_FILE,
        pattern: '/api/docs/assets/:version/:file',
        operationId: 'getDocsAsset',
        handle: asset,
      },
    ],
    assets,
    loadAhead: json,
  };
}

/**
 * Converts a YAML file to JSON. In a process, because this API's description takes 0.2 s, which would block the event loop, and
 * a thread would leave 70 MB of memory in this process. Rejects if the process cannot start.
 */
async function toJson({ body }: StaticFile): Promise<StaticFile> {
  const library = createRequire(import.meta.url).resolve('yaml');
  const code = `
    const yaml = require('node:fs').readFileSync(0, 'utf8');
    process.stdout.write(JSON.stringify(require(${JSON.stringify(library)}).parse(yaml)));
  `;
  const run = promisify(execFile)(process.execPath, ['--eval', code], { maxBuffer: Infinity });
  run.child.stdin?.end(body);
  const { stdout } = await run;
  return staticFile('swagger.json', Buffer.from(stdout));
}
