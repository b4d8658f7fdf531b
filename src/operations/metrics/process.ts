import { readFileSync, readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Family, counter, gauge, ifReadable, summary } from './exposition.ts';

const RESOLUTION_MS = 20;
const WINDOW_MS = 60_000;
const QUANTILES = [0.5, 0.9, 0.99, 1] as const;

/**
 * Watches the delay of the event loop. Reports the last whole minute, or the time so far in the first one: a scrape
 * resets nothing.
 */
export function watchEventLoop(): { readonly family: () => Family; readonly stop: () => void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let lastMinute: Family | undefined;

  // It records the time between two ticks, which is the resolution when nothing is late.
  const late = (quantile: number): number =>
    delays.count === 0 ? 0 : Math.max(0, delays.percentile(quantile * 100) / 1e9 - RESOLUTION_MS / 1000);
  const family = (): Family =>
    summary(
      'catalogue_event_loop_delay_seconds',
      'How much too late the event loop came round; quantiles over the last whole minute.',
      QUANTILES.map((quantile) => ({ labels: { quantile: String(quantile) }, value: late(quantile) })),
    );

  delays.enable();
  const timer = setInterval(() => {
    lastMinute = family();
    delays.reset();
  }, WINDOW_MS).unref();
  return {
    family: () => lastMinute ?? family(),
    stop: () => {
      clearInterval(timer);
      delays.disable();
    },
  };
}

/** This process under the names that Prometheus clients use, without what the system does not report. */
export function processFamilies(): readonly Family[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  const started = performance.timeOrigin / 1000;
  // Without the descriptor that reads the folder.
  const openFiles = ifReadable(() => readdirSync('/proc/self/fd').length - 1);
  return [
    counter('process_cpu_seconds_total', 'Processor time used.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Memory that is not swapped out.', rss),
    gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', started),
    gauge('process_open_fds', 'File descriptors that are open.', openFiles),
    gauge('process_max_fds', 'File descriptors that may be open.', maxOpenFiles()),
    gauge('nodejs_heap_size_used_bytes', 'Memory in use on the JavaScript heap.', heapUsed),
    gauge('nodejs_heap_size_total_bytes', 'Memory of the JavaScript heap.', heapTotal),
    gauge('nodejs_external_memory_bytes', 'Memory of buffers outside the heap.', external),
  ];
}

/** The limit of open files of this process; undefined if the system reports or sets none. */
export function maxOpenFiles(): number | undefined {
  const limits = ifReadable(() => readFileSync('/proc/self/limits', 'utf8')) ?? '';
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}
