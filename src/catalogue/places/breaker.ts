import { PlacesError } from './provider.ts';

/** The state of the provider after a call; `untried` if nothing was sent. */
export type Verdict = 'alive' | 'failed' | 'untried';

const FAILURES = 5;
const OPEN_MS = 30_000;

/**
 * Stops calls to a provider that keeps failing: opens for 30 s after 5 failures in a row, then lets one call at a time
 * through until one succeeds.
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

  /** Throws a PlacesError `unavailable`, with the seconds to wait, if no call may pass now. */
  check(): void {
    if (this.#openUntil === undefined) return;
    const left = this.#openUntil - this.#now();
    if (left > 0 || this.#isTrying)
      throw new PlacesError('unavailable', { retryAfter: Math.max(1, Math.ceil(left / 1000)) });
  }

  /** True while no calls, or only one at a time, may pass. */
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
    // A call that started before the breaker opened says nothing about now.
    if (verdict === 'untried' || (this.isOpen() && !wasTrial)) return;
    this.#failures = verdict === 'alive' ? 0 : this.#failures + 1;
    if (verdict === 'alive') this.#openUntil = undefined;
    else if (this.#failures >= FAILURES) {
      this.#openUntil = this.#now() + OPEN_MS;
      this.#opened();
    }
  }
}
