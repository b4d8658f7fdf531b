import { type Reply, json, ok, text } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { QueryFile } from '../storage/statements.ts';

export interface HealthRouteOptions {
  readonly sql: QueryFile;
  /** Whether writes are refused since the storage failed. */
  readonly storageHasFailed: () => boolean;
}

/** `/api/health`, and `/health` as a proxy answers it (CONTRACT section 11). */
export function healthRoutes({ sql, storageHasFailed }: HealthRouteOptions): readonly Route[] {
  const ping = sql.prepare('ping');

  function health(): Reply {
    try {
      if (!storageHasFailed() && ping.get() !== undefined) return ok({ status: 'ok' });
    } catch {
      // Why the database does not answer is told by whatever request needs more of it.
    }
    return json(503, { status: 'unavailable' });
  }

  const row = { method: 'GET', access: 'public', body: 'none' } as const;
  return [
    { ...row, pattern: '/api/health', limit: 'api', operationId: 'getHealth', handle: health },
    {
      ...row,
      pattern: '/health',
      limit: 'exempt',
      operationId: 'getPlainHealth',
      handle: () => text(200, 'healthy'),
    },
  ];
}
