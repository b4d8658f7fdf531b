import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from '../../kit/queue.ts';
import { PlacesError } from './provider.ts';

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

/** Spaces the calls of the whole service in time, as a provider's usage policy wants it; they pass one by one, in order. */
export class Gate {
  readonly #options: GateOptions;
  readonly #now: () => number;
  readonly #queue = new Queue({ atOnce: 1 });
  #lastStart = -Infinity;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Throws a PlacesError `busy`, with the seconds to wait, when a call that comes now would start too late. */
  check(): void {
    const { intervalMs, maxWaitMs } = this.#options;
    const { running, waiting } = this.#queue.load();
    const delay = Math.max(0, this.#leftMs()) + (running + waiting) * intervalMs;
    if (delay > maxWaitMs)
      throw new PlacesError('busy', { retryAfter: Math.max(1, Math.ceil((delay - maxWaitMs) / 1000)) });
  }

  /** Resolves when the call may start; throws like `check`. */
  pass(): Promise<void> {
    this.check();
    const { pause = sleep } = this.#options;
    return this.#queue.run(async () => {
      // By the clock and not by one timer: timers fire early, and late ones would let two calls close in on each other.
      for (let left = this.#leftMs(); left > 0; left = this.#leftMs()) await pause(Math.ceil(left));
      this.#lastStart = this.#now();
    });
  }

  #leftMs(): number {
    return this.#lastStart + this.#options.intervalMs - this.#now();
  }
}
