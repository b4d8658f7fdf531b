import { type Reply, json, ok, text } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { ifReadable } from './exposition.ts';
import type { StorageFamiliesOptions } from './storage.ts';

/** Makes the check whether the database answers and can be written. */
export function createHealthCheck({
  sql,
  storageHasFailed,
}: Pick<StorageFamiliesOptions, 'sql' | 'storageHasFailed'>): () => boolean {
  const ping = sql.prepare('ping');
  // The first request that needs more of the database reports why it does not answer.
  return () => !storageHasFailed() && ifReadable(() => ping.get()) !== undefined;
}

/**
 * `/api/health`, and `/health` in the form of a proxy, which is never rate limited (SPEC, "Health"). A full disk fails the
 * first alone: `/health` decides whether a container is restarted or gets requests, and reads go on, which a restart would
 * not help.
 */
export function healthRoutes(isWell: () => boolean, isFull: () => boolean): readonly Route[] {
  const row = { method: 'GET', access: 'public', body: 'none' } as const;
  const api = (): Reply =>
    isWell() && !isFull() ? ok({ status: 'ok' }) : json(503, { status: 'unavailable' });
  const plain = (): Reply => (isWell() ? text(200, 'healthy') : text(503, 'unavailable'));
  return [
    { ...row, pattern: '/api/health', limit: 'api', operationId: 'getHealth', handle: api },
    { ...row, pattern: '/health', limit: 'exempt', operationId: 'getPlainHealth', handle: plain },
  ];
}
