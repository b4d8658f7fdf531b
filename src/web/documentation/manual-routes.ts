import type { RequestContext } from '../../http/context.ts';
import { notFound } from '../../http/errors.ts';
import { type Reply, content } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import type { StaticFile } from '../../kit/static-files.ts';
import { madeOnce } from './files.ts';
import { readManualFiles } from './manual-files.ts';

// All that its pages need: files of ours, and the search.
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
const MOST_CHARACTERS = 200;

/** Loads what renders the manual. */
export const loadRenderer = (): Promise<typeof import('./manual-pages.ts')> => import('./manual-pages.ts');

/** `/manual` and below. It is rendered when it is first asked for; `base` is the address of what pages load. */
export function manualRoutes({ base }: { readonly base: string }): readonly Route[] {
  const files = readManualFiles(base);
  const manual = madeOnce(async () => (await loadRenderer()).renderManual(files));

  async function file(name: string): Promise<Reply> {
    const found = (await manual()).files.get(name);
    if (!found) throw notFound('Page');
    return answer(found);
  }

  async function index({ query }: RequestContext): Promise<Reply> {
    const words = new URLSearchParams(query).get('q')?.slice(0, MOST_CHARACTERS).trim() ?? '';
    return words === '' ? file('index') : answer((await manual()).search(words));
  }

  const row = {
    method: 'GET',
    access: 'public',
    body: 'none',
    limit: 'files',
    operationId: 'manual',
  } as const;
  return [
    { ...row, pattern: '/manual', handle: index },
    { ...row, pattern: '/manual/:file', handle: ({ parameters }) => file(parameters.get('file') ?? '') },
  ];
}

function answer({ type, body, tag }: StaticFile): Reply {
  return content(type, body, { 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache', ETag: tag });
}
