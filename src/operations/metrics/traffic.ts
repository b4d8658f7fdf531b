import type { AccessEntry } from '../../http/log.ts';
import { type Family, Histogram, counter, histogram } from './exposition.ts';

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
// Any other method that a client sends counts as OTHER, so that the number of series stays small.
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts requests by route, method and status. Only the first request of each combination takes memory. */
export class Traffic {
  readonly #series = new Map<string, ReturnType<typeof newSeries>>();
  #aborted = 0;
  #bytes = 0;

  observe({
    method: sent,
    route,
    status,
    ...entry
  }: Pick<AccessEntry, 'method' | 'route' | 'status' | 'ms' | 'bytes' | 'aborted'>): void {
    const method = METHODS.has(sent) ? sent : 'OTHER';
    const key = `${method} ${route ?? 'none'}`;
    const series = this.#series.get(key) ?? newSeries(method, route ?? 'none');
    this.#series.set(key, series);
    series.durations.observe(entry.ms / 1000);
    series.statuses.set(status, (series.statuses.get(status) ?? 0) + 1);
    if (entry.aborted) this.#aborted += 1;
    this.#bytes += entry.bytes;
  }

  families(): readonly Family[] {
    const all = [...this.#series.values()];
    return [
      counter(
        'catalogue_http_requests_total',
        'Requests by method, pattern of the route ("none": no route was reached) and status.',
        all.flatMap(({ labels, statuses }) =>
          Array.from(statuses, ([status, value]) => ({
            labels: { ...labels, status: String(status) },
            value,
          })),
        ),
      ),
      histogram(
        'catalogue_http_request_duration_seconds',
        'Time from the first byte of a request to the last of its answer.',
        all.flatMap(({ labels, durations }) => durations.samples(labels)),
      ),
      counter(
        'catalogue_http_requests_aborted_total',
        'Requests whose client went away before the answer was complete.',
        this.#aborted,
      ),
      counter('catalogue_http_response_bytes_total', 'Bytes of bodies that were answered.', this.#bytes),
    ];
  }
}

function newSeries(method: string, route: string) {
  return { labels: { method, route }, durations: new Histogram(BOUNDS), statuses: new Map<number, number>() };
}
