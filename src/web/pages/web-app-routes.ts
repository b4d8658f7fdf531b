import { IMMUTABLE } from '../../http/conditional.ts';
import type { RequestContext } from '../../http/context.ts';
import { notFound } from '../../http/errors.ts';
import { type Reply, content } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import type { StaticFile } from '../../kit/static-files.ts';
import { FILES_PATH, fillDocuments } from './web-app-documents.ts';
import { readWebApp } from './web-app-files.ts';
import { readPagePaths } from './web-app-paths.ts';

export interface WebAppOptions {
  /** The name of the catalogue. */
  readonly name: string;
  /** The origin from which maps load pictures of tiles, where that is another server. */
  readonly tileOrigin: string | undefined;
}

const FRESH = 'no-cache';

/**
 * The web app: its page at each of its addresses, its files, its service worker and its manifest. Rejects when a file is
 * missing.
 */
export async function webAppRoutes({ name, tileOrigin }: WebAppOptions): Promise<readonly Route[]> {
  const app = readWebApp();
  const { version, pageOf, worker, manifest } = fillDocuments(app, name);
  // The policy of a worker is that of its own script.
  const policy = { 'Content-Security-Policy': policyFor(tileOrigin) };
  // Other servers of tiles refuse requests that do not say where they come from.
  const ofPage = { ...policy, 'Referrer-Policy': 'strict-origin-when-cross-origin' };

  function file({ parameters }: RequestContext): Reply {
    const found =
      parameters.get('version') === version ? app.files.get(parameters.get('path') ?? '') : undefined;
    // Under an older version a file of the current one would mix with cached ones of that.
    if (!found) throw notFound('File', { 'Cache-Control': 'no-store' });
    return answer(found, IMMUTABLE);
  }

  const row = {
    method: 'GET',
    access: 'public',
    body: 'none',
    limit: 'exempt',
    operationId: 'webApp',
  } as const;
  const paths = await readPagePaths();
  return [
    ...paths.map(({ pattern, view }) => {
      const page = answer(pageOf(view), FRESH, ofPage);
      return { ...row, pattern, handle: () => page };
    }),
    { ...row, pattern: `${FILES_PATH}/:version/*path`, handle: file },
    { ...row, pattern: '/sw.js', handle: () => answer(worker, FRESH, policy) },
    { ...row, pattern: '/manifest.webmanifest', handle: () => answer(manifest, FRESH) },
  ];
}

function policyFor(tileOrigin: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' blob: data:", tileOrigin].filter((part) => part !== undefined).join(' '),
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function answer(
  { type, body, tag }: StaticFile,
  caching: string,
  more: Readonly<Record<string, string>> = {},
): Reply {
  return content(type, body, { ...more, ETag: tag, 'Cache-Control': caching });
}
