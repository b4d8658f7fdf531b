import { KEPT_FOR_GOOD } from '../http/conditional.ts';
import type { RequestContext } from '../http/context.ts';
import { notFound } from '../http/errors.ts';
import { type Reply, content, redirect } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { prefersJson } from './accept.ts';
import { type PageSettings, type StaticFile, readDocumentation } from './files.ts';

const FRESH = 'no-cache';
// All that the page needs: files of ours, answers of ours, and pictures that it made of them.
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

/** `/`, `/api/docs` and below, `/api/swagger.yaml` (CONTRACT section 11). */
export function documentationRoutes(settings: PageSettings): readonly Route[] {
  const { page, yaml, json, assets, version } = readDocumentation(settings);

  async function docs(context: RequestContext): Promise<Reply> {
    const headers = { Vary: 'Accept' };
    if (prefersJson(context.request.headers.accept)) return answer(await json(), FRESH, headers);
    return answer(page, FRESH, { ...headers, 'Content-Security-Policy': PAGE_POLICY });
  }

  function asset(context: RequestContext): Reply {
    const { parameters } = context;
    const file = assets.get(parameters.get('file') ?? '');
    if (!file) throw notFound('File');
    return answer(file, parameters.get('version') === version ? KEPT_FOR_GOOD : FRESH);
  }

  const row = { method: 'GET', access: 'public', body: 'none', limit: 'files' } as const;
  return [
    {
      ...row,
      pattern: '/',
      limit: 'exempt',
      operationId: 'redirectToDocs',
      handle: () => redirect('/api/docs'),
    },
    { ...row, pattern: '/api/docs', operationId: 'getDocs', handle: docs },
    {
      ...row,
      pattern: '/api/docs/swagger.json',
      operationId: 'getDescriptionAsJson',
      handle: async () => answer(await json(), FRESH),
    },
    {
      ...row,
      pattern: '/api/swagger.yaml',
      operationId: 'getDescription',
      handle: () => answer(yaml, FRESH),
    },
    {
      ...row,
      pattern: '/api/docs/assets/:version/:file',
      operationId: 'getDocsAsset',
      handle: asset,
    },
  ];
}

function answer(
  { type, body, tag }: StaticFile,
  caching: string,
  more: Readonly<Record<string, string>> = {},
): Reply {
  return content(type, body, { ...more, ETag: tag, 'Cache-Control': caching });
}
