import { newestBackup } from './backup/dated.ts';
import { createHealthCheck, healthRoutes } from './metrics/health.ts';
import { type Metrics, type MetricsOptions, createMetrics } from './metrics/routes.ts';
import type { Storage } from './storage/storage.ts';
import { readVersion } from './version.ts';

/** The settings that are measured. */
interface Settings extends Pick<MetricsOptions, 'dataFolder'> {
  readonly operations: {
    readonly metricsToken: string | undefined;
    /** Undefined where none are scheduled. */
    readonly backups: { readonly folder: string } | undefined;
  };
}

type Measured = 'writes' | 'limits' | 'bodyBytes' | 'passwordLoad' | 'maps' | 'replicaLag';

/** Health, and metrics of the other modules. */
export function openMonitoring(
  { queries, transactions }: Storage,
  { dataFolder, operations: { metricsToken: token, backups } }: Settings,
  bearerToken: MetricsOptions['bearerToken'],
  measured: Pick<MetricsOptions, Measured>,
): Metrics & { readonly isWell: () => boolean } {
  const health = { sql: queries.file('metrics'), storageHasFailed: transactions.hasFailed };
  const metrics = createMetrics({
    ...health,
    ...measured,
    ...{ dataFolder, token, bearerToken },
    version: readVersion(),
    lastBackup: backups && (() => newestBackup(backups.folder)),
  });
  const isWell = createHealthCheck(health);
  return { ...metrics, isWell, routes: [...healthRoutes(isWell), ...metrics.routes] };
}
