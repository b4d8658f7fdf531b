import { json, ok, text } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { QueryFile } from '../storage/statements.ts';

export interface HealthOptions {
  readonly sql: QueryFile;
  /** Whether writes are refused since the storage failed. */
  readonly storageHasFailed: () => boolean;
}

/** Makes the check whether the database answers and can be written. */
export function createHealthCheck({ sql, storageHasFailed }: HealthOptions): () => boolean {
  const ping = sql.prepare('ping');
  return () => {
    try {
      return !storageHasFailed() && ping.get() !== undefined;
    } catch {
      // Why the database does not answer is told by whatever request needs more of it.
      return false;
    }
  };
}

/** `/api/health`, and `/health` in the form of a proxy, which no limit keeps from health checks (SPEC, "Health"). */
export function healthRoutes(isWell: () => boolean): readonly Route[] {
  const row = { method: 'GET', access: 'public', body: 'none' } as const;
  return [
    {
      ...row,
      pattern: '/api/health',
      limit: 'api',
      operationId: 'getHealth',
      handle: () => (isWell() ? ok({ status: 'ok' }) : json(503, { status: 'unavailable' })),
    },
    {
      ...row,
      pattern: '/health',
      limit: 'exempt',
      operationId: 'getPlainHealth',
      handle: () => (isWell() ? text(200, 'healthy') : text(503, 'unavailable')),
    },
  ];
}
