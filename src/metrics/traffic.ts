import { type Family, single } from './exposition.ts';
import { type Histogram, createHistogram } from './histogram.ts';

/** What is counted of a request; an access line has it all. */
export interface ObservedRequest {
  readonly method: string;
  /** The pattern of the route, or null when none matched. */
  readonly route: string | null;
  readonly status: number;
  readonly ms: number;
  /** Of the body. */
  readonly bytes: number;
  readonly aborted: boolean;
}

/** The requests so far. */
export interface Traffic {
  /** Costs no memory after the first request of a route, method and status. */
  readonly observe: (request: ObservedRequest) => void;
  readonly families: () => readonly Family[];
}

interface Series {
  readonly durations: Histogram;
  readonly statuses: Map<number, number>;
}

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
// Whatever a client sends as its method, the number of series stays small.
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts requests by route, method and status. */
export function createTraffic(): Traffic {
  const routes = new Map<string, Map<string, Series>>();
  let aborted = 0;
  let bytes = 0;

  function seriesOf(route: string, method: string): Series {
    let methods = routes.get(route);
    if (!methods) {
      methods = new Map<string, Series>();
      routes.set(route, methods);
    }
    let series = methods.get(method);
    if (!series) {
      series = { durations: createHistogram(BOUNDS), statuses: new Map() };
      methods.set(method, series);
    }
    return series;
  }

  function observe(request: ObservedRequest): void {
    const { durations, statuses } = seriesOf(
      request.route ?? 'none',
      METHODS.has(request.method) ? request.method : 'OTHER',
    );
    durations.observe(request.ms / 1000);
    statuses.set(request.status, (statuses.get(request.status) ?? 0) + 1);
    if (request.aborted) aborted += 1;
    bytes += request.bytes;
  }

  return {
    observe,
    families: () => [
      ...routeFamilies(routes),
      single(
        'catalogue_http_requests_aborted_total',
        'counter',
        'Requests whose client went away before the answer was complete.',
        aborted,
      ),
      single('catalogue_http_response_bytes_total', 'counter', 'Bytes of bodies that were answered.', bytes),
    ],
  };
}

function routeFamilies(routes: ReadonlyMap<string, ReadonlyMap<string, Series>>): readonly Family[] {
  const all = [...routes].flatMap(([route, methods]) =>
    Array.from(methods, ([method, series]) => ({ labels: { method, route }, ...series })),
  );
  return [
    {
      name: 'catalogue_http_requests_total',
      type: 'counter',
      help: 'Requests by method, pattern of the route ("none": no route was reached) and status.',
      samples: all.flatMap(({ labels, statuses }) =>
        Array.from(statuses, ([status, value]) => ({ labels: { ...labels, status: String(status) }, value })),
      ),
    },
    {
      name: 'catalogue_http_request_duration_seconds',
      type: 'histogram',
      help: 'Time from the first byte of a request to the last of its answer.',
      samples: all.flatMap(({ labels, durations }) => durations.samples(labels)),
    },
  ];
}
