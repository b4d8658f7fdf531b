import { readFileSync, readdirSync } from 'node:fs';
import type { RequestContext } from '../../http/context.ts';
import { requireFound } from '../../http/errors.ts';
import { type Reply, staticReply } from '../../http/reply.ts';
import { PUBLIC_FILE, type Route } from '../../http/router.ts';
import { once } from '../../kit/once.ts';
import { STATIC_FOLDER, staticFile } from '../../kit/static-files.ts';

const FOLDER = new URL('manual/', STATIC_FOLDER);
const SERVED = /\.(?:md|png|svg)$/;
// The pages load our own files and use the search.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');
const HEADERS = { 'Content-Security-Policy': POLICY };
const FRESH = 'no-cache';
const MOST_CHARACTERS = 200;

/** Loads the manual's renderer, whose library takes longer to load than everything else. */
export const loadRenderer = (): Promise<typeof import('./manual-pages.ts')> => import('./manual-pages.ts');

/** `/manual` and below, rendered on the first request; `base` is the URL of the files that pages load. */
export function manualRoutes(base: string): readonly Route[] {
  const template = readFileSync(new URL('manual.html', STATIC_FOLDER), 'utf8');
  const names = readdirSync(FOLDER).filter((name) => SERVED.test(name));
  const sources = new Map(names.map((name) => [name, staticFile(name, readFileSync(new URL(name, FOLDER)))]));
  const manual = once(async () => (await loadRenderer()).renderManual(sources, template, base));

  async function file(name: string): Promise<Reply> {
    return staticReply(requireFound((await manual()).files.get(name), 'Page'), FRESH, HEADERS);
  }

  async function index({ query }: RequestContext): Promise<Reply> {
    const words = new URLSearchParams(query).get('q')?.slice(0, MOST_CHARACTERS).trim() ?? '';
    return words === '' ? file('index') : staticReply((await manual()).search(words), FRESH, HEADERS);
  }

  const row = { ...PUBLIC_FILE, operationId: 'manual' };
  return [
    { ...row, pattern: '/manual', handle: index },
    { ...row, pattern: '/manual/:file', handle: ({ parameters }) => file(parameters.get('file') ?? '') },
  ];
}
