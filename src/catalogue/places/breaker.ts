import { PlacesError } from './provider.ts';

/** The state of the provider after a call: `alive`, `failed`, or `untried` when it never left. */
export type Verdict = 'alive' | 'failed' | 'untried';

/** Leaves a provider alone that fails again and again. */
export interface Breaker {
  /** Throws a PlacesError `unavailable`, with the seconds to wait, when no call is let through now. */
  readonly check: () => void;
  /** Whether the provider has failed so often that it is left alone, or tried with one call at a time. */
  readonly isOpen: () => boolean;
  /** Runs a call unless `check` throws; `judge` judges what it rejected with. */
  readonly run: <Result>(work: () => Promise<Result>, judge: (error: unknown) => Verdict) => Promise<Result>;
}

export interface BreakerOptions {
  /** Called when the provider is left alone from now on. */
  readonly opened: () => void;
  /** Monotonic clock in milliseconds; for tests. */
  readonly now?: () => number;
}

const FAILURES = 5;
const OPEN_MS = 30_000;

/** Opens after 5 failures in a row, for 30 s; then one call at a time is let through until one comes back alive. */
export function createBreaker(options: BreakerOptions): Breaker {
  const now = options.now ?? (() => performance.now());
  let failures = 0;
  let openUntil: number | undefined;
  let isTrying = false;

  function check(): void {
    if (openUntil === undefined) return;
    const left = openUntil - now();
    if (left > 0 || isTrying)
      throw new PlacesError('unavailable', { retryAfter: Math.max(1, Math.ceil(left / 1000)) });
  }

  function learn(verdict: Verdict, wasTrial: boolean): void {
    if (wasTrial) isTrying = false;
    // A call from before the opening comes too late to mean anything.
    if (verdict === 'untried' || (openUntil !== undefined && !wasTrial)) return;
    failures = verdict === 'alive' ? 0 : failures + 1;
    if (verdict === 'alive') openUntil = undefined;
    else if (failures >= FAILURES) {
      openUntil = now() + OPEN_MS;
      options.opened();
    }
  }

  return {
    check,
    isOpen: () => openUntil !== undefined,
    run: async (work, judge) => {
      check();
      const isTrial = openUntil !== undefined;
      if (isTrial) isTrying = true;
      try {
        const result = await work();
        learn('alive', isTrial);
        return result;
      } catch (error) {
        learn(judge(error), isTrial);
        throw error;
      }
    },
  };
}
