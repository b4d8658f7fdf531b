import type { IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import { BY_LINK, IMMUTABLE, OWN } from '../../http/conditional.ts';
import type { RequestContext } from '../../http/context.ts';
import { notFound } from '../../http/errors.ts';
import { preferredLanguage } from '../../http/negotiation.ts';
import { redirect, staticReply } from '../../http/reply.ts';
import { PUBLIC_READ, type Route } from '../../http/router.ts';
import { type StaticFile, asHtml, contentHash, fillIn, staticFile } from '../../kit/static-files.ts';
import { readCookies } from '../../people/accounts/cookie-routes.ts';
import { type Documents, SHARED_PAGES } from './documents.ts';
import { ENGLISH, directionOf } from './languages.ts';
import { type Language, TEXTS_MODULE, webAppFiles } from './web-app-files.ts';

// The module that starts the app, and the one with its table of pages.
const ENTRY = 'start/main.js';
const PAGES = 'start/routes.js';
const FRESH = 'no-cache';
/** The cookie with the language that a reader has chosen. */
const COOKIE = 'language';
/** For responses in the reader's language. */
const BY_LANGUAGE = { Vary: 'Cookie, Accept-Language' };

interface Parts {
  /** What the catalogue is called. */
  readonly name: string;
  readonly currencySign: string;
  /** The other server that maps load tiles from, if any. */
  readonly tileOrigin: string | undefined;
  readonly documents: Documents;
}

/** The web app: its page at each of its URLs, its files, service worker and manifest. Rejects if a file is missing. */
export async function webAppRoutes(parts: Parts): Promise<readonly Route[]> {
  const { name, currencySign, tileOrigin, documents } = parts;
  const { files, languages, templates } = await webAppFiles();
  // Changes with every byte served, so that browsers may cache the files forever.
  const version = contentHash(
    [...files, ...Array.from(languages, ([lang, { module }]) => [lang, module] as const)]
      .map(([path, { tag }]) => path + tag)
      .concat(Object.values(templates), name, currencySign)
      .join('\n'),
  );
  const imports = new Map(
    [...files].map(([path, { body }]) => [
      path,
      path.endsWith('.js') ? importsIn(body.toString(), path) : [],
    ]),
  );
  const table = pagesIn(files.get(PAGES)?.body.toString() ?? '').map(({ pattern, view }) => {
    const modules = new Set([...modulesBehind(ENTRY, imports).slice(1), ...modulesBehind(view, imports)]);
    return { pattern, modules: [...modules] };
  });
  const shell = [...files.keys()].filter((path) => SHELL.test(path));
  // A worker gets the policy of its own script.
  const policy = { 'Content-Security-Policy': policyFor(tileOrigin) };
  // Other tile servers refuse requests without a referrer.
  const ofPage = { ...policy, ...BY_LANGUAGE, 'Referrer-Policy': 'strict-origin-when-cross-origin' };

  /** What depends on the language. Its files have addresses of their own, and differ in the module of texts alone. */
  const editionIn = (lang: string, { module, say }: Language) => {
    const own = lang === ENGLISH ? version : `${version}.${lang}`;
    const base = `/app/${own}`;
    const filled = (path: string, template: string, values: Readonly<Record<string, string>>): StaticFile =>
      staticFile(path, Buffer.from(fillIn(template, { ...values, base, lang })));
    const pages = table.map(({ pattern, modules }) => {
      // Without preloads a browser finds a module only after it has read the one that imports it.
      const links = modules.map((path) => `<link rel="modulepreload" href="${base}/${path}" />`);
      const values = {
        base,
        lang,
        dir: directionOf(lang),
        currencySign: asHtml(currencySign),
        name: asHtml(name),
        preloads: links.join('\n    '),
        noScript: asHtml(say('noScript', { docs: '{docs}' })).replace(
          '{docs}',
          `<a href="/api/docs">${asHtml(say('docs'))}</a>`,
        ),
      };
      return [pattern, documents.ofPage(pattern, templates.page, values, say)] as const;
    });
    const worker = { version: own, shell: shell.map((path) => `${base}/${path}`).join(' ') };
    const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
    const manifest = { name: inJson(name), add: inJson(say('add')), lists: inJson(say('lists')) };
    return {
      version: own,
      files: new Map([...files, [TEXTS_MODULE, module]]),
      pages: new Map(pages),
      worker: staticReply(filled('sw.js', templates.worker, worker), FRESH, { ...policy, ...BY_LANGUAGE }),
      manifest: staticReply(filled('a.webmanifest', templates.manifest, manifest), FRESH, BY_LANGUAGE),
    };
  };
  const editions = new Map(Array.from(languages, ([lang, texts]) => [lang, editionIn(lang, texts)]));
  const english = editions.get(ENGLISH);
  if (!english) throw new Error('the app has no English texts');
  const byVersion = new Map(Array.from(editions.values(), (edition) => [edition.version, edition]));
  const tags = [...languages.keys()];
  const editionFor = ({ request }: RequestContext): typeof english =>
    editions.get(languageOf(request, tags)) ?? english;

  const row = { ...PUBLIC_READ, limit: 'exempt', query: 'ignored', operationId: 'webApp' } as const;
  return [
    ...[...english.pages].map(([pattern, findInEnglish]): Route => ({
      ...row,
      // What it carries must not be a way around the limits of the API.
      limit: 'files',
      ...(SHARED_PAGES.includes(pattern) && { credentials: ['link'], answers: 'private' }),
      hidesPath: true,
      pattern,
      handle: async (context) => {
        const find = editionFor(context).pages.get(pattern) ?? findInEnglish;
        const { file, isFound, movedTo } = await find(context);
        if (movedTo !== undefined) {
          const { headers, ...moved } = redirect(movedTo);
          return { ...moved, headers: { ...headers, 'Cache-Control': FRESH } };
        }
        const page = staticReply(file, FRESH, ofPage);
        if (!SHARED_PAGES.includes(pattern)) return page;
        return { ...page, status: isFound ? page.status : 404, headers: { ...page.headers, ...BY_LINK } };
      },
    })),
    {
      ...row,
      pattern: '/app/:version/*path',
      handle: ({ parameters }) => {
        const edition = byVersion.get(parameters.get('version') ?? '');
        const found = edition?.files.get(parameters.get('path') ?? '');
        // Serving a current file under an older version would mix it with cached files of that version.
        if (!found) throw notFound('File', OWN);
        return staticReply(found, IMMUTABLE);
      },
    },
    { ...row, pattern: '/sw.js', handle: (context) => editionFor(context).worker },
    { ...row, pattern: '/manifest.webmanifest', handle: (context) => editionFor(context).manifest },
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
    // `default` is for Leaflet and the service worker, `lit-html` for the renderer.
    "require-trusted-types-for 'script'",
    'trusted-types default lit-html',
  ].join('; ');
}

// Everything the screens may need offline: the app's code and styles, the renderer, and the map. Vector tiles, which
// the operator chooses, need the network anyway, and so does the detailed coastline.
const SHELL =
  /^(?:(?!vendor\/).*\.(?:js|css)|vendor\/(?:lit-html|leaflet)\/.*|vendor\/world-atlas\/land-110m\.json|map\/names\.json|icons\/icon\.svg)$/;

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

// A row of the app's own table of pages: its pattern and the module of its screen, which is loaded later.
const PAGE = /pattern:\s*["']([^"']+)["'][^}]*?\bimport\(\s*["']\.\.\/([\w./-]+)["']\s*\)/g;

/** The app's own table of pages: patterns such as `/restaurants/:id`, each with the path of its screen's module. */
function pagesIn(table: string): readonly { readonly pattern: string; readonly view: string }[] {
  const pages = [...table.matchAll(PAGE)].map(([, pattern = '', view = '']) => ({ pattern, view }));
  if (pages.length === 0 || pages.length < table.split(/\bpattern:/).length - 1)
    throw new Error(`${PAGES} must have rows with a pattern and a view each`);
  return pages;
}

/** The language for a request: the reader's choice, else the one that the browser prefers, else English. */
function languageOf({ headers }: IncomingMessage, available: readonly string[]): string {
  const chosen = readCookies(headers.cookie).find(({ name }) => name === COOKIE)?.value;
  if (chosen !== undefined && available.includes(chosen)) return chosen;
  return preferredLanguage(headers['accept-language'], available) ?? ENGLISH;
}
