import { content } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { watchEventLoop } from './event-loop.ts';
import { EXPOSITION_TYPE, type Family, exposition, labelled, single } from './exposition.ts';
import { type MapsState, mapsFamilies } from './maps-families.ts';
import { type MetricsAccessOptions, createMetricsAccess } from './access.ts';
import { processFamilies } from './process.ts';
import { type StorageFamiliesOptions, createStorageFamilies } from './storage-families.ts';
import { type ObservedRequest, createTraffic } from './traffic.ts';
import type { Writes } from './writes.ts';

export interface MetricsOptions extends MetricsAccessOptions, StorageFamiliesOptions {
  /** Of the program. */
  readonly version: string;
  readonly writes: Pick<Writes, 'families'>;
  /** The rate limits that are on, by name. */
  readonly limits: ReadonlyMap<string, { readonly size: () => number; readonly refusals: () => number }>;
  /** Of JSON that arrives or is being handled. */
  readonly bodyBytes: () => number;
  readonly passwordLoad: () => { readonly running: number; readonly waiting: number };
  /** Undefined when there is no maps provider. */
  readonly maps: (() => MapsState) | undefined;
  /** When the last backup was done, in seconds since 1970; undefined when none is scheduled. */
  readonly lastBackup?: (() => number | undefined) | undefined;
}

/** What is measured, and the route that tells it. */
export interface Metrics {
  readonly routes: readonly Route[];
  readonly observe: (request: ObservedRequest) => void;
  /** Ends what is measured all the time. */
  readonly close: () => void;
}

/** `/api/metrics`, in the text format of Prometheus. */
export function createMetrics(options: MetricsOptions): Metrics {
  const checkAccess = createMetricsAccess(options);
  const traffic = createTraffic();
  const eventLoop = watchEventLoop();
  const storageFamilies = createStorageFamilies(options);
  const build = buildFamily(options);

  const families = async (): Promise<readonly Family[]> => [
    build,
    ...traffic.families(),
    ...limitFamilies(options),
    ...options.writes.families(),
    ...(await storageFamilies()),
    ...backupFamilies(options),
    ...providerFamilies(options),
    ...eventLoop.families(),
    ...processFamilies(),
  ];

  const route: Route = {
    method: 'GET',
    pattern: '/api/metrics',
    access: 'public',
    body: 'none',
    limit: 'api',
    operationId: 'getMetrics',
    handle: async ({ request }) => {
      checkAccess(request);
      const text = exposition(await families());
      return content(EXPOSITION_TYPE, Buffer.from(text), { 'Cache-Control': 'no-store' });
    },
  };
  return { routes: [route], observe: traffic.observe, close: eventLoop.stop };
}

function buildFamily({ version, sql }: MetricsOptions): Family {
  const sqlite = sql.prepare<{ version: string }>('sqliteVersion').get()?.version ?? '';
  return {
    name: 'catalogue_build_info',
    type: 'gauge',
    help: 'Always 1; the versions stand in the labels.',
    samples: [{ labels: { version, node: process.versions.node, sqlite }, value: 1 }],
  };
}

function limitFamilies({ limits, bodyBytes, passwordLoad }: MetricsOptions): readonly Family[] {
  const { running, waiting } = passwordLoad();
  const all = [...limits];
  return [
    labelled(
      'catalogue_rate_limit_refusals_total',
      'counter',
      'Requests that a rate limit refused.',
      'limit',
      all.map(([name, limiter]) => [name, limiter.refusals()]),
    ),
    labelled(
      'catalogue_rate_limit_clients',
      'gauge',
      'Client addresses that a rate limit remembers.',
      'limit',
      all.map(([name, limiter]) => [name, limiter.size()]),
    ),
    single(
      'catalogue_request_body_bytes',
      'gauge',
      'Bytes of JSON bodies that arrive or are being handled.',
      bodyBytes(),
    ),
    labelled(
      'catalogue_password_hashes',
      'gauge',
      'Passwords that are hashed now, or wait for it.',
      'state',
      [
        ['running', running],
        ['waiting', waiting],
      ],
    ),
  ];
}

function providerFamilies({ maps }: MetricsOptions): readonly Family[] {
  try {
    return maps ? mapsFamilies(maps()) : [];
  } catch {
    // A scrape tells most where the storage has failed.
    return [];
  }
}

function backupFamilies({ lastBackup }: MetricsOptions): readonly Family[] {
  const name = 'catalogue_backup_last_success_timestamp_seconds';
  return [single(name, 'gauge', 'When the last backup was done, in seconds since 1970.', lastBackup?.())];
}
