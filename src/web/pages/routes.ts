import type { RequestContext } from '../../http/context.ts';
import { notFound, unavailable } from '../../http/errors.ts';
import { fileReply } from '../../http/ranges.ts';
import { type Reply, json } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { type MapFile, MapReplacedError, createMapFile } from './map-file.ts';

/** All that a page needs to know of the service before anyone has signed in. Nothing of it is secret. */
export interface AppConfig {
  readonly name: string;
  readonly version: string;
  readonly auth_mode: 'none' | 'local' | 'oauth' | 'both';
  readonly registration: 'open' | 'invite' | 'closed';
  readonly write_access: 'users' | 'admins';
  /** Those whose sign-in works. */
  readonly providers: readonly ('idp' | 'oidc')[];
  readonly read_only: boolean;
  readonly primary_url: string | null;
  /** Where places are looked up, and the words that its terms want next to them. */
  readonly maps: {
    readonly provider: 'google' | 'nominatim' | 'none';
    readonly attribution: string | null;
  };
  readonly tiles: {
    readonly kind: 'none' | 'pmtiles' | 'raster';
    readonly url: string | null;
    readonly attribution: string | null;
  };
  readonly trash_days: number;
  readonly max_body_bytes: number;
}

export interface PageRouteOptions {
  readonly appConfig: AppConfig;
  /** The absolute path of the file at `MAP_PATH`; undefined where there is none. */
  readonly mapFile: string | undefined;
}

/** Where the service serves a file of map tiles. */
export const MAP_PATH = '/tiles/map.pmtiles';

// A client asks for many small parts while a map is moved; it notices by the tag when the file was replaced.
const MAP_CACHING = 'public, max-age=3600';

/** `/api/app-config` and `/tiles/map.pmtiles`. */
export function pageRoutes({ appConfig, mapFile }: PageRouteOptions): readonly Route[] {
  const file = mapFile === undefined ? undefined : createMapFile(mapFile);
  const config = (): Reply => json(200, appConfig, { 'Cache-Control': 'no-cache' });
  const map = (context: RequestContext): Promise<Reply> => serveMap(context, file);
  const row = { method: 'GET', access: 'public', body: 'none', limit: 'files' } as const;
  return [
    { ...row, pattern: '/api/app-config', operationId: 'getAppConfig', handle: config },
    { ...row, pattern: MAP_PATH, operationId: 'getMapFile', handle: map },
  ];
}

async function serveMap(context: RequestContext, file: MapFile | undefined): Promise<Reply> {
  const status = await file?.status();
  if (!file || !status) throw notFound('Map');
  return fileReply(context, {
    ...status,
    caching: MAP_CACHING,
    headers: { 'Content-Type': 'application/vnd.pmtiles' },
    read: (start, end) => readWhole(file.read(status.tag, start, end)),
  });
}

async function* readWhole(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof MapReplacedError) throw unavailable('Map has just been replaced', 1);
    throw error;
  }
}
