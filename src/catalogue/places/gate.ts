import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from '../../kit/queue.ts';
import { PlacesError } from './provider.ts';

/** Spaces the calls of the whole service in time, as a provider's usage policy wants it. */
export interface Gate {
  /** Throws a PlacesError `busy`, with the seconds to wait, when a call that comes now would start too late. */
  readonly check: () => void;
  /** Resolves when the call may start; rejects like `check`. */
  readonly pass: () => Promise<void>;
}

export interface GateOptions {
  /** Milliseconds between the starts of two calls. */
  readonly intervalMs: number;
  /** Milliseconds that a call may have to wait. */
  readonly maxWaitMs: number;
  /** Monotonic clock in milliseconds; for tests. */
  readonly now?: () => number;
  /** Waits for milliseconds; for tests. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Opens a gate through which calls go one by one, in the order in which they came. */
export function createGate({ intervalMs, maxWaitMs, ...options }: GateOptions): Gate {
  const now = options.now ?? (() => performance.now());
  const pause = options.pause ?? sleep;
  const queue = new Queue({ atOnce: 1 });
  let lastStart = -Infinity;

  const leftMs = (): number => lastStart + intervalMs - now();

  function check(): void {
    const { running, waiting } = queue.load();
    const delay = Math.max(0, leftMs()) + (running + waiting) * intervalMs;
    if (delay > maxWaitMs)
      throw new PlacesError('busy', { retryAfter: Math.max(1, Math.ceil((delay - maxWaitMs) / 1000)) });
  }

  return {
    check,
    pass: () => {
      check();
      return queue.run(async () => {
        // By the clock and not by one timer: timers fire early, and late ones would let two calls close in on each other.
        for (let left = leftMs(); left > 0; left = leftMs()) await pause(Math.ceil(left));
        lastStart = now();
      });
    },
  };
}
