import type { Limit } from '../../http/limits.ts';
import { content } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { type MetricsAccessOptions, createMetricsAccess } from './access.ts';
import { EXPOSITION_TYPE, type Family, by, counter, exposition, gauge, ifReadable } from './exposition.ts';
import { processFamilies, watchEventLoop } from './process.ts';
import { type StorageFamiliesOptions, createStorageFamilies } from './storage.ts';
import { type ObservedRequest, createTraffic } from './traffic.ts';
import type { Writes } from './writes.ts';

/** The maps provider as its client sees it. */
export interface MapsState {
  readonly isLeftAlone: boolean;
  /** How many calls ended how since the start. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** The calls of this UTC day and how many it may have; undefined without a limit, when they are not counted. */
  readonly budget: { readonly calls: number; readonly limit: number } | undefined;
}

export interface MetricsOptions extends MetricsAccessOptions, StorageFamiliesOptions {
  /** Of the program. */
  readonly version: string;
  readonly writes: Pick<Writes, 'families'>;
  /** The rate limits that are on. */
  readonly limits: readonly Pick<Limit, 'name' | 'limiter'>[];
  /** Of JSON that arrives or is being handled. */
  readonly bodyBytes: () => number;
  readonly passwordLoad: () => { readonly running: number; readonly waiting: number };
  /** Undefined when there is no maps provider. */
  readonly maps: (() => MapsState) | undefined;
  /** When the last backup was done, in seconds since 1970, and 0 while there is none; undefined when none is scheduled. */
  readonly lastBackup?: (() => number) | undefined;
}

/** All that is measured, and its route. */
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
    gauge(
      'catalogue_backup_last_success_timestamp_seconds',
      'When the last backup was done, in seconds since 1970; 0: never.',
      options.lastBackup?.(),
    ),
    ...mapsFamilies(options),
    eventLoop.family(),
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
  const labels = { version, node: process.versions.node, sqlite };
  return gauge('catalogue_build_info', 'Always 1; the versions stand in the labels.', [{ labels, value: 1 }]);
}

function limitFamilies({ limits, bodyBytes, passwordLoad }: MetricsOptions): readonly Family[] {
  const refusals = limits.map(({ name, limiter }) => [name, limiter.refusals()] as const);
  const clients = limits.map(({ name, limiter }) => [name, limiter.size()] as const);
  const hashes = Object.entries(passwordLoad());
  return [
    counter(
      'catalogue_rate_limit_refusals_total',
      'Requests that a rate limit refused.',
      by('limit', refusals),
    ),
    gauge(
      'catalogue_rate_limit_clients',
      'Client addresses that a rate limit remembers.',
      by('limit', clients),
    ),
    gauge(
      'catalogue_request_body_bytes',
      'Bytes of JSON bodies that arrive or are being handled.',
      bodyBytes(),
    ),
    gauge('catalogue_password_hashes', 'Passwords that are hashed now, or wait for it.', by('state', hashes)),
  ];
}

function mapsFamilies({ maps }: MetricsOptions): readonly Family[] {
  const state = maps && ifReadable(maps);
  if (!state) return [];
  const { isLeftAlone, outcomes, budget } = state;
  return [
    counter(
      'catalogue_maps_calls_total',
      'Calls of the maps provider by how they ended.',
      by('outcome', outcomes),
    ),
    gauge(
      'catalogue_maps_calls_today',
      'Calls of the maps provider that count against the limit of this UTC day.',
      budget?.calls,
    ),
    gauge('catalogue_maps_calls_limit', 'Calls of the maps provider that a UTC day may have.', budget?.limit),
    gauge(
      'catalogue_maps_left_alone',
      'Whether the maps provider is left alone after failures.',
      Number(isLeftAlone),
    ),
  ];
}
