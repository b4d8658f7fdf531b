import { newestBackup } from './backup/dated.ts';
import { createHealthCheck, healthRoutes } from './metrics/health.ts';
import { type Metrics, type MetricsOptions, createMetrics } from './metrics/routes.ts';
import type { Storage } from '../storage/storage.ts';
import { readVersion } from '../kit/version.ts';

/** The settings that are measured. */
interface Settings extends Pick<MetricsOptions, 'dataFolder'> {
  readonly operations: {
    readonly metricsToken: string | undefined;
    /** Undefined where none are scheduled. */
    readonly backups: { readonly folder: string } | undefined;
  };
}

type Measured = 'writes' | 'limits' | 'bodyBytes' | 'passwordLoad' | 'maps';

/** Health, and metrics of the other modules. */
export function openMonitoring(
  { queries, transactions }: Storage,
  { dataFolder, operations: { metricsToken: token, backups } }: Settings,
  bearerToken: MetricsOptions['bearerToken'],
  { isFull, ...measured }: Pick<MetricsOptions, Measured> & { readonly isFull: () => boolean },
): Metrics & { readonly isWell: () => boolean } {
  const health = { sql: queries.file('metrics'), storageHasFailed: () => transactions.hasFailed() };
  const metrics = createMetrics({
    ...health,
    ...measured,
    dataFolder,
    token,
    bearerToken,
    version: readVersion(),
    // An alert on its age fires while there is none.
    lastBackup: backups && (() => newestBackup(backups.folder) ?? 0),
  });
  const isWell = createHealthCheck(health);
  return { ...metrics, isWell, routes: [...healthRoutes(isWell, isFull), ...metrics.routes] };
}
