import type { AccessEntry } from '../../http/log.ts';
import { type Family, type Histogram, counter, createHistogram } from './exposition.ts';

/** A request as an access line has it. */
export type ObservedRequest = Pick<AccessEntry, 'method' | 'route' | 'status' | 'ms' | 'bytes' | 'aborted'>;

interface Series {
  readonly labels: { readonly method: string; readonly route: string };
  readonly durations: Histogram;
  readonly statuses: Map<number, number>;
}

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
// Whatever a client sends as its method, the number of series stays small.
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts requests by route, method and status, which costs no memory after the first request of each. */
export function createTraffic(): {
  readonly observe: (request: ObservedRequest) => void;
  readonly families: () => readonly Family[];
} {
  const byRoute = new Map<string, Series>();
  let aborted = 0;
  let bytes = 0;

  function seriesOf(route: string, method: string): Series {
    const key = `${method} ${route}`;
    const known = byRoute.get(key);
    if (known) return known;
    const made = { labels: { method, route }, durations: createHistogram(BOUNDS), statuses: new Map() };
    byRoute.set(key, made);
    return made;
  }

  return {
    observe: (request) => {
      const { route, method, status, ms } = request;
      const { durations, statuses } = seriesOf(route ?? 'none', METHODS.has(method) ? method : 'OTHER');
      durations.observe(ms / 1000);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (request.aborted) aborted += 1;
      bytes += request.bytes;
    },
    families: () => [
      ...routeFamilies([...byRoute.values()]),
      counter(
        'catalogue_http_requests_aborted_total',
        'Requests whose client went away before the answer was complete.',
        aborted,
      ),
      counter('catalogue_http_response_bytes_total', 'Bytes of bodies that were answered.', bytes),
    ],
  };
}

function routeFamilies(all: readonly Series[]): readonly Family[] {
  return [
    counter(
      'catalogue_http_requests_total',
      'Requests by method, pattern of the route ("none": no route was reached) and status.',
      all.flatMap(({ labels, statuses }) =>
        Array.from(statuses, ([status, value]) => ({ labels: { ...labels, status: String(status) }, value })),
      ),
    ),
    {
      name: 'catalogue_http_request_duration_seconds',
      type: 'histogram',
      help: 'Time from the first byte of a request to the last of its answer.',
      samples: all.flatMap(({ labels, durations }) => durations.samples(labels)),
    },
  ];
}
