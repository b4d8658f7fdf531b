import { setTimeout as sleep } from 'node:timers/promises';
import { Cache } from '../../kit/cache.ts';
import { OutboundError, fetchText } from '../../kit/fetch.ts';
import { type GoogleOptions, createGoogle } from './google.ts';
import { Breaker, Budget, type BudgetOptions, Gate } from './guards.ts';
import { type NominatimOptions, createNominatim } from './nominatim.ts';
import {
  type Ask,
  type FoundPlaces,
  type LookUp,
  type MapsProvider,
  PlacesError,
  VERDICTS,
} from './provider.ts';

/** Called right before a call to the provider; throws if the client may not make one. */
export type CallPermit = () => void;

/** The health of the provider. */
export interface PlacesState {
  /** True while the breaker stops calls after failures. */
  readonly circuitOpen: boolean;
  /** Calls since the start by outcome: `ok` or the kind of failure. Cached answers do not count. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly budget: ReturnType<Budget['state']>;
}

export interface PlacesOptions extends Pick<BudgetOptions, 'sql' | 'transactions'> {
  readonly settings: (GoogleOptions | NominatimOptions) & { readonly dailyLimit: number };
  readonly report: (message: string, fields: Readonly<Record<string, string | number | null>>) => void;
}

const TIMEOUT_MS = 5_000;
const RETRY_PAUSE_MS = 100;
const MAX_ENTRIES = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Looks up places at the configured provider with as few calls as possible: behind cache, breaker, gate and budget. */
export class PlacesClient {
  readonly provider: MapsProvider;
  readonly #options: PlacesOptions;
  readonly #gate: Gate;
  readonly #breaker: Breaker;
  readonly #budget: Budget;
  /** Equal requests share a call while it is under way, and its answer afterwards. */
  readonly #answers: Cache<string, Promise<FoundPlaces>>;
  readonly #outcomes = new Map<string, number>([['ok', 0]]);

  /** Makes no call until the first look-up. */
  constructor(options: PlacesOptions) {
    const { settings, report } = options;
    const { provider, dailyLimit } = settings;
    this.#options = options;
    this.provider = settings.provider === 'google' ? createGoogle(settings) : createNominatim(settings);
    this.#gate = new Gate(this.provider.intervalMs);
    this.#breaker = new Breaker(() => {
      report('maps provider keeps failing: no calls for 30 s', { provider });
    });
    const usedUp = (): void => {
      report('maps provider budget is used up for today (MAPS_DAILY_LIMIT)', { provider, limit: dailyLimit });
    };
    this.#budget = new Budget({ ...options, dailyLimit, usedUp });
    const { maxAgeMs } = this.provider;
    this.#answers = new Cache({ maxAgeMs, maxEntries: MAX_ENTRIES, maxBytes: MAX_BYTES });
  }

  /** Looks up words or a place id. Rejects with a PlacesError, or as `permit` throws. */
  async look(kind: LookUp, text: string, permit: CallPermit): Promise<FoundPlaces> {
    const key = `${kind} ${text}`;
    const known = this.#answers.get(key);
    if (known) return known;
    this.#budget.check();
    this.#breaker.check();
    this.#gate.check();
    // Last, so that a call that cannot be made does not use up the client's allowance.
    permit();
    const call = this.#call(kind, text);
    this.#answers.set(key, call);
    try {
      const found = await call;
      this.#answers.set(key, call, key.length + JSON.stringify(found).length);
      return found;
    } catch (error) {
      this.#answers.delete(key);
      throw error;
    }
  }

  /** Throws if the database does not answer. */
  state(): PlacesState {
    return { circuitOpen: this.#breaker.isOpen(), outcomes: this.#outcomes, budget: this.#budget.state() };
  }

  async #call(kind: LookUp, text: string): Promise<FoundPlaces> {
    const ask = this.#askUntil(performance.now() + TIMEOUT_MS);
    try {
      await this.#gate.pass();
      const found = await this.#breaker.run(
        async () => {
          await this.#budget.take();
          return this.provider[kind](text, ask);
        },
        (error) => (error instanceof PlacesError ? VERDICTS[error.kind] : 'untried'),
      );
      this.#count('ok');
      return found;
    } catch (error) {
      if (!(error instanceof PlacesError)) throw error;
      this.#count(error.kind);
      const { status = null, reason } = error.details;
      const { report, settings } = this.#options;
      if (reason !== undefined)
        report('maps provider failed', { provider: settings.provider, status, reason });
      throw error;
    }
  }

  /** Sends requests until `deadline`; tries once more if the first try did not reach the host. */
  #askUntil(deadline: number): Ask {
    const { allowPrivate } = this.provider;
    return async (address, request) => {
      for (let isRetry = false; ; isRetry = true)
        try {
          const timeoutMs = Math.ceil(deadline - performance.now());
          if (timeoutMs <= 0) throw new OutboundError('timeout', 'no time is left');
          return await fetchText(address, { ...request, allowPrivate, timeoutMs });
        } catch (error) {
          if (!(error instanceof OutboundError)) throw error;
          const { kind, message } = error;
          if (isRetry || kind !== 'connection')
            throw new PlacesError(kind === 'timeout' ? 'timeout' : 'failed', { reason: message });
          await sleep(RETRY_PAUSE_MS);
        }
    };
  }

  #count(outcome: string): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }
}
