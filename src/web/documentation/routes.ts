import { IMMUTABLE } from '../../http/conditional.ts';
import type { RequestContext } from '../../http/context.ts';
import { notFound } from '../../http/errors.ts';
import { prefersJson } from '../../http/negotiation.ts';
import { type Reply, content } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import type { StaticFile } from '../../kit/static-files.ts';
import { type Assets, readStatic } from './files.ts';

/** Facts about this service that the page needs before its first request. */
export interface PageSettings {
  readonly authMode: string;
  readonly registration: 'open' | 'invite' | 'closed';
  /** The identity providers that work. */
  readonly providers: readonly string[];
}

/** The description of the API in both forms. */
export interface Description {
  readonly yaml: StaticFile;
  readonly json: () => Promise<StaticFile>;
}

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

/** `/api/docs` and below, `/api/swagger.yaml`. Throws when a file is missing. */
export function documentationRoutes(
  { assets, version, base }: Assets,
  settings: PageSettings,
  { yaml, json }: Description,
): readonly Route[] {
  const page = readStatic('docs.html', {
    assets: base,
    authMode: settings.authMode,
    registration: settings.registration,
    providers: settings.providers.join(' '),
  });
  const asJson = async (): Promise<Reply> => answer(await json(), FRESH);
  const asYaml = (): Reply => answer(yaml, FRESH);

  async function docs({ request }: RequestContext): Promise<Reply> {
    const headers = { Vary: 'Accept' };
    if (prefersJson(request.headers.accept)) return answer(await json(), FRESH, headers);
    return answer(page, FRESH, { ...headers, 'Content-Security-Policy': PAGE_POLICY });
  }

  function asset({ parameters }: RequestContext): Reply {
    const file = assets.get(parameters.get('file') ?? '');
    if (!file) throw notFound('File');
    return answer(file, parameters.get('version') === version ? IMMUTABLE : FRESH);
  }

  const row = { method: 'GET', access: 'public', body: 'none', limit: 'files' } as const;
  return [
    { ...row, pattern: '/api/docs', operationId: 'getDocs', handle: docs },
    { ...row, pattern: '/api/docs/swagger.json', operationId: 'getDescriptionAsJson', handle: asJson },
    { ...row, pattern: '/api/swagger.yaml', operationId: 'getDescription', handle: asYaml },
    { ...row, pattern: '/api/docs/assets/:version/:file', operationId: 'getDocsAsset', handle: asset },
  ];
}

function answer(
  { type, body, tag }: StaticFile,
  caching: string,
  more: Readonly<Record<string, string>> = {},
): Reply {
  return content(type, body, { ...more, ETag: tag, 'Cache-Control': caching });
}
