import type { BigIntStats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { RequestContext } from '../../http/context.ts';
import { notFound, unavailable } from '../../http/errors.ts';
import { fileReply } from '../../http/ranges.ts';
import { type Reply, json } from '../../http/reply.ts';
import { PUBLIC_FILE, type Route } from '../../http/router.ts';
import { ifExists, readPart } from '../../kit/files.ts';

/** The URL of the map tiles file. */
export const MAP_PATH = '/tiles/map.pmtiles';
// Clients request many small parts while a map moves; the tag shows them that the file was replaced.
const MAP_CACHING = 'public, max-age=3600';

/** `/api/app-config` and `/tiles/map.pmtiles`; `mapFile` is the absolute path of the tiles file, if any. */
export function pageRoutes(appConfig: object, mapFile: string | undefined): readonly Route[] {
  const config = (): Reply => json(200, appConfig, { 'Cache-Control': 'no-cache' });
  const map = (context: RequestContext): Promise<Reply> => serveMap(context, mapFile);
  return [
    { ...PUBLIC_FILE, pattern: '/api/app-config', operationId: 'getAppConfig', handle: config },
    { ...PUBLIC_FILE, pattern: MAP_PATH, operationId: 'getMapFile', handle: map },
  ];
}

/** Serves a map tile archive (PMTiles), which the operator may replace at any time. */
async function serveMap(context: RequestContext, path: string | undefined): Promise<Reply> {
  const status = path === undefined ? undefined : await ifExists(stat(path, { bigint: true }));
  if (path === undefined || !status?.isFile()) throw notFound('Map');
  const tag = tagOf(status);
  return fileReply(context, {
    tag,
    size: Number(status.size),
    caching: MAP_CACHING,
    headers: { 'Content-Type': 'application/vnd.pmtiles' },
    read: (start, end) => readMapPart(path, tag, start, end),
  });
}

/** Changes when the file is replaced or written to. Gigabytes of content cannot be hashed. */
function tagOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `"${[ino, size, mtimeNs].map((part) => part.toString(36)).join('-')}"`;
}

/**
 * The bytes from `start` up to but excluding `end`. Rejects with 503, before the first byte, if the file no longer has
 * the tag.
 */
export async function* readMapPart(
  path: string,
  tag: string,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  const handle = await open(path);
  try {
    if (tagOf(await handle.stat({ bigint: true })) !== tag)
      throw unavailable('Map has just been replaced', 1);
    yield* readPart(handle, start, end);
  } finally {
    await handle.close();
  }
}
