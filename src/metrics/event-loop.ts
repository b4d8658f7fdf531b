import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Family } from './exposition.ts';

/** How long the event loop lets things wait. */
export interface EventLoopWatch {
  readonly families: () => readonly Family[];
  readonly stop: () => void;
}

const RESOLUTION_MS = 20;
const WINDOW_MS = 60_000;
const QUANTILES = [0.5, 0.9, 0.99, 1] as const;

/**
 * Watches the delay of the event loop. Its quantiles are of the last whole minute (of the time so far in the first
 * one), whoever asks and how often: a scrape resets nothing.
 */
export function watchEventLoop(): EventLoopWatch {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let lastMinute: readonly number[] | undefined;

  // What is recorded is the time between two looks, which are a resolution apart when nothing is late.
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
  const quantiles = (): readonly number[] =>
    QUANTILES.map((quantile) => (delays.count === 0 ? 0 : late(delays.percentile(quantile * 100))));

  delays.enable();
  const timer = setInterval(() => {
    lastMinute = quantiles();
    delays.reset();
  }, WINDOW_MS);
  timer.unref();

  return {
    families: () => {
      const values = lastMinute ?? quantiles();
      return [
        {
          name: 'catalogue_event_loop_delay_seconds',
          type: 'summary',
          help: 'How much too late the event loop came round; quantiles over the last whole minute.',
          samples: QUANTILES.map((quantile, index) => ({
            labels: { quantile: String(quantile) },
            value: values[index] ?? 0,
          })),
        },
      ];
    },
    stop: () => {
      clearInterval(timer);
      delays.disable();
    },
  };
}
