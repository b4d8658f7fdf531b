import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from '../../kit/queue.ts';
import { PlacesError } from './provider.ts';

export interface GateOptions {
  /** Milliseconds between the starts of two calls. */
  readonly intervalMs: number;
  /** The longest that a call may wait, in milliseconds. */
  readonly maxWaitMs: number;
  /** Monotonic clock in milliseconds; for tests. */
  readonly now?: () => number;
  /** For tests. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Spaces out all calls of the service, as a provider's usage policy demands; they pass one by one, in order. */
export class Gate {
  readonly #options: GateOptions;
  readonly #now: () => number;
  readonly #queue = new Queue({ atOnce: 1 });
  #lastStart = -Infinity;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Throws a PlacesError `busy`, with the seconds to wait, if a call made now would start too late. */
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
      // Check the clock instead of trusting one timer: timers may fire early, and late ones would bring two calls too close.
      for (let left = this.#leftMs(); left > 0; left = this.#leftMs()) await pause(Math.ceil(left));
      this.#lastStart = this.#now();
    });
  }

  #leftMs(): number {
    return this.#lastStart + this.#options.intervalMs - this.#now();
  }
}
