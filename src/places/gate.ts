import { setTimeout as sleep } from 'node:timers/promises';
import { PlacesError } from './provider.ts';

/** Keeps the calls of the whole service apart in time, as a provider's usage policy wants it. */
export interface Gate {
  /** Throws a PlacesError `busy`, with the seconds to wait, when a call that comes now would start too late. */
  readonly check: () => void;
  /** Resolves when the call may start; rejects like `check`. */
  readonly pass: () => Promise<void>;
}

export interface GateOptions {
  /** Milliseconds between the starts of two calls. */
  readonly intervalMs: number;
  /** Milliseconds that a call may have to wait; so many stand in line at most. */
  readonly maxWaitMs: number;
  /** Monotonic clock in milliseconds; a test may bring its own. */
  readonly now?: () => number;
  /** Waits for milliseconds; a test may bring its own. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Opens a gate through which calls go one by one, in the order in which they came. */
export function createGate({ intervalMs, maxWaitMs, ...options }: GateOptions): Gate {
  const now = options.now ?? (() => performance.now());
  const pause = options.pause ?? sleep;
  let lastStart = -Infinity;
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  function check(): void {
    const delay = Math.max(0, lastStart + intervalMs - now()) + waiting * intervalMs;
    if (delay > maxWaitMs)
      throw new PlacesError('busy', { retryAfter: Math.max(1, Math.ceil((delay - maxWaitMs) / 1000)) });
  }

  /** By the clock and not by one timer: those fire early, and late ones would let two calls close in on each other. */
  async function startAfter(earlier: Promise<void>): Promise<void> {
    await earlier;
    for (let left = lastStart + intervalMs - now(); left > 0; left = lastStart + intervalMs - now())
      await pause(Math.ceil(left));
    lastStart = now();
    waiting -= 1;
  }

  return {
    check,
    pass: () => {
      check();
      waiting += 1;
      last = startAfter(last);
      return last;
    },
  };
}

/** A gate that is always open. */
export const openGate: Gate = { check: () => undefined, pass: () => Promise.resolve() };
