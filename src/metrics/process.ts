import { readFileSync, readdirSync } from 'node:fs';
import { type Family, single } from './exposition.ts';

/** What is known of this process, by the names that Prometheus has for it; what the system does not tell is left out. */
export function processFamilies(): readonly Family[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  return [
    single('process_cpu_seconds_total', 'counter', 'Processor time used.', (user + system) / 1e6),
    single('process_resident_memory_bytes', 'gauge', 'Memory that is not swapped out.', rss),
    single(
      'process_start_time_seconds',
      'gauge',
      'When the process started, in seconds since 1970.',
      performance.timeOrigin / 1000,
    ),
    single('process_open_fds', 'gauge', 'File descriptors that are open.', openFiles()),
    single('process_max_fds', 'gauge', 'File descriptors that may be open.', maxOpenFiles()),
    single('nodejs_heap_size_used_bytes', 'gauge', 'Memory in use on the JavaScript heap.', heapUsed),
    single('nodejs_heap_size_total_bytes', 'gauge', 'Memory of the JavaScript heap.', heapTotal),
    single('nodejs_external_memory_bytes', 'gauge', 'Memory of buffers outside the heap.', external),
  ];
}

function openFiles(): number | undefined {
  try {
    // Without the one that reads the folder.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}

/** The limit of open files of this process; undefined where the system does not tell, or sets none. */
export function maxOpenFiles(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
