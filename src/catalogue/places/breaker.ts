import { PlacesError } from './provider.ts';

/** The state of the provider after a call: `alive`, `failed`, or `untried` when nothing was sent. */
export type Verdict = 'alive' | 'failed' | 'untried';

const FAILURES = 5;
const OPEN_MS = 30_000;

/**
 * Stops calls to a provider that fails again and again: opens after 5 failures in a row, for 30 s; then one call at a time is
 * let through until one comes back alive.
 */
export class Breaker {
  readonly #opened: () => void;
  readonly #now: () => number;
  #failures = 0;
  #openUntil: number | undefined;
  #isTrying = false;

  /** `opened` is called whenever it opens; `now` is a monotonic clock in milliseconds. */
  constructor(opened: () => void, now = () => performance.now()) {
    this.#opened = opened;
    this.#now = now;
  }

  /** Throws a PlacesError `unavailable`, with the seconds to wait, when no call is let through now. */
  check(): void {
    if (this.#openUntil === undefined) return;
    const left = this.#openUntil - this.#now();
    if (left > 0 || this.#isTrying)
      throw new PlacesError('unavailable', { retryAfter: Math.max(1, Math.ceil(left / 1000)) });
  }

  /** Whether no calls are let through, or one at a time. */
  isOpen(): boolean {
    return this.#openUntil !== undefined;
  }

  /** Runs a call unless `check` throws; `judge` returns the verdict on its error. */
  async run<Result>(work: () => Promise<Result>, judge: (error: unknown) => Verdict): Promise<Result> {
    this.check();
    const isTrial = this.isOpen();
    if (isTrial) this.#isTrying = true;
    try {
      const result = await work();
      this.#learn('alive', isTrial);
      return result;
    } catch (error) {
      this.#learn(judge(error), isTrial);
      throw error;
    }
  }

  #learn(verdict: Verdict, wasTrial: boolean): void {
    if (wasTrial) this.#isTrying = false;
    // A call from before the opening comes too late to mean anything.
    if (verdict === 'untried' || (this.isOpen() && !wasTrial)) return;
    this.#failures = verdict === 'alive' ? 0 : this.#failures + 1;
    if (verdict === 'alive') this.#openUntil = undefined;
    else if (this.#failures >= FAILURES) {
      this.#openUntil = this.#now() + OPEN_MS;
      this.#opened();
    }
  }
}
